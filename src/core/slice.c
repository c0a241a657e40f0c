/* Making, freeing and comparing EndpointSlices; and what a source's change owns. */
#include "core/slice.h"

#include "core/change.h"

#include <string.h>

struct slice *slice_new(void)
{
	struct arena *arena = arena_new();
	struct slice *slice = arena_alloc(arena, sizeof(*slice));

	slice->arena = arena;
	return slice;
}

struct slice *slice_copy(const struct slice *slice)
{
	struct slice *copy = slice_new();
	struct arena *arena = copy->arena;

	*copy = *slice;
	copy->arena = arena;
	copy->ns = arena_strdup(arena, slice->ns);
	copy->name = arena_strdup(arena, slice->name);
	copy->service = arena_strdup(arena, slice->service);
	copy->ports = arena_alloc(arena, slice->n_ports * sizeof(*copy->ports));
	for (size_t i = 0; i < slice->n_ports; i++) {
		copy->ports[i] = slice->ports[i];
		copy->ports[i].name = arena_strdup(arena, slice->ports[i].name);
	}
	copy->endpoints = arena_alloc(arena, slice->n_endpoints * sizeof(*copy->endpoints));
	for (size_t i = 0; i < slice->n_endpoints; i++) {
		copy->endpoints[i] = slice->endpoints[i];
		copy->endpoints[i].node = arena_strdup(arena, slice->endpoints[i].node);
		copy->endpoints[i].uid = arena_strdup(arena, slice->endpoints[i].uid);
	}
	return copy;
}

void slice_free(struct slice *slice)
{
	if (slice)
		arena_free(slice->arena);
}

static bool text_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool port_equal(const struct slice_port *a, const struct slice_port *b)
{
	return strcmp(a->name, b->name) == 0 && a->proto == b->proto && a->port == b->port;
}

static bool endpoint_equal(const struct slice_endpoint *a, const struct slice_endpoint *b)
{
	return ip_equal(&a->ip, &b->ip) && text_equal(a->node, b->node) && text_equal(a->uid, b->uid) &&
	       a->ready == b->ready && a->serving == b->serving && a->terminating == b->terminating;
}

bool slice_equal(const struct slice *a, const struct slice *b)
{
	if (strcmp(a->ns, b->ns) || strcmp(a->name, b->name) || strcmp(a->service, b->service) ||
	    a->family != b->family || a->n_ports != b->n_ports || a->n_endpoints != b->n_endpoints)
		return false;
	for (size_t i = 0; i < a->n_ports; i++)
		if (!port_equal(&a->ports[i], &b->ports[i]))
			return false;
	for (size_t i = 0; i < a->n_endpoints; i++)
		if (!endpoint_equal(&a->endpoints[i], &b->endpoints[i]))
			return false;
	return true;
}

void change_fini(struct change *change)
{
	service_free(change->service);
	slice_free(change->slice);
	free(change->ns);
	free(change->name);
	*change = (struct change){ 0 };
}
