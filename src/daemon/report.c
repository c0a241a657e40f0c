/* The reconciler's state as a view: what status, drains and JSON are made of. */
#include "daemon/pass.h"

#include "base/text.h"

#include <string.h>

static const char *keep(struct view *view, const char *s)
{
	return arena_strdup(view->arena, s ? s : "");
}

static const char *vs_state(const struct reconcile *r, const struct seen_vs *vs, const struct wanted_vs *w)
{
	if (vs->present && !vs->ours)
		return "foreign";
	if (w && vs->present && vs->served)
		return "serving";
	if (w && w->n_rs == 0)
		return "refusing";
	if (w)
		return "pending";
	return r->partial ? "held" : "draining";
}

static void add_rs(struct view_vs *out, const struct seen_rs *rs, const struct wanted_vs *w)
{
	struct view_rs *v = &out->rs[out->n_rs++];

	*v = (struct view_rs){ rs->key, rs->weight, rs->active, rs->inactive, w && wanted_vs_find(w, &rs->key), rs->drain.on };
}

static int view_vs_cmp(const void *a, const void *b)
{
	return vs_cmp(&((const struct view_vs *)a)->key, &((const struct view_vs *)b)->key);
}

static void add_vss(const struct reconcile *r, struct view *view)
{
	struct seen_vs *vs, *next;

	view->vss = arena_alloc(view->arena, HASH_COUNT(r->observed.vss) * sizeof(*view->vss));
	HASH_ITER(hh, r->observed.vss, vs, next) {
		const char *service = vs->service;
		const struct wanted_vs *w = wanted_find(r->wanted, &vs->key, &service);
		struct view_vs *out;

		if (!w && !(vs->present && vs->ours))
			continue;
		out = &view->vss[view->n_vss++];
		*out = (struct view_vs){
			.key = vs->key,
			.attrs = vs->present ? vs->attrs : w->attrs,
			.service = keep(view, service),
			.port_name = keep(view, w ? w->port_name : ""),
			.state = vs_state(r, vs, w),
			.rs = arena_alloc(view->arena, vs->n_rs * sizeof(*out->rs)),
		};
		for (size_t i = 0; i < vs->n_rs; i++)
			add_rs(out, &vs->rs[i], w);
	}
	if (view->n_vss)
		qsort(view->vss, view->n_vss, sizeof(*view->vss), view_vs_cmp);
}

static void add_drains(const struct reconcile *r, struct view *view, struct mono now)
{
	const struct seen_vs *vs;
	size_t n = 0;

	DL_FOREACH2(r->observed.draining, vs, next_draining)
		n += vs->n_draining;
	view->drains = arena_alloc(view->arena, n * sizeof(*view->drains));
	DL_FOREACH2(r->observed.draining, vs, next_draining)
		for (size_t i = 0; i < vs->n_rs; i++) {
			const struct seen_rs *rs = &vs->rs[i];
			const struct drain *d = &rs->drain;

			if (!d->on)
				continue;
			view->drains[view->n_drains++] = (struct view_drain){
				.vs = vs->key, .rs = rs->key, .service = keep(view, vs->service),
				.age_ms = now.ms - d->since.ms,
				.active_start = d->counted ? d->active_start : rs->active,
				.inactive_start = d->counted ? d->inactive_start : rs->inactive,
				.active = rs->active, .inactive = rs->inactive,
				.limit_left_ms = mono_set(d->deadline) ? d->deadline.ms - now.ms : -1,
				.period_ms = pass_drain_period(r),
				.verdict = drain_verdict_word(d->verdict),
			};
		}
}

static void add_outcomes(const struct reconcile *r, struct view *view, struct mono now)
{
	size_t n = r->n_past < HISTORY ? r->n_past : HISTORY;

	view->outcomes = arena_alloc(view->arena, n * sizeof(*view->outcomes));
	for (size_t i = 0; i < n; i++) {
		const struct past_drain *p = &r->past[(r->n_past - 1 - i) % HISTORY];

		view->outcomes[view->n_outcomes++] = (struct view_outcome){
			p->vs, p->rs, keep(view, p->service), drain_outcome_word(p->outcome), now.ms - p->ended.ms, p->took_ms, p->cut,
		};
	}
}

struct problems {
	struct view *view;
	VEC(struct view_problem) list;
};

static void add_problem(struct problems *p, const char *object, char *text)
{
	*vec_push(&p->list) = (struct view_problem){ keep(p->view, object), keep(p->view, text) };
	free(text);
}

static void add_conflict(void *ctx, const struct vs_key *key, const char *loser, const char *winner)
{
	char vs[VS_TEXT];

	add_problem(ctx, loser, xfmt("%s is claimed by %s too, which has it (the older one has, then the first by name)", vs_format(key, vs), winner));
}

static void add_problems(const struct reconcile *r, struct view *view, struct mono now)
{
	struct problems p = { .view = view };
	struct seen_vs *vs, *next;
	char text[VS_TEXT], span[SPAN_TEXT];

	wanted_each_conflict(r->wanted, add_conflict, &p);
	HASH_ITER(hh, r->observed.vss, vs, next) {
		const char *service;

		if (!wanted_find(r->wanted, &vs->key, &service))
			continue;
		if (vs->present && !vs->ours)
			add_problem(&p, service, xfmt("the virtual server %s is somebody else's and is left alone", vs_format(&vs->key, text)));
		else if (vs->attrs_retry.tries)
			add_problem(&p, service, xfmt("%s: this kernel has no scheduler %s; it goes on with %s", vs_format(&vs->key, text),
						      wanted_find(r->wanted, &vs->key, NULL)->attrs.sched, vs->attrs.sched));
		else if (vs->retry.tries)
			add_problem(&p, service, xfmt("%s: %u kernel operations failed in a row, trying again in %s", vs_format(&vs->key, text),
						      vs->retry.tries, span_format(vs->retry.at.ms > now.ms ? vs->retry.at.ms - now.ms : 0, span)));
	}
	view->problems = arena_alloc(view->arena, p.list.n * sizeof(*view->problems));
	if (p.list.n)
		memcpy(view->problems, p.list.v, p.list.n * sizeof(*view->problems));
	view->n_problems = p.list.n;
	free(p.list.v);
}

static int view_addr_cmp(const void *a, const void *b)
{
	return ip_cmp(&((const struct view_address *)a)->ip, &((const struct view_address *)b)->ip);
}

static void add_addresses(const struct reconcile *r, struct view *view, struct mono now)
{
	struct seen_addr *a, *next;

	view->addresses = arena_alloc(view->arena, HASH_COUNT(r->observed.addrs) * sizeof(*view->addresses));
	HASH_ITER(hh, r->observed.addrs, a, next) {
		if (!a->bound && !a->guarded)
			continue;
		view->addresses[view->n_addresses++] = (struct view_address){
			a->ip, a->bound, a->guarded, mono_set(a->linger_until) ? a->linger_until.ms - now.ms : -1,
		};
	}
	if (view->n_addresses)
		qsort(view->addresses, view->n_addresses, sizeof(*view->addresses), view_addr_cmp);
}

struct view *reconcile_view(const struct reconcile *r, const struct view_ask *ask)
{
	struct arena *arena = arena_new();
	struct view *view = arena_alloc(arena, sizeof(*view));
	struct mono now = pass_now(r);

	view->arena = arena;
	view->synced = r->synced;
	view->partial = r->partial;
	view->passes = r->passes;
	view->ops = r->ops;
	view->op_failures = r->op_failures;
	view->drift_repairs = r->drift_repairs;
	view->audit_age_ms = mono_set(r->audit_done) ? now.ms - r->audit_done.ms : -1;
	add_vss(r, view);
	add_drains(r, view, now);
	if (ask && ask->holders)
		sight_holders(r, view, ask);
	memcpy(view->outcome_counts, r->outcomes, sizeof(view->outcome_counts));
	add_outcomes(r, view, now);
	add_problems(r, view, now);
	add_addresses(r, view, now);
	return view;
}
