/* What is left out decides nothing: how many connections there are beyond "some", why a drain ends, and statistics. Ages end where nothing looks
 * further back: between two moments only less or more than 10 ms matters. */
#include "exhaustive/mirror.h"

#include "exhaustive/source.h"

#include <string.h>

#define FAR_MS 1000
#define TWICE (DRAIN_TWICE_MS / TICK_MS)

struct mono when_at(uint8_t when)
{
	switch ((enum when)when) {
	case NEVER:
		return MONO_NEVER;
	case DUE:
		return NOW;
	case IN_5MS:
		return mono_after(NOW, TICK_MS);
	case IN_10MS:
		return mono_after(NOW, 2L * TICK_MS);
	case FAR:
		break;
	}
	return mono_after(NOW, FAR_MS);
}

uint8_t when_of(struct mono at, struct mono now)
{
	if (!mono_set(at))
		return NEVER;
	if (at.ms <= now.ms)
		return DUE;
	if (at.ms <= now.ms + TICK_MS)
		return IN_5MS;
	return at.ms <= now.ms + 2L * TICK_MS ? IN_10MS : FAR;
}

uint8_t waits_of(const struct retry *retry, struct mono now)
{
	return retry_waits(retry, now) ? when_of(retry->at, now) : NEVER;
}

static struct mono age_at(uint8_t age)
{
	return age ? (struct mono){ NOW.ms - (age - 1) * TICK_MS } : MONO_NEVER;
}

static int ticks(struct mono at, struct mono now)
{
	return (int)((now.ms - at.ms) / TICK_MS);
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static void thaw_rs(const struct mirror_rs *m, int i, struct seen_vs *vs, struct observed *o)
{
	struct seen_rs *rs;

	if (!m->exists)
		return;
	rs = seen_rs_insert(vs, &the_rs[i]);
	rs->weight = m->weight;
	rs->active = m->counted;
	rs->missed = m->missed;
	rs->counted_at = age_at(m->counted_at);
	rs->uid = the_uid[m->uid];
	rs->superseded = m->superseded;
	if (!m->on)
		return;
	seen_drain_begin(o, vs, rs, NOW, NOW);
	rs->drain.verdict = (enum drain_verdict)m->verdict;
	rs->drain.checks = m->checks;
	rs->drain.counted = m->checks > 0;
	rs->drain.zeroed_at = age_at(m->zeroed_at);
	rs->drain.zero_since = age_at(m->zero_since);
	rs->drain.deadline = m->old_limit ? rs->counted_at : when_at(m->deadline);
	rs->drain.next_check = when_at(m->next_check);
	rs->drain.limit_at = when_at(m->limit);
}

static void thaw_vs(const struct mirror *m, struct observed *o)
{
	const struct drain_settings settings = source_settings();
	struct seen_vs *vs = observed_vs_get(o, &the_vs);

	vs->present = m->present;
	vs->ours = m->ours;
	vs->unsure = m->unsure;
	vs->served = m->served;
	vs->stale = m->stale;
	vs->known = true;
	vs->policy = drain_policy(&settings, &DRAIN_WISH_NONE, the_vs.proto);
	vs->retry = (struct retry){ .at = when_at(m->retry) };
	vs->gone_since = m->gone ? NOW : MONO_NEVER;
	vs->gone_until = when_at(m->gone_until);
	if (m->attrs)
		vs->attrs = the_attrs;
	for (int i = 0; i < SERVERS; i++)
		thaw_rs(&m->rs[i], i, vs, o);
}

void mirror_thaw(const struct mirror *m, struct observed *ret)
{
	struct seen_addr *addr = NULL;
	struct seen_vs *vs;

	*ret = (struct observed){ 0 };
	if (m->vs)
		thaw_vs(m, ret);
	if (m->addr) {
		addr = observed_addr_get(ret, &the_vs.ip);
		addr->bound = m->bound;
		addr->guarded = m->guarded;
		addr->pinged = m->pinged;
		addr->ours = m->addr_ours;
		addr->linger_until = when_at(m->linger);
		addr->retry = (struct retry){ .at = when_at(m->addr_retry) };
		addr->dirty = false;
	}
	vs = ret->dirty_vss;
	ret->dirty_vss = NULL;
	ret->dirty_addrs = NULL;
	if (vs)
		vs->dirty = false;
	if (m->dirty)
		observed_dirty(ret, vs);
	if (addr && addr->dirty && !m->addr_dirty) {
		addr->dirty = false;
		ret->dirty_addrs = NULL;
	} else if (addr && m->addr_dirty) {
		observed_dirty_addr(ret, addr);
	}
	for (int i = 0; i < SERVERS; i++)
		if (m->rs[i].flush != FLUSH_NONE)
			*vec_push(&ret->flushes) = (struct flush){ the_vs, the_rs[i], m->rs[i].flush == FLUSH_BEGUN, NOW,
								   when_at(m->rs[i].flush_next) };
	ret->fresh = m->fresh;
	ret->filter_stale = m->filter_stale;
	ret->addrs_stale = m->addrs_stale;
	ret->vss_stale = m->vss_stale;
}

/* Ages of one drain, each as small as it can be with the same answer to every question that is asked of them: was it counted after weight 0; do
 * the first zero and the last count (or one that is still to come) lie 10 ms apart. */
static void freeze_ages(const struct seen_rs *rs, struct mono now, struct mirror_rs *m)
{
	int zeroed = least(ticks(rs->drain.zeroed_at, now), 1), first;

	if (!mono_set(rs->drain.zero_since)) {
		bool counted = rs->counted_at.ms > rs->drain.zeroed_at.ms;

		m->zeroed_at = (uint8_t)(counted ? 1 + 2 : 1 + zeroed);
		m->counted_at = counted ? 1 + 1 : NEVER;
		return;
	}
	first = ticks(rs->drain.zero_since, now);
	if (rs->counted_at.ms - rs->drain.zero_since.ms >= DRAIN_TWICE_MS) {
		m->counted_at = 1 + 1;
		m->zero_since = 1 + 1 + TWICE;
	} else {
		m->counted_at = m->zero_since = (uint8_t)(1 + least(first, TWICE));
	}
	m->zeroed_at = (uint8_t)(m->zero_since + (rs->counted_at.ms > rs->drain.zeroed_at.ms));
}

static struct mirror_rs freeze_rs(const struct seen_rs *rs, struct mono now)
{
	struct mirror_rs m = { 0 };

	m.exists = 1;
	m.weight = rs->weight != 0;
	m.missed = rs->missed;
	m.counted = rs->active || rs->inactive;
	m.uid = (uint8_t)(pod_of(rs->uid) & 3);
	m.superseded = rs->superseded;
	if (!rs->drain.on)
		return m;
	m.on = 1;
	if (rs->drain.verdict == DRAIN_DELETE || rs->drain.verdict == DRAIN_FORCE || rs->drain.verdict == DRAIN_SUPERSEDE)
		m.verdict = rs->drain.verdict;
	m.checks = rs->drain.checks < 2 ? rs->drain.checks : 2;
	freeze_ages(rs, now, &m);
	m.deadline = when_of(rs->drain.deadline, now);
	m.old_limit = mono_reached(rs->drain.deadline, rs->counted_at);
	m.next_check = when_of(rs->drain.next_check, now);
	m.limit = when_of(rs->drain.limit_at, now);
	return m;
}

static void freeze_vs(const struct seen_vs *vs, struct mono now, struct mirror *m)
{
	m->vs = 1;
	m->present = vs->present;
	m->ours = vs->ours;
	m->unsure = vs->unsure;
	m->served = vs->served;
	m->stale = vs->stale;
	m->dirty = vs->dirty;
	m->attrs = vs->present && vs_attrs_equal(&vs->attrs, &the_attrs);
	m->retry = waits_of(&vs->retry, now);
	m->gone = mono_set(vs->gone_since);
	m->gone_until = when_of(vs->gone_until, now);
	for (int i = 0; i < SERVERS; i++)
		if (seen_rs_find(vs, &the_rs[i]))
			m->rs[i] = freeze_rs(seen_rs_find(vs, &the_rs[i]), now);
}

static void freeze_flush(const struct flush *flush, struct mono now, struct mirror_rs *m)
{
	if (m->flush != FLUSH_NONE)
		broken("two records wait for one address");
	m->flush = flush->deleted ? FLUSH_BEGUN : FLUSH_AHEAD;
	m->flush_next = flush->deleted ? when_of(flush->next, now) : NEVER;
}

struct mirror mirror_freeze(struct observed *o, struct mono now)
{
	const struct seen_vs *vs = observed_vs(o, &the_vs);
	const struct seen_addr *addr = observed_addr(o, &the_vs.ip);
	struct mirror m;

	memset(&m, 0, sizeof(m));
	if (vs)
		freeze_vs(vs, now, &m);
	if (addr) {
		m.addr = 1;
		m.bound = addr->bound;
		m.guarded = addr->guarded;
		m.pinged = addr->pinged;
		m.addr_ours = addr->ours;
		m.addr_dirty = addr->dirty;
		m.linger = when_of(addr->linger_until, now);
		m.addr_retry = waits_of(&addr->retry, now);
	}
	for (size_t i = 0; i < o->flushes.n; i++)
		freeze_flush(&o->flushes.v[i], now, &m.rs[server_of(&o->flushes.v[i].rs)]);
	m.fresh = o->fresh;
	m.filter_stale = o->filter_stale;
	m.addrs_stale = o->addrs_stale;
	m.vss_stale = o->vss_stale;
	return m;
}
