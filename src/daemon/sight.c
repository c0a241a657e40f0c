/* Reading the kernel into the mirror: what is doubtful, the counters of drains, the rolling audit. Writes nothing but a
 * filter that somebody broke. */
#include "daemon/pass.h"

#include "base/log.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

/* A whole audit is spread over this share of the period, so that it ends within it. */
#define AUDIT_SHARE(period) ((period) * 3 / 4)
#define AUDIT_STEP_MS 50 /* its reads go in small bursts, not one by one: waking up costs as much as reading */

static void forget_drain(struct reconcile *r, const struct seen_vs *vs, const struct seen_rs *rs)
{
	struct journal_entry entry = { .kind = JOURNAL_DRAIN, .vs = vs->key, .rs = rs->key };

	if (r->journal)
		journal_drop(r->journal, &entry);
}

static void drift(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs, const char *what)
{
	struct reconcile *r = ctx;
	char vs_text[VS_TEXT], rs_text[RS_TEXT];

	if (r->phase != PHASE_RUN || (!vs->ours && vs->present))
		return;
	r->drift_repairs++;
	log_warn("drift what=%s vs=%s%s%s: somebody else changed it, putting it right", what, vs_format(&vs->key, vs_text),
		 rs ? " rs=" : "", rs ? rs_format(&rs->key, rs_text) : "");
	if (rs && rs->weight > 0)
		forget_drain(r, vs, rs); /* raised: if it is to drain, then anew, with a limit from then on */
}

static void lost(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs)
{
	struct reconcile *r = ctx;
	char vs_text[VS_TEXT], rs_text[RS_TEXT];

	log_warn("drain outcome=lost vs=%s rs=%s: somebody else deleted it", vs_format(&vs->key, vs_text), rs_format(&rs->key, rs_text));
	pass_past(r, vs, &rs->key, OUTCOME_LOST, rs->drain.since, rs->active + rs->inactive);
	forget_drain(r, vs, rs);
}

static int list_rss(struct reconcile *r, struct seen_vs *vs, const struct observed_listener *listener, bool *ret_again, struct err *err)
{
	struct kernel_rss rss = { 0 };
	struct mono began = pass_now(r);
	int rc = r->kernel->v->list_rs(r->kernel, &vs->key, &rss, err);

	*ret_again = false;
	if (rc == -ESRCH)
		observed_take_absent(&r->observed, vs, listener);
	else if (rc == 0)
		*ret_again = observed_take_rss(&r->observed, vs, rss.rows.v, rss.rows.n, began, pass_drain_period(r), listener);
	kernel_rss_fini(&rss);
	return rc == -ESRCH ? 0 : rc;
}

void sight_vs(struct reconcile *r, struct seen_vs *vs)
{
	const struct observed_listener listener = { r, lost, drift };
	struct err err = { 0 };
	char text[VS_TEXT];
	bool again;
	int rc = list_rss(r, vs, &listener, &again, &err);

	/* A row that is missing from one dump may have been skipped: a second dump decides. */
	if (rc == 0 && again)
		rc = list_rss(r, vs, &listener, &again, &err);
	if (rc == 0)
		return;
	vs->stale = true;
	retry_later(&vs->retry, pass_now(r));
	observed_dirty(&r->observed, vs);
	log_warn("read vs=%s: %s, trying again in %lld ms", vs_format(&vs->key, text), err.text,
		 (long long)(vs->retry.at.ms - pass_now(r).ms));
}

static int list_failed(struct reconcile *r, const char *what, int rc, const struct err *err)
{
	retry_later(&r->read_retry, pass_now(r));
	log_warn("read %s: %s, trying again in %lld ms", what, err->text, (long long)(r->read_retry.at.ms - pass_now(r).ms));
	return rc;
}

int sight_vss(struct reconcile *r)
{
	const struct observed_listener listener = { r, lost, drift };
	struct kernel_vss vss = { 0 };
	struct err err = { 0 };
	int rc = r->kernel->v->list_vs(r->kernel, &vss, &err);

	if (rc == 0) {
		observed_take_vss(&r->observed, vss.rows.v, vss.rows.n, &listener);
		retry_done(&r->read_retry);
	} else {
		rc = list_failed(r, "virtual servers", rc, &err);
	}
	kernel_vss_fini(&vss);
	return rc;
}

int sight_addrs(struct reconcile *r)
{
	struct kernel_ips ips = { 0 };
	struct err err = { 0 };
	int rc = r->kernel->v->list_addrs(r->kernel, &ips, &err);
	size_t differ;

	if (rc == 0) {
		differ = observed_take_addrs(&r->observed, ips.rows.v, ips.rows.n);
		retry_done(&r->read_retry);
		if (differ && r->phase == PHASE_RUN) {
			r->drift_repairs += differ;
			log_warn("drift what=addresses: %zu on the device changed without us, putting them right", differ);
		}
	} else {
		rc = list_failed(r, "addresses", rc, &err);
	}
	kernel_ips_fini(&ips);
	return rc;
}

/* Which keys are open to new connections, and which addresses are guarded, as far as we know. At the start, where the filter knows
 * nothing, what the kernel serves already goes on being served. */
int sight_restore_filter(struct reconcile *r, bool starting)
{
	VEC(struct ip) guarded = { 0 };
	VEC(struct vs_key) served = { 0 };
	struct seen_addr *addr, *addr_next;
	struct seen_vs *vs;
	struct kernel_filter_want want;
	struct err err = { 0 };
	int rc;

	HASH_ITER(hh, r->observed.addrs, addr, addr_next) {
		if (starting)
			addr->guarded = addr->bound && addr->ours;
		if (addr->guarded)
			*vec_push(&guarded) = addr->ip;
		addr->pinged = false;
		DL_FOREACH2(addr->vss, vs, next_on_ip) {
			if (starting)
				vs->served = addr->guarded && vs->present &&
					     (!vs->ours || (seen_vs_can_serve(vs) && wanted_find(r->wanted, &vs->key, NULL)));
			if (vs->served) {
				*vec_push(&served) = vs->key;
				addr->pinged = true;
			}
		}
	}
	want = (struct kernel_filter_want){ guarded.v, guarded.n, served.v, served.n };
	rc = r->kernel->v->prepare(r->kernel, &want, &err);
	free(guarded.v);
	free(served.v);
	if (rc < 0)
		return list_failed(r, "filter", rc, &err);
	r->observed.filter_stale = false;
	retry_done(&r->read_retry);
	return 0;
}

int sight_ready(struct reconcile *r)
{
	struct err err = { 0 };
	int rc = r->kernel->v->prepare(r->kernel, NULL, &err);

	return rc < 0 ? list_failed(r, "device", rc, &err) : 0;
}

int sight_filter(struct reconcile *r)
{
	struct kernel_filter f = { 0 };
	struct err err = { 0 };
	int rc = r->kernel->v->list_filter(r->kernel, &f, &err);
	size_t differ;

	if (rc < 0) {
		rc = list_failed(r, "filter", rc, &err);
	} else if (!f.intact && r->phase == PHASE_RUN && !r->dry) {
		r->drift_repairs++;
		log_warn("drift what=filter: somebody else changed our table, writing it anew");
		rc = sight_restore_filter(r, false);
	} else {
		differ = observed_take_filter(&r->observed, f.guarded.v, f.guarded.n, f.served.v, f.served.n, f.pinged.v, f.pinged.n);
		r->filter_intact = f.intact;
		retry_done(&r->read_retry);
		if (differ && r->phase == PHASE_RUN) {
			r->drift_repairs += differ;
			log_warn("drift what=filter-sets: %zu entries changed without us, putting them right", differ);
		}
	}
	kernel_filter_fini(&f);
	return rc;
}

bool sight_stale(struct reconcile *r)
{
	struct observed *o = &r->observed;
	struct mono now = pass_now(r);
	struct seen_vs *vs;
	size_t n = 0;

	if ((o->vss_stale || o->addrs_stale || o->filter_stale) && !retry_waits(&r->read_retry, now)) {
		(void)(o->vss_stale ? sight_vss(r) : o->addrs_stale ? sight_addrs(r) : sight_filter(r));
		return true;
	}
	LL_FOREACH2(o->dirty_vss, vs, next_dirty) {
		if (!vs->stale || retry_waits(&vs->retry, now))
			continue;
		if (vs->present && !vs->ours && !vs->unsure)
			vs->stale = false; /* somebody else's: its real servers are nothing to us */
		else
			sight_vs(r, vs);
		if (++n == READS_PER_TURN)
			break;
	}
	return n > 0;
}

/* When the next of its drains is due. */
static struct mono vs_due(const struct seen_vs *vs)
{
	struct mono due = MONO_NEVER;

	for (size_t i = 0; i < vs->n_rs; i++) {
		const struct seen_rs *rs = &vs->rs[i];

		if (!rs->drain.on)
			continue;
		due = mono_min(due, rs->drain.next_check);
		if (!mono_reached(rs->drain.deadline, rs->counted_at)) /* once it was looked at behind its limit, plan has the word */
			due = mono_min(due, rs->drain.deadline);
	}
	return due;
}

static void tell_check(const struct reconcile *r, const struct seen_vs *vs, const struct seen_rs *rs)
{
	const struct drain_sight sight = { .present = true, .active = rs->active, .inactive = rs->inactive, .dumped_at = rs->counted_at };
	char vs_text[VS_TEXT], rs_text[RS_TEXT], age[SPAN_TEXT];
	struct mono now = pass_now(r);

	log_debug("drain verdict=%s vs=%s rs=%s active=%u inactive=%u for=%s", drain_verdict_word(drain_judge(&rs->drain, &sight, now)),
		  vs_format(&vs->key, vs_text), rs_format(&rs->key, rs_text), rs->active, rs->inactive,
		  span_format(now.ms - rs->drain.since.ms, age));
}

/* Told once of each drain. */
static void tell_growth(const struct seen_vs *vs, const struct seen_rs *rs)
{
	char vs_text[VS_TEXT], rs_text[RS_TEXT];

	log_warn("vs=%s rs=%s active=%u: it gets connections although its weight is 0: are the sysctls net.ipv4.vs.conn_reuse_mode, "
		 "expire_nodest_conn and expire_quiescent_template as sluice set them?", vs_format(&vs->key, vs_text),
		 rs_format(&rs->key, rs_text), rs->active);
}

static void after_check(struct reconcile *r, struct seen_vs *vs)
{
	for (size_t i = 0; i < vs->n_rs; i++) {
		struct seen_rs *rs = &vs->rs[i];

		if (!rs->drain.on)
			continue;
		if (rs->drain.grew && !rs->drain.told) {
			rs->drain.told = true;
			tell_growth(vs, rs);
		}
		if (r->journal && rs->drain.checks == 1) {
			struct journal_entry entry = { .kind = JOURNAL_DRAIN, .vs = vs->key, .rs = rs->key, .since = rs->drain.since, .until = rs->drain.limit_at,
						       .uid = rs->uid };

			journal_put(r->journal, &entry);
		}
		if (r->options.verbose)
			tell_check(r, vs, rs);
	}
}

bool sight_drains(struct reconcile *r)
{
	struct mono now = pass_now(r);
	struct seen_vs *vs, *next;
	size_t n = 0;

	DL_FOREACH_SAFE2(r->observed.draining, vs, next, next_draining) {
		int64_t began;

		if (vs->stale || retry_waits(&vs->retry, now) || !mono_reached(vs_due(vs), now))
			continue;
		began = mono_cpu_us();
		sight_vs(r, vs);
		r->check_cost_us = drain_cost(r->check_cost_us, mono_cpu_us() - began);
		sight_remembered(r, vs);
		after_check(r, vs);
		observed_dirty(&r->observed, vs);
		if (++n == READS_PER_TURN)
			break;
	}
	return n > 0;
}

/* The lists, and with them what the rolling part has to read. */
static void audit_begin(struct reconcile *r)
{
	struct mono now = pass_now(r);
	struct seen_vs *vs, *next;

	if (retry_waits(&r->read_retry, now) || sight_vss(r) < 0 || sight_addrs(r) < 0 || sight_filter(r) < 0) {
		r->audit_next = mono_set(r->read_retry.at) ? r->read_retry.at : now;
		return;
	}
	r->audit.n = r->audit_pos = 0;
	HASH_ITER(hh, r->observed.vss, vs, next)
		if (vs->present && vs->ours)
			*vec_push(&r->audit) = vs->key;
	r->audit_began = now;
	r->audit_next = mono_after(now, r->options.sync_period_ms);
}

/* How many of them should have been read by now. */
static size_t audit_quota(const struct reconcile *r, struct mono now)
{
	int64_t share = AUDIT_SHARE(r->options.sync_period_ms), gone = (now.ms - r->audit_began.ms) / AUDIT_STEP_MS * AUDIT_STEP_MS;

	if (share <= 0 || gone >= share)
		return r->audit.n;
	return (size_t)(((int64_t)r->audit.n * gone + share - 1) / share);
}

bool sight_audit(struct reconcile *r)
{
	struct mono now = pass_now(r);
	size_t n = 0;

	if (r->audit_pos < r->audit.n) {
		size_t quota = audit_quota(r, now);

		for (; r->audit_pos < quota && n < READS_PER_TURN; r->audit_pos++, n++) {
			struct seen_vs *vs = observed_vs(&r->observed, &r->audit.v[r->audit_pos]);

			if (vs && vs->present && vs->ours && !vs->stale)
				sight_vs(r, vs);
		}
		if (r->audit_pos == r->audit.n)
			r->audit_done = now;
		if (n)
			return true;
		return false;
	}
	if (!mono_reached(r->audit_next, now))
		return false;
	audit_begin(r);
	if (r->audit.n == 0)
		r->audit_done = now;
	return true;
}

struct mono sight_due(const struct reconcile *r)
{
	struct mono due = mono_min(r->audit_next, sight_flushes_due(r));
	const struct seen_vs *vs;

	if (r->observed.vss_stale || r->observed.addrs_stale || r->observed.filter_stale)
		due = mono_min(due, r->read_retry.at);
	if (r->audit_pos < r->audit.n) {
		int64_t share = AUDIT_SHARE(r->options.sync_period_ms);

		int64_t next_ms = share * (int64_t)r->audit_pos / (int64_t)r->audit.n + 1;

		due = mono_min(due, mono_after(r->audit_began, (next_ms + AUDIT_STEP_MS - 1) / AUDIT_STEP_MS * AUDIT_STEP_MS));
	}
	DL_FOREACH2(r->observed.draining, vs, next_draining)
		due = mono_min(due, retry_waits(&vs->retry, pass_now(r)) ? vs->retry.at : vs_due(vs));
	return due;
}
