/* The first read of the kernel, and the question what of it is ours: what the journal names; without a journal what we
 * want and find, and what is bound on our device. Nothing else is ever touched. */
#include "daemon/pass.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>

static bool adopting(const struct reconcile *r)
{
	return !r->journal || journal_adopting(r->journal);
}

void start_adopt(struct reconcile *r, struct seen_vs *vs)
{
	vs->ours = true;
	vs->stale = true; /* its real servers matter from now on */
	pass_journal_vs(r, vs);
}

struct entries {
	VEC(struct journal_entry) list;
};

static void collect(void *ctx, const struct journal_entry *entry)
{
	*vec_push(&((struct entries *)ctx)->list) = *entry;
}

/* Ownership first: it says whose real servers are to be read. False: the kernel has no such object (any more). */
static bool take_owner(struct reconcile *r, const struct journal_entry *e)
{
	struct seen_vs *vs = e->kind == JOURNAL_VS ? observed_vs(&r->observed, &e->vs) : NULL;
	struct seen_addr *addr = e->kind == JOURNAL_ADDR ? observed_addr(&r->observed, &e->vs.ip) : NULL;

	if (e->kind == JOURNAL_VS) {
		if (!vs || !vs->present)
			return false;
		vs->ours = true;
		if (!vs->service && e->service[0])
			vs->service = xstrdup(e->service);
		if (!vs->policy_known) {
			vs->policy = e->policy_known ? e->policy : vs->policy;
			vs->policy_known = e->policy_known;
		} else if (!e->policy_known || !drain_policy_equal(&vs->policy, &e->policy)) {
			pass_journal_vs(r, vs);
		}
	}
	if (e->kind == JOURNAL_ADDR) {
		if (!addr || !addr->bound)
			return false;
		addr->ours = true;
	}
	return true;
}

/* Then what runs on it. False: nothing does any more. */
static bool take_lifetime(struct reconcile *r, const struct journal_entry *e)
{
	struct seen_vs *vs = observed_vs(&r->observed, &e->vs);
	struct seen_addr *addr = observed_addr(&r->observed, &e->vs.ip);
	struct seen_rs *rs = vs && e->kind == JOURNAL_DRAIN ? seen_rs_find(vs, &e->rs) : NULL;

	switch (e->kind) {
	case JOURNAL_DRAIN:
		if (vs && vs->stale) { /* it could not be read yet */
			r->unread_drains = true;
			return true;
		}
		if (!rs || rs->weight != 0)
			return false;
		if (rs->drain.on)
			return true;
		seen_drain_begin(&r->observed, vs, rs, e->since, pass_now(r));
		rs->drain.limit_at = e->until;
		rs->uid = e->uid;
		return true;
	case JOURNAL_GONE:
		if (!vs || !vs->present || !vs->ours || wanted_find(r->wanted, &e->vs, NULL))
			return false;
		vs->gone_since = e->since;
		vs->gone_until = e->until;
		vs->gone_journaled = true;
		return true;
	case JOURNAL_LINGER:
		if (!addr || !addr->bound || !addr->ours)
			return false;
		addr->linger_until = e->until;
		addr->linger_journaled = true;
		return true;
	case JOURNAL_VS:
	case JOURNAL_ADDR:
		break;
	}
	return true;
}

static void each_entry(struct reconcile *r, bool (*take)(struct reconcile *r, const struct journal_entry *e))
{
	struct entries entries = { 0 };

	if (!r->journal)
		return;
	journal_each(r->journal, collect, &entries);
	for (size_t i = 0; i < entries.list.n; i++)
		if (!take(r, &entries.list.v[i]))
			journal_drop(r->journal, &entries.list.v[i]);
	free(entries.list.v);
}

static void adopt_all(struct reconcile *r)
{
	struct journal_entry entry = { .kind = JOURNAL_ADDR };
	struct seen_vs *vs, *vs_next;
	struct seen_addr *addr, *addr_next;
	size_t n = 0, n_addrs = 0;

	each_entry(r, take_owner);
	if (!adopting(r))
		return;
	HASH_ITER(hh, r->observed.vss, vs, vs_next) {
		if (!vs->present || vs->ours || !wanted_find(r->wanted, &vs->key, NULL) || cidrs_have(r->options.exclude, &vs->key.ip))
			continue;
		start_adopt(r, vs);
		n++;
	}
	HASH_ITER(hh, r->observed.addrs, addr, addr_next) {
		if (!addr->bound || addr->ours || cidrs_have(r->options.exclude, &addr->ip))
			continue;
		addr->ours = true;
		entry.vs.ip = addr->ip;
		entry.until = MONO_NEVER;
		if (r->journal)
			journal_put(r->journal, &entry);
		n_addrs++;
	}
	if ((n || n_addrs) && !r->dry)
		log_info("no journal of an earlier run: took over %zu virtual servers that are wanted and %zu addresses on the device, in place",
			 n, n_addrs);
}

void start_lifetimes(struct reconcile *r)
{
	r->unread_drains = false;
	each_entry(r, take_lifetime);
	pass_supersede(r); /* when the wishes were compiled, these drains were not known */
}

static bool failed(struct reconcile *r)
{
	r->start_retry = r->read_retry;
	return false;
}

bool start_step(struct reconcile *r)
{
	if (retry_waits(&r->start_retry, pass_now(r)))
		return false;
	switch (r->phase) {
	case PHASE_LIST:
		if (sight_addrs(r) < 0 || sight_vss(r) < 0 || sight_filter(r) < 0)
			return failed(r);
		adopt_all(r);
		r->phase = PHASE_RSS;
		return true;
	case PHASE_RSS:
		if (sight_stale(r))
			return true;
		start_lifetimes(r); /* before anything is planned: the deadlines that run go on */
		r->phase = PHASE_FILTER;
		return true;
	case PHASE_FILTER:
		if (!r->dry && !r->filter_intact && sight_restore_filter(r, true) < 0)
			return failed(r);
		if (!r->dry && r->filter_intact && sight_ready(r) < 0)
			return failed(r);
		r->phase = PHASE_RUN;
		r->audit_next = mono_after(pass_now(r), r->options.sync_period_ms);
		return true;
	case PHASE_RUN:
		break;
	}
	return true;
}
