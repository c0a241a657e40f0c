/* Taking what was read of the kernel into the mirror, and saying where it differs. */
#include "core/observed.h"

#include <string.h>

static void drifted(struct observed *o, struct seen_vs *vs, const struct seen_rs *rs, const char *what,
		    const struct observed_listener *listener)
{
	if (vs->known)
		listener->drift(listener->ctx, vs, rs, what);
	observed_dirty(o, vs);
}

static void take_row(struct observed *o, struct seen_vs *vs, const struct rs_row *row, struct mono dumped_at,
		     int64_t period_ms, const struct observed_listener *listener)
{
	struct seen_rs *rs = seen_rs_find(vs, &row->key);
	uint32_t active_before;

	if (!rs) {
		rs = seen_rs_insert(vs, &row->key);
		rs->weight = row->weight;
		drifted(o, vs, rs, "rs-added", listener);
	} else if (rs->weight != row->weight) {
		if (row->weight != 0)
			seen_drain_end(o, vs, rs); /* a foreign hand raised it: it has to be zeroed, and to drain, anew */
		rs->weight = row->weight;
		drifted(o, vs, rs, "rs-weight", listener);
	}
	active_before = rs->active;
	rs->active = row->active;
	rs->inactive = row->inactive;
	rs->counted_at = dumped_at;
	rs->in_dump = true;
	rs->missed = false;
	if (rs->drain.on) {
		const struct drain_sight sight = { .present = true, .active = rs->active, .inactive = rs->inactive, .dumped_at = dumped_at };

		drain_note(&rs->drain, &sight, active_before, period_ms);
	}
}

bool observed_take_rss(struct observed *o, struct seen_vs *vs, const struct rs_row *rows, size_t n, struct mono dumped_at,
		       int64_t period_ms, const struct observed_listener *listener)
{
	bool again = n == 0 && vs->n_rs == 0 && (vs->stale || !vs->known); /* it may be deleted because it is empty */

	vs->stale = false;
	if (!vs->present) {
		vs->present = true;
		vs->ours = vs->ours || vs->unsure;
		drifted(o, vs, NULL, "vs-added", listener);
	}
	vs->unsure = false;
	for (size_t i = 0; i < vs->n_rs; i++)
		vs->rs[i].in_dump = false;
	for (size_t i = 0; i < n; i++)
		take_row(o, vs, &rows[i], dumped_at, period_ms, listener);
	for (size_t i = vs->n_rs; i-- > 0;) {
		struct seen_rs *rs = &vs->rs[i];

		if (rs->in_dump)
			continue;
		if (rs->missed)
			observed_dirty(o, vs); /* the plan asks for it by name */
		else
			rs->missed = again = true;
	}
	vs->known = true;
	if (vs->n_draining)
		observed_dirty(o, vs);
	return again;
}

void observed_take_absent(struct observed *o, struct seen_vs *vs, const struct observed_listener *listener)
{
	vs->stale = vs->unsure = false;
	if (!vs->present) {
		observed_dirty(o, vs);
		return;
	}
	for (size_t i = 0; i < vs->n_rs; i++)
		if (vs->rs[i].drain.on)
			listener->lost(listener->ctx, vs, &vs->rs[i]);
	drifted(o, vs, NULL, "vs-gone", listener);
	vs->present = vs->ours = vs->reported = vs->known = false;
	seen_rs_clear(o, vs);
}

static int key_cmp(const void *a, const void *b)
{
	return vs_cmp(&((const struct vs_row *)a)->key, &((const struct vs_row *)b)->key);
}

void observed_take_vss(struct observed *o, const struct vs_row *rows, size_t n, const struct observed_listener *listener)
{
	struct vs_row *sorted = xreallocarray(NULL, n, sizeof(*sorted));
	struct seen_vs *vs, *next;

	o->vss_stale = false;
	if (n)
		memcpy(sorted, rows, n * sizeof(*rows));
	qsort(sorted, n, sizeof(*sorted), key_cmp);
	HASH_ITER(hh, o->vss, vs, next) {
		struct vs_row probe = { .key = vs->key };

		if (!vs->present || bsearch(&probe, sorted, n, sizeof(*sorted), key_cmp))
			continue;
		if (vs->ours) {
			vs->stale = true;
			observed_dirty(o, vs);
		} else {
			observed_take_absent(o, vs, listener); /* somebody else's is never read: the list settles it */
		}
	}
	for (size_t i = 0; i < n; i++) {
		vs = observed_vs_get(o, &sorted[i].key);
		if (!vs->present) {
			vs->present = true;
			vs->ours = vs->unsure;
			vs->unsure = false;
			vs->attrs = sorted[i].attrs;
			vs->stale = true; /* its real servers are not known yet */
			drifted(o, vs, NULL, "vs-added", listener);
		} else if (!vs_attrs_equal(&vs->attrs, &sorted[i].attrs)) {
			vs->attrs = sorted[i].attrs;
			drifted(o, vs, NULL, "vs-attrs", listener);
		}
	}
	free(sorted);
}

static int ip_order(const void *a, const void *b)
{
	return ip_cmp(a, b);
}

static struct ip *sorted_ips(const struct ip *ips, size_t n)
{
	struct ip *sorted = xreallocarray(NULL, n, sizeof(*sorted));

	if (n)
		memcpy(sorted, ips, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ip_order);
	return sorted;
}

static bool has_ip(const struct ip *sorted, size_t n, const struct ip *ip)
{
	return bsearch(ip, sorted, n, sizeof(*sorted), ip_order) != NULL;
}

/* Everything on the address is to be planned again. */
static void dirty_all_on(struct observed *o, struct seen_addr *addr)
{
	struct seen_vs *vs;

	DL_FOREACH2(addr->vss, vs, next_on_ip)
		observed_dirty(o, vs);
	observed_dirty_addr(o, addr);
}

static void doubt_all_on(struct seen_addr *addr)
{
	struct seen_vs *vs;

	DL_FOREACH2(addr->vss, vs, next_on_ip)
		vs->stale = vs->stale || vs->present;
}

size_t observed_take_addrs(struct observed *o, const struct ip *bound, size_t n)
{
	struct ip *sorted = sorted_ips(bound, n);
	struct seen_addr *addr, *next;
	size_t differ = 0;

	o->addrs_stale = false;
	for (size_t i = 0; i < n; i++)
		(void)observed_addr_get(o, &sorted[i]);
	HASH_ITER(hh, o->addrs, addr, next) {
		bool now_bound = has_ip(sorted, n, &addr->ip);

		if (addr->bound == now_bound)
			continue;
		differ++;
		addr->bound = now_bound;
		addr->ours = addr->ours && now_bound;
		if (!now_bound)
			doubt_all_on(addr); /* who took the address may have taken these too: bound again they must be there */
		dirty_all_on(o, addr);
	}
	free(sorted);
	return differ;
}

static int vs_order(const void *a, const void *b)
{
	return vs_cmp(a, b);
}

size_t observed_take_filter(struct observed *o, const struct ip *guarded, size_t n_guarded, const struct vs_key *served,
			    size_t n_served, const struct ip *pinged, size_t n_pinged)
{
	struct ip *guards = sorted_ips(guarded, n_guarded), *pings = sorted_ips(pinged, n_pinged);
	struct vs_key *keys = xreallocarray(NULL, n_served, sizeof(*keys));
	struct seen_addr *addr, *addr_next;
	struct seen_vs *vs, *vs_next;
	size_t differ = 0;

	o->filter_stale = false;
	if (n_served)
		memcpy(keys, served, n_served * sizeof(*keys));
	qsort(keys, n_served, sizeof(*keys), vs_order);
	for (size_t i = 0; i < n_guarded; i++)
		(void)observed_addr_get(o, &guards[i]);
	for (size_t i = 0; i < n_served; i++)
		(void)observed_vs_get(o, &keys[i]);
	HASH_ITER(hh, o->addrs, addr, addr_next) {
		bool is_guarded = has_ip(guards, n_guarded, &addr->ip), is_pinged = has_ip(pings, n_pinged, &addr->ip);

		if (addr->guarded != is_guarded || addr->pinged != is_pinged) {
			differ++;
			dirty_all_on(o, addr);
		}
		addr->guarded = is_guarded;
		addr->pinged = is_pinged;
	}
	HASH_ITER(hh, o->vss, vs, vs_next) {
		bool is_served = bsearch(&vs->key, keys, n_served, sizeof(*keys), vs_order) != NULL;

		/* A served key whose ping is refused is planned: serving it again adds both. */
		if (vs->served != is_served || (is_served && !vs->addr->pinged)) {
			differ++;
			observed_dirty(o, vs);
		}
		vs->served = is_served;
	}
	free(guards);
	free(pings);
	free(keys);
	return differ;
}
