/* Entries of the mirror: finding, marking, forgetting. Taking reads is in observed_take.c. */
#include "core/observed.h"

#include <string.h>

static void vs_free(struct seen_vs *vs)
{
	free(vs->service);
	free(vs->rs);
	free(vs);
}

void observed_fini(struct observed *o)
{
	struct seen_vs *vs, *vs_next;
	struct seen_addr *a, *a_next;

	HASH_ITER(hh, o->vss, vs, vs_next) {
		HASH_DEL(o->vss, vs);
		vs_free(vs);
	}
	HASH_ITER(hh, o->addrs, a, a_next) {
		HASH_DEL(o->addrs, a);
		free(a);
	}
	free(o->flushes.v);
	*o = (struct observed){ 0 };
}

struct seen_vs *observed_vs(struct observed *o, const struct vs_key *key)
{
	struct seen_vs *vs;

	HASH_FIND(hh, o->vss, key, sizeof(*key), vs);
	return vs;
}

struct seen_addr *observed_addr(struct observed *o, const struct ip *ip)
{
	struct seen_addr *addr;

	HASH_FIND(hh, o->addrs, ip, sizeof(*ip), addr);
	return addr;
}

struct seen_addr *observed_addr_get(struct observed *o, const struct ip *ip)
{
	struct seen_addr *addr = observed_addr(o, ip);

	if (addr)
		return addr;
	addr = xzalloc(sizeof(*addr));
	addr->ip = *ip;
	addr->linger_until = MONO_NEVER;
	addr->retry.at = MONO_NEVER;
	HASH_ADD(hh, o->addrs, ip, sizeof(addr->ip), addr);
	return addr;
}

struct seen_vs *observed_vs_get(struct observed *o, const struct vs_key *key)
{
	struct seen_vs *vs = observed_vs(o, key);

	if (vs)
		return vs;
	vs = xzalloc(sizeof(*vs));
	vs->key = *key;
	vs->gone_since = vs->gone_until = vs->retry.at = vs->attrs_retry.at = MONO_NEVER;
	vs->policy = (struct drain_policy){ .drains = true, .limit_ms = LIMIT_NONE, .gone_limit_ms = LIMIT_NONE };
	vs->addr = observed_addr_get(o, &key->ip);
	DL_APPEND2(vs->addr->vss, vs, prev_on_ip, next_on_ip);
	HASH_ADD(hh, o->vss, key, sizeof(vs->key), vs);
	observed_dirty(o, vs);
	return vs;
}

void observed_dirty_addr(struct observed *o, struct seen_addr *addr)
{
	o->fresh = true;
	if (addr->dirty)
		return;
	addr->dirty = true;
	LL_PREPEND2(o->dirty_addrs, addr, next_dirty);
}

void observed_dirty(struct observed *o, struct seen_vs *vs)
{
	observed_dirty_addr(o, vs->addr);
	if (vs->dirty)
		return;
	vs->dirty = true;
	LL_PREPEND2(o->dirty_vss, vs, next_dirty);
}

void observed_forget(struct observed *o, struct seen_vs *vs)
{
	if (vs->present || vs->served || vs->dirty || vs->unsure)
		return;
	seen_rs_clear(o, vs);
	observed_dirty_addr(o, vs->addr);
	DL_DELETE2(vs->addr->vss, vs, prev_on_ip, next_on_ip);
	HASH_DEL(o->vss, vs);
	vs_free(vs);
}

void observed_forget_addr(struct observed *o, struct seen_addr *addr)
{
	if (addr->bound || addr->guarded || addr->dirty || addr->vss)
		return;
	HASH_DEL(o->addrs, addr);
	free(addr);
}

/* Index of the first real server that is not before key. */
static size_t lower_bound(const struct seen_vs *vs, const struct rs_key *key)
{
	size_t from = 0, to = vs->n_rs;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (rs_cmp(&vs->rs[mid].key, key) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

struct seen_rs *seen_rs_find(const struct seen_vs *vs, const struct rs_key *key)
{
	size_t i = lower_bound(vs, key);

	return i < vs->n_rs && rs_cmp(&vs->rs[i].key, key) == 0 ? &vs->rs[i] : NULL;
}

struct seen_rs *seen_rs_insert(struct seen_vs *vs, const struct rs_key *key)
{
	size_t i = lower_bound(vs, key);

	if (i < vs->n_rs && rs_cmp(&vs->rs[i].key, key) == 0)
		return &vs->rs[i];
	vs->rs = vec_grow(vs->rs, vs->n_rs, &vs->cap_rs, sizeof(*vs->rs));
	memmove(&vs->rs[i + 1], &vs->rs[i], (vs->n_rs - i) * sizeof(*vs->rs));
	vs->n_rs++;
	vs->rs[i] = (struct seen_rs){ .key = *key, .counted_at = MONO_NEVER };
	return &vs->rs[i];
}

void seen_drain_begin(struct observed *o, struct seen_vs *vs, struct seen_rs *rs, struct mono since, struct mono now)
{
	if (!rs->drain.on && vs->n_draining++ == 0) {
		DL_APPEND2(o->draining, vs, prev_draining, next_draining);
		o->n_draining++;
	}
	drain_begin(&rs->drain, since, now, vs->policy.limit_ms);
}

void seen_drain_end(struct observed *o, struct seen_vs *vs, struct seen_rs *rs)
{
	if (!rs->drain.on)
		return;
	rs->drain.on = false;
	if (--vs->n_draining == 0) {
		DL_DELETE2(o->draining, vs, prev_draining, next_draining);
		o->n_draining--;
	}
}

void seen_rs_remove(struct observed *o, struct seen_vs *vs, struct seen_rs *rs)
{
	size_t i = (size_t)(rs - vs->rs);

	seen_drain_end(o, vs, rs);
	memmove(rs, rs + 1, (vs->n_rs - i - 1) * sizeof(*rs));
	vs->n_rs--;
}

void seen_rs_clear(struct observed *o, struct seen_vs *vs)
{
	for (size_t i = 0; i < vs->n_rs; i++)
		seen_drain_end(o, vs, &vs->rs[i]);
	vs->n_rs = 0;
}

/* ---- another pod on the same address ---- */

void seen_rs_supersede(struct observed *o, struct seen_vs *vs, struct seen_rs *rs)
{
	if (rs->superseded)
		return;
	rs->superseded = true;
	*vec_push(&o->flushes) = (struct flush){ vs->key, rs->key, false, MONO_NEVER, MONO_NEVER };
	observed_dirty(o, vs);
}

void observed_supersede(struct observed *o, const struct wanted_vs *w)
{
	struct seen_vs *vs;

	DL_FOREACH2(o->draining, vs, next_draining)
		for (size_t i = 0; i < vs->n_rs && vs->key.proto == w->key.proto; i++) {
			struct seen_rs *rs = &vs->rs[i];
			const struct wanted_rs *at = rs->drain.on && rs->uid ? wanted_vs_find(w, &rs->key) : NULL;

			if (at && at->uid && at->uid != rs->uid)
				seen_rs_supersede(o, vs, rs);
		}
}

void observed_flush_begins(struct observed *o, const struct seen_vs *vs, const struct rs_key *rs, struct mono now)
{
	const struct flush begun = { vs->key, *rs, true, now, mono_after(now, FLUSH_LOOK_MS) };

	for (size_t i = 0; i < o->flushes.n; i++) {
		struct flush *flush = &o->flushes.v[i];

		if (!flush->deleted && vs_cmp(&flush->vs, &vs->key) == 0 && rs_cmp(&flush->rs, rs) == 0) {
			*flush = begun;
			return;
		}
	}
	*vec_push(&o->flushes) = begun;
}

bool observed_flushing(const struct observed *o, uint8_t proto, const struct rs_key *rs)
{
	for (size_t i = 0; i < o->flushes.n; i++)
		if (o->flushes.v[i].vs.proto == proto && rs_cmp(&o->flushes.v[i].rs, rs) == 0)
			return true;
	return false;
}

bool seen_rs_limit_is_own(const struct seen_vs *vs, const struct seen_rs *rs)
{
	return mono_set(rs->drain.limit_at) && mono_min(rs->drain.limit_at, vs->gone_until).ms == rs->drain.limit_at.ms;
}

bool seen_vs_can_serve(const struct seen_vs *vs)
{
	for (size_t i = 0; i < vs->n_rs; i++)
		if (vs->rs[i].weight > 0)
			return true;
	return false;
}

void retry_later(struct retry *retry, struct mono now)
{
	int64_t ms = retry->tries < 9 ? 100 << retry->tries : 30000;

	retry->tries++;
	retry->at = mono_after(now, ms < 30000 ? ms : 30000);
}
