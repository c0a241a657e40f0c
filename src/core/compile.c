/* Chooses the endpoints that serve on this node and lays out the virtual servers. Asks nobody for anything. */
#include "core/compile.h"

#include "base/hash.h"

#include <string.h>

/* One address and port that some slice lists for the port in question. */
struct candidate {
	struct rs_key key;
	uint64_t uid;
	bool ready, serving, terminating, local;
};

/* The better record of one address first, whatever the order of slices: ready, then not terminating, then serving. */
static int candidate_cmp(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	int c = rs_cmp(&a->key, &b->key);

	if (c)
		return c;
	if (a->ready != b->ready)
		return a->ready ? -1 : 1;
	if (a->terminating != b->terminating)
		return a->terminating ? 1 : -1;
	if (a->serving != b->serving)
		return a->serving ? -1 : 1;
	if (a->local != b->local)
		return a->local ? -1 : 1;
	return (a->uid > b->uid) - (a->uid < b->uid);
}

struct candidates {
	VEC(struct candidate) list;
};

/* Two different numbers are two different pods. */
static uint64_t uid_number(const char *uid)
{
	uint64_t number = uid ? hash_bytes(HASH_START, uid, strlen(uid)) : 0;

	return uid && !number ? 1 : number;
}

static void add_slice_port(struct candidates *to, const struct slice *slice, uint16_t port, const char *node)
{
	for (size_t i = 0; i < slice->n_endpoints; i++) {
		const struct slice_endpoint *e = &slice->endpoints[i];

		*vec_push(&to->list) = (struct candidate){
			.key = { .ip = e->ip, .port = port },
			.uid = uid_number(e->uid),
			.ready = e->ready,
			.serving = e->serving,
			.terminating = e->terminating,
			.local = e->node && strcmp(e->node, node) == 0,
		};
	}
}

/* All records for the port, sorted, one (the best) per address and port. */
static void collect(struct candidates *to, const struct subject *s, uint8_t family, const struct service_port *port,
		    const char *node)
{
	size_t n = 0;

	for (size_t i = 0; i < s->slices.n; i++) {
		const struct slice *slice = s->slices.v[i];

		if (slice->family != family)
			continue;
		for (size_t p = 0; p < slice->n_ports; p++)
			if (slice->ports[p].proto == port->proto && strcmp(slice->ports[p].name, port->name) == 0)
				add_slice_port(to, slice, slice->ports[p].port, node);
	}
	if (!to->list.n)
		return;
	qsort(to->list.v, to->list.n, sizeof(*to->list.v), candidate_cmp);
	for (size_t i = 0; i < to->list.n; i++) {
		if (!n || rs_cmp(&to->list.v[n - 1].key, &to->list.v[i].key))
			to->list.v[n++] = to->list.v[i];
		else if (to->list.v[n - 1].uid != to->list.v[i].uid)
			to->list.v[n - 1].uid = 0; /* while two are listed there, nobody can say that one of them is gone */
	}
	to->list.n = n;
}

enum pick { PICK_READY, PICK_SERVING_TERMINATING };

static bool picks(const struct candidate *c, enum pick pick, bool local_only)
{
	if (local_only && !c->local)
		return false;
	return pick == PICK_READY ? c->ready : c->serving && c->terminating;
}

/* The ready ones; if there are none, those that still serve while they terminate. */
static void choose(struct wanted_vs *vs, const struct candidates *from, bool local_only, struct arena *arena)
{
	vs->rs = arena_alloc(arena, from->list.n * sizeof(*vs->rs));
	for (int pick = PICK_READY; pick <= PICK_SERVING_TERMINATING && !vs->n_rs; pick++)
		for (size_t i = 0; i < from->list.n; i++) {
			if (!picks(&from->list.v[i], (enum pick)pick, local_only))
				continue;
			vs->rs[vs->n_rs++] = (struct wanted_rs){ from->list.v[i].key, from->list.v[i].uid };
		}
}

static void lay_out(struct wanted_vs *vs, const struct subject *s, const struct ip *ip, const struct service_port *port,
		    const struct node_facts *facts, struct arena *arena)
{
	struct candidates found = { 0 };

	vs->key = (struct vs_key){ .ip = *ip, .proto = port->proto, .port = port->port };
	strncpy(vs->attrs.sched, *s->service->sched ? s->service->sched : facts->sched, SCHED_MAX - 1);
	vs->attrs.flags = sched_flags(vs->attrs.sched);
	vs->drain = drain_policy(&facts->drain, &s->service->drain, port->proto);
	if (s->service->affinity_s) {
		vs->attrs.flags |= VS_FLAG_PERSISTENT;
		vs->attrs.timeout_s = s->service->affinity_s;
	}
	vs->port_name = arena_strdup(arena, port->name);
	collect(&found, s, ip->family, port, facts->node);
	choose(vs, &found, s->service->internal_local, arena);
	free(found.list.v);
}

static int wanted_cmp(const void *a, const void *b)
{
	return vs_cmp(&((const struct wanted_vs *)a)->key, &((const struct wanted_vs *)b)->key);
}

struct compiled *compile(const struct subject *subject, const struct node_facts *facts)
{
	struct arena *arena = arena_new();
	struct compiled *c = arena_alloc(arena, sizeof(*c));
	const struct service *service = subject->service;

	c->arena = arena;
	if (!service)
		return c;
	c->vss = arena_alloc(arena, service->n_cluster_ips * service->n_ports * sizeof(*c->vss));
	for (size_t i = 0; i < service->n_cluster_ips; i++)
		for (size_t p = 0; p < service->n_ports; p++)
			lay_out(&c->vss[c->n_vss++], subject, &service->cluster_ips[i], &service->ports[p], facts, arena);
	if (c->n_vss)
		qsort(c->vss, c->n_vss, sizeof(*c->vss), wanted_cmp);
	return c;
}

static int rs_order(const void *key, const void *rs)
{
	return rs_cmp(key, &((const struct wanted_rs *)rs)->key);
}

const struct wanted_rs *wanted_vs_find(const struct wanted_vs *vs, const struct rs_key *rs)
{
	return vs->n_rs ? bsearch(rs, vs->rs, vs->n_rs, sizeof(*vs->rs), rs_order) : NULL;
}

void compiled_free(struct compiled *compiled)
{
	if (compiled)
		arena_free(compiled->arena);
}
