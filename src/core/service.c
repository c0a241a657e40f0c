/* Making, freeing and comparing Services. */
#include "core/service.h"

#include <string.h>

struct service *service_new(void)
{
	struct arena *arena = arena_new();
	struct service *service = arena_alloc(arena, sizeof(*service));

	service->arena = arena;
	service->created = CREATED_UNKNOWN;
	service->sched = "";
	service->drain = DRAIN_WISH_NONE;
	return service;
}

struct service *service_copy(const struct service *service)
{
	struct service *copy = service_new();
	struct arena *arena = copy->arena;

	*copy = *service;
	copy->arena = arena;
	copy->ns = arena_strdup(arena, service->ns);
	copy->name = arena_strdup(arena, service->name);
	copy->sched = arena_strdup(arena, service->sched);
	copy->ports = arena_alloc(arena, service->n_ports * sizeof(*copy->ports));
	for (size_t i = 0; i < service->n_ports; i++) {
		copy->ports[i] = service->ports[i];
		copy->ports[i].name = arena_strdup(arena, service->ports[i].name);
	}
	return copy;
}

void service_free(struct service *service)
{
	if (service)
		arena_free(service->arena);
}

static bool port_equal(const struct service_port *a, const struct service_port *b)
{
	return strcmp(a->name, b->name) == 0 && a->proto == b->proto && a->port == b->port;
}

bool service_equal(const struct service *a, const struct service *b)
{
	if (strcmp(a->ns, b->ns) || strcmp(a->name, b->name) || a->created != b->created ||
	    a->n_cluster_ips != b->n_cluster_ips || a->n_ports != b->n_ports || a->affinity_s != b->affinity_s ||
	    a->internal_local != b->internal_local || strcmp(a->sched, b->sched) || a->drain.limit_ms != b->drain.limit_ms ||
	    a->drain.gone_limit_ms != b->drain.gone_limit_ms || a->drain.ignore_time_wait != b->drain.ignore_time_wait)
		return false;
	for (size_t i = 0; i < a->n_cluster_ips; i++)
		if (!ip_equal(&a->cluster_ips[i], &b->cluster_ips[i]))
			return false;
	for (size_t i = 0; i < a->n_ports; i++)
		if (!port_equal(&a->ports[i], &b->ports[i]))
			return false;
	return true;
}
