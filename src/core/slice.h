/* An EndpointSlice as the sources tell it: validated, defaults filled in. */
#pragma once
#include "base/arena.h"
#include "core/types.h"

#define SLICE_ENDPOINTS_MAX 20000 /* the API server allows 1,000 */
#define SLICE_PORTS_MAX 1000

struct slice_port {
	const char *name; /* "" if it has none */
	uint8_t proto;
	uint16_t port;
};

struct slice_endpoint {
	struct ip ip;
	const char *node;                  /* nodeName; NULL if absent */
	const char *uid;                   /* targetRef.uid; NULL if absent */
	bool ready, serving, terminating;  /* absent: true, true, false */
};

struct slice {
	struct arena *arena;  /* holds the struct itself and all it points to */
	const char *ns, *name;
	const char *service;  /* label kubernetes.io/service-name; its namespace is ns */
	uint8_t family;       /* addressType: AF_INET or AF_INET6 */
	struct slice_port *ports;
	size_t n_ports;
	struct slice_endpoint *endpoints;
	size_t n_endpoints;
};

struct slice *slice_new(void); /* zeroed, in a fresh arena; owned: slice_free() */
struct slice *slice_copy(const struct slice *slice); /* owned: slice_free() */
void slice_free(struct slice *slice);
bool slice_equal(const struct slice *a, const struct slice *b); /* arena apart */
