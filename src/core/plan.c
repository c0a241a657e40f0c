/* What to do about each dirty virtual server and address. Order inside a pass comes from enum op_kind, not from here. */
#include "core/plan.h"

#include <string.h>

struct planner {
	const struct wanted *wanted;
	struct observed *observed;
	const struct plan_settings *set;
	struct mono now;
	plan_foreign_fn *foreign;
	void *ctx;
	struct plan *out;
};

static void wake_at(struct planner *p, struct mono at)
{
	p->out->wake = mono_min(p->out->wake, at);
}

static struct op *emit(struct planner *p, enum op_kind kind, const struct seen_vs *vs, const char *why)
{
	struct op *op = vec_push(&p->out->ops);

	*op = (struct op){ .kind = kind, .vs = vs->key, .why = why };
	return op;
}

static void emit_rs(struct planner *p, enum op_kind kind, const struct seen_vs *vs, const struct rs_key *rs, int32_t weight,
		    const char *why)
{
	struct op *op = emit(p, kind, vs, why);

	op->rs = *rs;
	op->weight = weight;
}

static void emit_addr(struct planner *p, enum op_kind kind, const struct seen_addr *addr)
{
	*vec_push(&p->out->ops) = (struct op){ .kind = kind, .vs.ip = addr->ip };
}

/* A real server that nobody wants: out of service first, gone only when the kernel counts nothing on it. */
static void plan_unwanted(struct planner *p, struct seen_vs *vs, struct seen_rs *rs)
{
	struct drain_sight sight = { .present = true, .active = rs->active, .inactive = rs->inactive, .dumped_at = rs->counted_at };

	if (!vs->policy.drains && !rs->drain.on) {
		emit_rs(p, OP_RS_DEL, vs, &rs->key, 0, "not-drained");
		return;
	}
	if (rs->weight != 0 || rs->missed) {
		emit_rs(p, OP_RS_ZERO, vs, &rs->key, 0, rs->missed ? "missed" : rs->superseded ? "superseded" : NULL);
		return;
	}
	if (!rs->drain.on)
		seen_drain_begin(p->observed, vs, rs, p->now, p->now); /* found at weight 0: its drain goes on from here */
	rs->drain.deadline = mono_min(rs->drain.limit_at, vs->gone_until);
	rs->drain.verdict = rs->superseded ? DRAIN_SUPERSEDE : drain_judge(&rs->drain, &sight, p->now);
	switch (rs->drain.verdict) {
	case DRAIN_DELETE:
		emit_rs(p, OP_RS_DEL, vs, &rs->key, 0, rs->drain.dropped_at_once ? "idle-expired" : "empty");
		break;
	case DRAIN_FORCE:
		emit_rs(p, OP_RS_DEL, vs, &rs->key, 0, seen_rs_limit_is_own(vs, rs) ? "limit" : "service-gone");
		break;
	case DRAIN_SUPERSEDE:
		emit_rs(p, OP_RS_DEL, vs, &rs->key, 0, "superseded");
		break;
	case DRAIN_SETTLE:
	case DRAIN_KEEP:
		wake_at(p, rs->drain.next_check);
		wake_at(p, rs->drain.deadline);
		break;
	case DRAIN_REVIVE:
	case DRAIN_GONE:
		break;
	}
}

static void plan_served(struct planner *p, struct seen_vs *vs, bool wanted)
{
	vs->unserving = !wanted && vs->served && !p->set->hold;
	if (wanted && (!vs->served || !vs->addr->pinged))
		emit(p, OP_SERVE, vs, NULL);
	else if (vs->unserving)
		emit(p, OP_UNSERVE, vs, NULL);
}

struct shuffled {
	uint64_t rank;
	const struct wanted_rs *rs;
};

static int rank_cmp(const void *a, const void *b)
{
	const struct shuffled *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void emit_new(struct planner *p, const struct seen_vs *vs, const struct wanted_rs *rs)
{
	struct op *op = emit(p, OP_RS_ADD, vs, NULL);

	op->rs = rs->key;
	op->weight = 1;
	op->uid = rs->uid;
}

/* New real servers, in an order of this node's own: rr starts at the same server on every node otherwise. */
static void plan_new(struct planner *p, struct seen_vs *vs, const struct wanted_vs *w)
{
	struct shuffled *missing = xreallocarray(NULL, w->n_rs, sizeof(*missing));
	size_t n = 0;

	for (size_t i = 0; i < w->n_rs; i++) {
		const struct rs_key *key = &w->rs[i].key;

		if (vs->present && seen_rs_find(vs, key))
			continue;
		if (observed_flushing(p->observed, vs->key.proto, key)) {
			observed_dirty(p->observed, vs); /* when the old pod's connections are gone */
			wake_at(p, mono_after(p->now, FLUSH_LOOK_MS));
			continue;
		}
		missing[n].rank = hash_bytes(hash_bytes(p->set->seed ^ HASH_START, &vs->key, sizeof(vs->key)), key, sizeof(*key));
		missing[n++].rs = &w->rs[i];
	}
	qsort(missing, n, sizeof(*missing), rank_cmp);
	for (size_t i = 0; i < n; i++)
		emit_new(p, vs, missing[i].rs);
	free(missing);
}

/* Somebody took the virtual server and its address away. Bound again while the key is let in, a port of the node would answer. */
static bool shut_first(const struct seen_vs *vs)
{
	return vs->served && !vs->present && !vs->addr->bound;
}

/* One that is there and wanted. Another pod on its address means that the pod whose connections it has is gone: they end, and it is
 * added anew behind them. A pod that is not known is never another one. */
static void plan_kept(struct planner *p, struct seen_vs *vs, struct seen_rs *rs, uint64_t uid)
{
	if (rs->uid && uid && rs->uid != uid && !p->set->hold)
		seen_rs_supersede(p->observed, vs, rs);
	if (rs->superseded) {
		plan_unwanted(p, vs, rs);
		return;
	}
	rs->uid = uid;
	if (rs->weight != 1 || rs->missed)
		emit_rs(p, OP_RS_RAISE, vs, &rs->key, 1, rs->drain.on ? "undrained" : rs->missed ? "missed" : NULL);
}

/* Will a wanted real server be in service when this pass is over? */
static bool can_serve(const struct planner *p, const struct seen_vs *vs, const struct wanted_vs *w)
{
	for (size_t i = 0; i < w->n_rs; i++) {
		const struct seen_rs *rs = seen_rs_find(vs, &w->rs[i].key);

		/* One that is there stays while connections of its address's last pod go from another virtual server. */
		if (!observed_flushing(p->observed, vs->key.proto, &w->rs[i].key) || (rs && rs->weight > 0 && !rs->superseded))
			return true;
	}
	return false;
}

/* What is wanted, with the scheduler that it has: the one that is wanted is missing, and tried again later. */
static struct vs_attrs attrs_for_now(const struct seen_vs *vs, const struct wanted_vs *w)
{
	struct vs_attrs attrs = w->attrs;

	memcpy(attrs.sched, vs->attrs.sched, sizeof(attrs.sched));
	attrs.flags = (w->attrs.flags & VS_FLAG_PERSISTENT) | sched_flags(attrs.sched);
	return attrs;
}

static void plan_attrs(struct planner *p, struct seen_vs *vs, const struct wanted_vs *w)
{
	struct vs_attrs attrs = w->attrs;

	if (!vs->present) {
		emit(p, OP_VS_ADD, vs, NULL)->attrs = attrs;
		return;
	}
	if (vs_attrs_equal(&vs->attrs, &w->attrs)) {
		retry_done(&vs->attrs_retry);
		return;
	}
	if (retry_waits(&vs->attrs_retry, p->now) && strcmp(vs->no_sched, attrs.sched) == 0) {
		attrs = attrs_for_now(vs, w);
		wake_at(p, vs->attrs_retry.at);
		observed_dirty(p->observed, vs);
	}
	if (!vs_attrs_equal(&vs->attrs, &attrs))
		emit(p, OP_VS_SET, vs, NULL)->attrs = attrs;
}

static void plan_wanted(struct planner *p, struct seen_vs *vs, const struct wanted_vs *w)
{
	vs->policy = w->drain;
	vs->policy_known = true;
	if (shut_first(vs)) {
		vs->unserving = true;
		emit(p, OP_UNSERVE, vs, "gone");
		return;
	}
	plan_attrs(p, vs, w);
	plan_new(p, vs, w);
	for (size_t i = 0; i < vs->n_rs; i++) {
		struct seen_rs *rs = &vs->rs[i];
		const struct wanted_rs *want = wanted_vs_find(w, &rs->key);

		if (want)
			plan_kept(p, vs, rs, want->uid);
		else if (!p->set->hold)
			plan_unwanted(p, vs, rs);
	}
	plan_served(p, vs, can_serve(p, vs, w));
}

static void plan_gone(struct planner *p, struct seen_vs *vs)
{
	if (p->set->hold)
		return;
	if (!vs->policy_known)
		vs->policy = drain_policy(&p->set->drain, &DRAIN_WISH_NONE, vs->key.proto);
	if (!mono_set(vs->gone_since)) {
		vs->gone_since = p->now;
		if (vs->policy.gone_limit_ms != LIMIT_NONE)
			vs->gone_until = mono_after(p->now, vs->policy.gone_limit_ms);
	}
	plan_served(p, vs, false);
	for (size_t i = 0; i < vs->n_rs; i++)
		plan_unwanted(p, vs, &vs->rs[i]);
	if (vs->n_rs == 0)
		emit(p, OP_VS_DEL, vs, NULL);
}

static void plan_vs(struct planner *p, struct seen_vs *vs)
{
	const char *service;
	const struct wanted_vs *w = wanted_find(p->wanted, &vs->key, &service);

	if (w)
		vs->gone_since = vs->gone_until = MONO_NEVER; /* also if it has to wait: it may be gone again before it is planned */
	if (vs->stale || retry_waits(&vs->retry, p->now)) {
		wake_at(p, vs->stale && !mono_set(vs->retry.at) ? p->now : vs->retry.at);
		observed_dirty(p->observed, vs);
		return;
	}
	if (vs->present && !vs->ours) {
		if (w)
			p->foreign(p->ctx, vs, service);
		plan_served(p, vs, vs->addr->guarded); /* the guard of our addresses is not to cut it off */
		return;
	}
	if (w)
		plan_wanted(p, vs, w);
	else if (vs->present)
		plan_gone(p, vs);
	else
		plan_served(p, vs, false);
}

/* Who needs the address to be bound and guarded: also a key that could not be shut yet. A foreign virtual server on it only keeps it as it is. */
static bool addr_needed(const struct planner *p, const struct seen_addr *addr, bool *ret_foreign)
{
	const struct seen_vs *vs;
	bool needed = false;

	*ret_foreign = false;
	DL_FOREACH2(addr->vss, vs, next_on_ip) {
		bool foreign = vs->present && !vs->ours;

		*ret_foreign = *ret_foreign || foreign;
		needed = needed || (vs->present && vs->ours) || (!foreign && (vs->served || wanted_find(p->wanted, &vs->key, NULL)));
	}
	return needed;
}

static void plan_unneeded(struct planner *p, struct seen_addr *addr)
{
	if (addr->bound && addr->ours && !mono_set(addr->linger_until))
		addr->linger_until = mono_after(p->now, p->set->address_linger_ms);
	if (addr->bound && addr->ours && !mono_reached(addr->linger_until, p->now)) {
		wake_at(p, addr->linger_until);
		observed_dirty_addr(p->observed, addr);
		return;
	}
	if (addr->bound && addr->ours)
		emit_addr(p, OP_ADDR_DEL, addr);
	if (addr->guarded)
		emit_addr(p, OP_UNGUARD, addr);
}

/* Is a key let in whose virtual server is not there, or perhaps not? */
static bool addr_open(const struct seen_addr *addr)
{
	const struct seen_vs *vs;

	DL_FOREACH2(addr->vss, vs, next_on_ip)
		if (vs->served && (!vs->present || vs->stale))
			return true;
	return false;
}

static void plan_addr(struct planner *p, struct seen_addr *addr)
{
	bool foreign, needed = addr_needed(p, addr, &foreign);
	struct seen_vs *vs;

	if (retry_waits(&addr->retry, p->now)) {
		wake_at(p, addr->retry.at);
		observed_dirty_addr(p->observed, addr);
		return;
	}
	if (needed) {
		addr->linger_until = MONO_NEVER;
		if (!addr->guarded) {
			emit_addr(p, OP_GUARD, addr);
			DL_FOREACH2(addr->vss, vs, next_on_ip)
				if (vs->present && !vs->ours && !vs->served)
					emit(p, OP_SERVE, vs, "foreign");
		}
		if (!addr->bound && addr_open(addr))
			observed_dirty_addr(p->observed, addr); /* bound behind the reading or shutting that is under way */
		else if (!addr->bound)
			emit_addr(p, OP_ADDR_ADD, addr);
	} else if (!foreign && !p->set->hold) {
		plan_unneeded(p, addr);
	}
}

/* Stable: by kind, and within one kind as planned. */
static void sort_ops(struct plan *plan)
{
	static const enum op_kind order[] = {
#define X(id, order, word) id,
		OP_KINDS(X)
#undef X
	};
	struct op *sorted = xreallocarray(NULL, plan->ops.n, sizeof(*sorted));
	size_t n = 0;

	for (size_t k = 0; k < ARRAY_SIZE(order); k++)
		for (size_t i = 0; i < plan->ops.n; i++)
			if (plan->ops.v[i].kind == order[k])
				sorted[n++] = plan->ops.v[i];
	free(plan->ops.v);
	plan->ops.v = sorted;
	plan->ops.cap = plan->ops.n;
}

void plan_make(const struct wanted *wanted, struct observed *observed, const struct plan_settings *settings, struct mono now,
	       plan_foreign_fn *foreign, void *ctx, struct plan *ret)
{
	struct planner p = { wanted, observed, settings, now, foreign, ctx, ret };
	struct seen_vs *vs = observed->dirty_vss, *next;
	struct seen_addr *addr, *addr_next;
	size_t planned;

	ret->wake = MONO_NEVER;
	observed->dirty_vss = NULL;
	for (; vs; vs = next) {
		next = vs->next_dirty;
		vs->dirty = false;
		planned = ret->ops.n;
		plan_vs(&p, vs);
		if (!vs->dirty && ret->ops.n == planned)
			retry_done(&vs->retry); /* as it should be: whatever failed before is over */
		if (!wanted_find(wanted, &vs->key, NULL))
			observed_forget(observed, vs);
	}
	addr = observed->dirty_addrs;
	observed->dirty_addrs = NULL;
	for (; addr; addr = addr_next) {
		addr_next = addr->next_dirty;
		addr->dirty = false;
		planned = ret->ops.n;
		plan_addr(&p, addr);
		if (!addr->dirty && ret->ops.n == planned)
			retry_done(&addr->retry);
		observed_forget_addr(observed, addr);
	}
	sort_ops(ret);
	observed->fresh = false;
}

/* Weight 0 was acknowledged, and the kernel counted zero twice afterwards or the limit has come. */
static bool may_delete(const struct op *op, const struct seen_vs *vs)
{
	const struct seen_rs *rs = seen_rs_find(vs, &op->rs);

	if (!rs)
		return false;
	if (!vs->policy.drains && !rs->drain.on)
		return true;
	return rs->weight == 0 && rs->drain.on &&
	       (rs->drain.verdict == DRAIN_DELETE || rs->drain.verdict == DRAIN_FORCE || rs->drain.verdict == DRAIN_SUPERSEDE);
}

static bool addr_unused(const struct seen_addr *addr)
{
	const struct seen_vs *vs;

	DL_FOREACH2(addr->vss, vs, next_on_ip)
		if (vs->present)
			return false;
	return true;
}

static bool ready_addr(const struct op *op, const struct seen_addr *addr)
{
	bool bound_by_us = addr->bound && addr->ours;

	if (op->kind == OP_GUARD)
		return !addr->guarded;
	if (op->kind == OP_ADDR_ADD)
		return addr->guarded && !addr->bound && !addr_open(addr);
	if (op->kind == OP_ADDR_DEL)
		return bound_by_us && addr_unused(addr);
	return op->kind == OP_UNGUARD && addr->guarded && !bound_by_us;
}

static bool ready_vs(const struct op *op, const struct seen_vs *vs)
{
	bool mine = vs->present && vs->ours;

	switch (op->kind) {
	case OP_VS_ADD:
		return vs->addr->guarded && vs->addr->bound && !vs->present;
	case OP_SERVE:
		return vs->addr->guarded && (!vs->served || !vs->addr->pinged) && vs->present && (!vs->ours || seen_vs_can_serve(vs));
	case OP_UNSERVE:
		return vs->served;
	case OP_VS_SET:
	case OP_RS_ADD:
	case OP_RS_RAISE:
	case OP_RS_ZERO:
		return mine;
	case OP_RS_DEL:
		return mine && may_delete(op, vs);
	case OP_VS_DEL:
		return mine && vs->n_rs == 0 && !vs->served;
	case OP_GUARD:
	case OP_ADDR_ADD:
	case OP_ADDR_DEL:
	case OP_UNGUARD:
		break;
	}
	return false;
}

bool plan_ready(const struct op *op, struct observed *observed)
{
	const struct seen_addr *addr;
	const struct seen_vs *vs;

	if (op->vs.port) {
		vs = observed_vs(observed, &op->vs);
		return vs && !vs->stale && ready_vs(op, vs);
	}
	addr = observed_addr(observed, &op->vs.ip);
	if (op->kind == OP_UNGUARD && observed->addrs_stale)
		return false; /* it may be bound after all */
	return addr && ready_addr(op, addr);
}

bool plan_last_on_ip(const struct op *op, struct observed *observed)
{
	const struct seen_vs *vs = observed_vs(observed, &op->vs), *other;

	if (!vs)
		return false;
	DL_FOREACH2(vs->addr->vss, other, next_on_ip)
		if (other != vs && other->served && !other->unserving)
			return false;
	return true;
}
