/* What conntrack is asked: which connections are over and only remembered, whether those of a deleted server are gone, and who
 * holds a drain. Each question makes the kernel walk its table, so it is put only where something depends on it. */
#include "daemon/pass.h"

#include "base/log.h"

#include <errno.h>
#include <string.h>

#define FLUSH_BLIND_MS 1000 /* where conntrack cannot be asked: the kernel needs some ms (measured) */
#define FLUSH_MAX_MS 10000
#define DRAINS_ASKED 32     /* for their holders, in one answer */
#define ASKING_MS 500       /* all of them together */
#define FLOWS_LOOKED_AT 5000 /* of one drain, to find those that hold it longest */

static int ask(const struct reconcile *r, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret)
{
	struct err err;

	return r->kernel->v->list_flows(r->kernel, vs, rs, max, ret, &err);
}

static uint32_t all_of(const struct kernel_flows *flows)
{
	uint32_t n = 0;

	for (int state = 0; state < FLOW_STATES; state++)
		n += flows->n[state];
	return n;
}

/* ---- connections that are only remembered ---- */

/* How many; 0 while any other is left, and when nobody can tell. */
static uint32_t remembered(const struct reconcile *r, const struct seen_vs *vs, const struct seen_rs *rs)
{
	CLEANUP(kernel_flows_fini) struct kernel_flows flows = { 0 };
	uint32_t over;

	if (ask(r, &vs->key, &rs->key, 0, &flows) < 0)
		return 0;
	over = flows.n[FLOW_TIME_WAIT] + flows.n[FLOW_CLOSE];
	return over == all_of(&flows) ? over : 0;
}

/* A question costs some milliseconds, so it has a share of the processor of its own, as large as that of all checks. Only the second of a
 * row, which ends a drain, is not put off. */
static void ask_of(struct reconcile *r, const struct seen_vs *vs, struct seen_rs *rs)
{
	struct mono now = pass_now(r);
	int64_t began = mono_cpu_us();

	if (rs->active || !rs->inactive || (!mono_set(rs->drain.zero_before) && !mono_reached(rs->drain.next_ask, now)))
		return;
	if (remembered(r, vs, rs) >= rs->inactive)
		drain_over(&rs->drain, rs->counted_at, pass_drain_period(r));
	r->ask_cost_us = drain_cost(r->ask_cost_us, mono_cpu_us() - began);
	rs->drain.next_ask = mono_after(now, drain_period_ms(r->observed.n_draining, r->ask_cost_us));
}

void sight_remembered(struct reconcile *r, struct seen_vs *vs)
{
	for (size_t i = 0; vs->policy.ignore_time_wait && i < vs->n_rs; i++)
		if (vs->rs[i].drain.on && vs->rs[i].counted_at.ms > vs->rs[i].drain.zeroed_at.ms)
			ask_of(r, vs, &vs->rs[i]);
}

/* ---- another pod on the address ---- */

/* Did the server go in another way than by our delete, or is it to stay after all? True: nothing is to be waited for. */
static bool is_void(struct reconcile *r, struct flush *flush, struct mono now)
{
	struct seen_vs *vs = observed_vs(&r->observed, &flush->vs);
	const struct seen_rs *rs = vs && vs->present ? seen_rs_find(vs, &flush->rs) : NULL;

	if (flush->deleted)
		return false;
	if (!rs) {
		flush->deleted = true;
		flush->since = flush->next = now;
	}
	return rs && !rs->superseded;
}

static bool is_over(struct reconcile *r, struct flush *flush, struct mono now)
{
	CLEANUP(kernel_flows_fini) struct kernel_flows flows = { 0 };
	char vs[VS_TEXT], rs[RS_TEXT];
	int code = ask(r, &flush->vs, &flush->rs, 0, &flows);
	int64_t waited = now.ms - flush->since.ms;

	if (code == 0 && all_of(&flows) == 0)
		return true;
	if (code == -EOPNOTSUPP)
		return waited >= FLUSH_BLIND_MS;
	if (waited < FLUSH_MAX_MS)
		return false;
	log_warn("vs=%s rs=%s: connections of the pod that had this address are still in the kernel's table after 10s, is "
		 "net.ipv4.vs.expire_nodest_conn 1? The new pod is added nevertheless", vs_format(&flush->vs, vs), rs_format(&flush->rs, rs));
	return true;
}

bool sight_flushes(struct reconcile *r)
{
	struct mono now = pass_now(r);
	bool ended = false;

	for (size_t i = r->observed.flushes.n; i-- > 0;) {
		struct flush *flush = &r->observed.flushes.v[i];
		bool done = is_void(r, flush, now);

		if (!done && (!flush->deleted || !mono_reached(flush->next, now)))
			continue;
		if (!done && !is_over(r, flush, now)) {
			flush->next = mono_after(now, FLUSH_LOOK_MS);
			continue;
		}
		*flush = r->observed.flushes.v[--r->observed.flushes.n];
		ended = true;
	}
	return ended;
}

struct mono sight_flushes_due(const struct reconcile *r)
{
	struct mono due = MONO_NEVER;

	for (size_t i = 0; i < r->observed.flushes.n; i++)
		due = mono_min(due, r->observed.flushes.v[i].next);
	return due;
}

/* ---- who holds a drain ---- */

static int longest_first(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	return (y->left_s > x->left_s) - (y->left_s < x->left_s);
}

void sight_holders(const struct reconcile *r, struct view *view, const struct view_ask *question)
{
	int64_t began_us = mono_cost_us();
	size_t asked = 0;

	for (size_t i = 0; i < view->n_drains && asked < DRAINS_ASKED && mono_cost_us() - began_us < ASKING_MS * 1000; i++) {
		CLEANUP(kernel_flows_fini) struct kernel_flows flows = { 0 };
		struct view_drain *drain = &view->drains[i];

		if (question->service && strcmp(drain->service, question->service) != 0)
			continue;
		asked++;
		if (ask(r, &drain->vs, &drain->rs, FLOWS_LOOKED_AT, &flows) < 0)
			continue;
		drain->asked = true;
		memcpy(drain->by_state, flows.n, sizeof(drain->by_state));
		if (!flows.rows.n)
			continue;
		qsort(flows.rows.v, flows.rows.n, sizeof(*flows.rows.v), longest_first);
		drain->n_holders = flows.rows.n < question->holders ? flows.rows.n : question->holders;
		drain->holders = arena_alloc(view->arena, drain->n_holders * sizeof(*drain->holders));
		memcpy(drain->holders, flows.rows.v, drain->n_holders * sizeof(*drain->holders));
	}
}
