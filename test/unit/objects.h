/* Services and slices for tests of core. */
#pragma once
#include "core/change.h"
#include "test/unit/unit.h"

#include <string.h>

/* A Service default/NAME with one port 80/tcp named "http" on ip. */
static inline struct service *a_service(const char *name, const char *ip)
{
	struct service *s = service_new();

	s->ns = "default";
	s->name = arena_strdup(s->arena, name);
	s->cluster_ips[0] = ip_of(ip);
	s->n_cluster_ips = 1;
	s->ports = arena_alloc(s->arena, sizeof(*s->ports));
	s->ports[0] = (struct service_port){ "http", PROTO_TCP, 80 };
	s->n_ports = 1;
	return s;
}

/* A slice default/NAME of service with port 8080/tcp "http" and room for 8 endpoints. */
static inline struct slice *a_slice(const char *name, const char *service, uint8_t family)
{
	struct slice *s = slice_new();

	s->ns = "default";
	s->name = arena_strdup(s->arena, name);
	s->service = arena_strdup(s->arena, service);
	s->family = family;
	s->ports = arena_alloc(s->arena, sizeof(*s->ports));
	s->ports[0] = (struct slice_port){ "http", PROTO_TCP, 8080 };
	s->n_ports = 1;
	s->endpoints = arena_alloc(s->arena, 8 * sizeof(*s->endpoints));
	return s;
}

/* conditions: letters of r(eady) s(erving) t(erminating); node may be NULL. */
static inline void an_endpoint(struct slice *s, const char *ip, const char *conditions, const char *node)
{
	s->endpoints[s->n_endpoints++] = (struct slice_endpoint){
		.ip = ip_of(ip), .node = node,
		.ready = strchr(conditions, 'r') != NULL,
		.serving = strchr(conditions, 's') != NULL,
		.terminating = strchr(conditions, 't') != NULL,
	};
}

static inline struct change service_change(struct service *s) { return (struct change){ .kind = CHANGE_SERVICE, .service = s }; }
static inline struct change slice_change(struct slice *s) { return (struct change){ .kind = CHANGE_SLICE, .slice = s }; }
static inline struct change gone_change(enum change_kind kind, const char *name)
{
	return (struct change){ .kind = kind, .ns = xstrdup("default"), .name = xstrdup(name) };
}
