/* The order of work: take changes in, compile, read what is doubtful or due, plan, apply. One bounded step a turn.
 * Knows no loop: whoever drives it asks when the next turn is due. */
#include "daemon/pass.h"

#include "base/log.h"

#include <string.h>

struct mono pass_now(const struct reconcile *r)
{
	return r->options.clock(r->options.clock_ctx);
}

int64_t pass_drain_period(const struct reconcile *r)
{
	return drain_period_ms(r->observed.n_draining, r->check_cost_us);
}

struct reconcile *reconcile_new(const struct reconcile_options *options, struct kernel *kernel, struct journal *journal)
{
	struct reconcile *r = xzalloc(sizeof(*r));

	r->options = *options;
	r->kernel = kernel;
	r->journal = journal;
	r->model = model_new();
	r->wanted = wanted_new();
	r->wake = r->audit_next = r->audit_done = r->audit_began = MONO_NEVER;
	r->start_retry.at = r->read_retry.at = MONO_NEVER;
	return r;
}

void reconcile_free(struct reconcile *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < HISTORY; i++)
		free(r->past[i].service);
	observed_fini(&r->observed);
	wanted_free(r->wanted);
	model_free(r->model);
	free(r->plan.ops.v);
	free(r->audit.v);
	free(r);
}

void reconcile_changes(struct reconcile *r, struct change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		model_apply(r->model, &changes[i]);
}

void reconcile_synced(struct reconcile *r, bool partial)
{
	struct seen_vs *vs, *next;
	struct seen_addr *addr, *addr_next;
	bool completed = r->synced && r->partial && !partial;

	if (completed) {
		log_info("all of the first lists could be read now: removals are no longer held back");
		HASH_ITER(hh, r->observed.vss, vs, next)
			observed_dirty(&r->observed, vs);
		HASH_ITER(hh, r->observed.addrs, addr, addr_next)
			observed_dirty_addr(&r->observed, addr);
	}
	if (!r->synced && partial)
		log_warn("part of the first lists could not be read: servers are added, but nothing is taken out of service "
			 "or deleted until all of it can be read");
	r->synced = true;
	r->partial = partial;
	if (completed)
		pass_supersede(r);
}

void reconcile_drift(struct reconcile *r, unsigned areas)
{
	r->observed.addrs_stale = r->observed.addrs_stale || (areas & KERNEL_ADDRS);
	r->observed.filter_stale = r->observed.filter_stale || (areas & KERNEL_FILTER);
}

void pass_past(struct reconcile *r, const struct seen_vs *vs, const struct rs_key *rs, enum drain_outcome outcome,
	       struct mono since, uint32_t cut)
{
	struct past_drain *p = &r->past[r->n_past++ % HISTORY];
	struct mono now = pass_now(r);

	r->outcomes[outcome]++;
	free(p->service);
	*p = (struct past_drain){ vs->key, *rs, xstrdup(vs->service), outcome, now, now.ms - since.ms, cut };
}

static void touched(void *ctx, const struct vs_key *key)
{
	struct reconcile *r = ctx;
	struct seen_vs *vs = observed_vs_get(&r->observed, key);
	const char *service;
	const struct wanted_vs *w = wanted_find(r->wanted, key, &service);

	if (w && (!vs->service || strcmp(vs->service, service) != 0)) {
		free(vs->service);
		vs->service = xstrdup(service);
	}
	if (w && (!vs->policy_known || !drain_policy_equal(&vs->policy, &w->drain))) {
		vs->policy = w->drain;
		vs->policy_known = true;
		if (vs->present && vs->ours)
			pass_journal_vs(r, vs); /* written with the pass that follows */
	}
	if (w && !r->partial)
		observed_supersede(&r->observed, w);
	observed_dirty(&r->observed, vs);
}

static void supersede(void *ctx, const struct wanted_vs *w, const char *service)
{
	(void)service;
	observed_supersede(ctx, w);
}

void pass_supersede(struct reconcile *r)
{
	if (!r->partial)
		wanted_each(r->wanted, supersede, &r->observed);
}

static void conflict(void *ctx, const struct vs_key *key, const char *loser, const char *winner)
{
	char vs[VS_TEXT];

	(void)ctx;
	log_warn("service=%s: %s is claimed by %s too, which has it (the older one has, then the first by name)", loser, vs_format(key, vs), winner);
}

/* True: some were compiled. */
bool reconcile_compile(struct reconcile *r)
{
	const struct node_facts facts = { .node = r->options.node, .sched = r->options.sched, .drain = r->options.drain };
	const struct wanted_listener listener = { r, touched, conflict };
	struct subject *s;
	size_t n = 0;

	while (n < COMPILES_PER_TURN && (s = model_next_dirty(r->model))) {
		wanted_set(r->wanted, s->name, s->service ? s->service->created : CREATED_UNKNOWN, compile(s, &facts), &listener);
		model_forget(r->model, s);
		n++;
	}
	return n > 0;
}

static void foreign(void *ctx, struct seen_vs *vs, const char *service)
{
	char text[VS_TEXT];

	(void)ctx;
	if (vs->reported)
		return;
	vs->reported = true;
	log_warn("service=%s: the virtual server %s is somebody else's and is left alone: delete it (ipvsadm -D) to let sluice serve it",
		 service, vs_format(&vs->key, text));
}

/* Without a journal, what we want and find is ours, until the first lists are complete. */
static void adopt_wanted(struct reconcile *r)
{
	struct seen_vs *vs;

	if (r->journal && !journal_adopting(r->journal))
		return;
	LL_FOREACH2(r->observed.dirty_vss, vs, next_dirty)
		if (vs->present && !vs->ours && r->partial && wanted_find(r->wanted, &vs->key, NULL) &&
		    !cidrs_have(r->options.exclude, &vs->key.ip))
			start_adopt(r, vs);
}

void reconcile_plan(struct reconcile *r)
{
	const struct plan_settings settings = {
		.hold = r->partial,
		.seed = r->options.seed,
		.drain = r->options.drain,
		.address_linger_ms = r->options.address_linger_ms,
	};

	free(r->plan.ops.v);
	r->plan = (struct plan){ .wake = MONO_NEVER };
	adopt_wanted(r);
	plan_make(r->wanted, &r->observed, &settings, pass_now(r), foreign, r, &r->plan);
	r->plan_next = 0;
	r->wake = r->plan.wake;
	r->passes++;
}

static bool planning_due(const struct reconcile *r)
{
	return r->observed.fresh || mono_reached(r->wake, pass_now(r));
}

struct mono reconcile_turn(struct reconcile *r)
{
	struct mono now = pass_now(r);
	bool checked;

	if (!r->synced)
		return MONO_NEVER;
	if (reconcile_compile(r))
		return now;
	if (r->phase != PHASE_RUN)
		return start_step(r) ? now : r->start_retry.at;
	if (r->plan_next < r->plan.ops.n) {
		apply_step(r);
		return now;
	}
	if (r->journal && !r->partial)
		journal_adopted(r->journal);
	if (sight_stale(r)) {
		if (r->unread_drains)
			start_lifetimes(r);
		return now;
	}
	checked = sight_drains(r); /* judged at once, not after all others were read */
	checked = sight_flushes(r) || checked;
	if (planning_due(r)) {
		reconcile_plan(r);
		apply_journal_lifetimes(r);
		return now;
	}
	if (checked || sight_audit(r))
		return now;
	return mono_min(r->wake, sight_due(r));
}
