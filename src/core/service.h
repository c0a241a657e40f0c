/* A Service as the sources tell it: validated, defaults filled in, only what serves here. */
#pragma once
#include "base/arena.h"
#include "core/policy.h"

#define CREATED_UNKNOWN INT64_MAX /* sorts as the youngest */
#define SERVICE_PORTS_MAX 1000
#define AFFINITY_DEFAULT_S 10800

struct service_port {
	const char *name; /* "" if it has none */
	uint8_t proto;
	uint16_t port;
};

struct service {
	struct arena *arena;   /* holds the struct itself and all it points to */
	const char *ns, *name;
	int64_t created;       /* Unix seconds; CREATED_UNKNOWN */
	struct ip cluster_ips[2];
	size_t n_cluster_ips;  /* 0: nothing to serve (headless, ExternalName, no address): nothing is made */
	struct service_port *ports;
	size_t n_ports;
	uint32_t affinity_s;   /* 0 = no session affinity */
	bool internal_local;   /* internalTrafficPolicy: Local */
	const char *sched;     /* annotation sluice/scheduler; "" = the node's */
	struct drain_wish drain; /* annotations sluice/drain-limit and the like */
};

struct service *service_new(void); /* zeroed, in a fresh arena; owned: service_free() */
struct service *service_copy(const struct service *service); /* owned: service_free() */
void service_free(struct service *service);
bool service_equal(const struct service *a, const struct service *b); /* arena apart */
