/* What each answer of the kernel means for what we know. The codes are those measured on real kernels. */
#include "core/settle.h"

#include <errno.h>
#include <string.h>

/* ESRCH: the virtual server itself seems to be gone. A read settles it, and says which drains were lost with it. */
static void look(struct observed *o, struct seen_vs *vs)
{
	vs->stale = true;
	observed_dirty(o, vs);
}

static void vs_deleted(struct observed *o, struct seen_vs *vs)
{
	vs->present = vs->ours = vs->known = false;
	seen_rs_clear(o, vs);
	observed_dirty(o, vs);
}

/* Nobody knows, or it did not work: read it, then try again. Neighbours are not touched. */
static void doubt(struct observed *o, struct seen_vs *vs, struct mono now)
{
	vs->stale = true;
	if (!retry_waits(&vs->retry, now)) /* many operations of one pass may fail: that is one failure */
		retry_later(&vs->retry, now);
	observed_dirty(o, vs);
}

static void end_drain(struct observed *o, struct seen_vs *vs, struct seen_rs *rs, enum drain_outcome outcome, struct settled *ret)
{
	ret->drain_ended = rs->drain.on;
	ret->outcome = outcome;
	ret->since = rs->drain.since;
	seen_drain_end(o, vs, rs);
}

static enum drain_outcome delete_outcome(const struct seen_vs *vs, const struct seen_rs *rs)
{
	if (rs->drain.verdict == DRAIN_SUPERSEDE)
		return OUTCOME_SUPERSEDED;
	if (rs->drain.verdict == DRAIN_FORCE)
		return seen_rs_limit_is_own(vs, rs) ? OUTCOME_LIMIT : OUTCOME_SERVICE_GONE;
	return rs->drain.dropped_at_once ? OUTCOME_IDLE_EXPIRED : OUTCOME_EMPTY;
}

static void settle_vs(struct observed *o, struct seen_vs *vs, const struct op *op, int code, struct mono now, struct settled *ret)
{
	bool add = op->kind == OP_VS_ADD;

	if (op->kind == OP_VS_DEL) {
		ret->done = code == 0 || code == -ESRCH || code == -ENOENT;
		if (ret->done)
			vs_deleted(o, vs);
		else
			doubt(o, vs, now);
		return;
	}
	ret->done = code == 0;
	if (code == 0) {
		vs->attrs = op->attrs; /* attrs_retry goes on: it may be for another scheduler */
		if (add) {
			vs->present = vs->ours = vs->known = true;
			vs->unsure = false;
		}
		return;
	}
	if (!add && code == -ESRCH) {
		look(o, vs);
		return;
	}
	if (!add && code == -ENOENT) { /* it keeps the scheduler that it has, and works */
		if (strcmp(vs->no_sched, op->attrs.sched) != 0)
			vs->attrs_retry.tries = 0;
		memcpy(vs->no_sched, op->attrs.sched, sizeof(vs->no_sched));
		retry_later(&vs->attrs_retry, now);
		observed_dirty(o, vs);
		return;
	}
	ret->foreign = add && code == -EEXIST && !vs->unsure;
	vs->unsure = add && (vs->unsure || code == -ETIMEDOUT);
	o->vss_stale = o->vss_stale || code == -EEXIST || code == -ETIMEDOUT;
	doubt(o, vs, now);
}

static void settle_rs_add(struct observed *o, struct seen_vs *vs, const struct op *op, int code, struct mono now,
			  struct settled *ret)
{
	ret->done = code == 0;
	if (code == 0) {
		struct seen_rs *rs = seen_rs_insert(vs, &op->rs);

		rs->weight = op->weight;
		rs->uid = op->uid;
	} else if (code == -ESRCH)
		look(o, vs);
	else
		doubt(o, vs, now);
}

static void set_weight(struct observed *o, struct seen_vs *vs, struct seen_rs *rs, const struct op *op, struct mono now,
		       struct settled *ret)
{
	rs->weight = op->weight;
	rs->missed = false;
	if (op->kind == OP_RS_ZERO && rs->drain.on) {
		drain_again(&rs->drain, now); /* dumps had skipped it, and nobody knows what its weight was meanwhile */
	} else if (op->kind == OP_RS_ZERO) {
		seen_drain_begin(o, vs, rs, now, now);
		ret->drain_began = true;
	} else {
		end_drain(o, vs, rs, OUTCOME_UNDRAINED, ret);
	}
	observed_dirty(o, vs);
}

/* Operations on a real server that is there as far as we know. */
static void settle_rs(struct observed *o, struct seen_vs *vs, const struct op *op, int code, struct mono now, struct settled *ret)
{
	struct seen_rs *rs = seen_rs_find(vs, &op->rs);
	bool del = op->kind == OP_RS_DEL;

	if (rs) {
		ret->active = rs->active;
		ret->inactive = rs->inactive;
	}
	ret->done = code == 0 || code == -ENOENT || code == -ESRCH;
	if (!ret->done || (!rs && code == 0)) {
		if (rs && rs->drain.on && op->kind == OP_RS_RAISE)
			drain_again(&rs->drain, now); /* perhaps raised: it may have been given clients */
		doubt(o, vs, now);
		return;
	}
	if (code == 0 && !del) {
		set_weight(o, vs, rs, op, now, ret);
		return;
	}
	if (rs) {
		end_drain(o, vs, rs, code == 0 ? delete_outcome(vs, rs) : OUTCOME_LOST, ret);
		if (rs->drain.verdict == DRAIN_DELETE)
			ret->active = ret->inactive = 0; /* what was left is over */
		if (rs->superseded || (ret->drain_ended && mono_reached(rs->drain.deadline, now)))
			observed_flush_begins(o, vs, &rs->key, now);
		seen_rs_remove(o, vs, rs);
	}
	if (code == -ESRCH || op->kind == OP_RS_RAISE)
		look(o, vs); /* not raised: the rest of the pass, which zeroes others, rested on that */
	observed_dirty(o, vs);
}

static void settle_served(struct observed *o, struct seen_vs *vs, const struct op *op, int code, struct mono now,
			  struct settled *ret)
{
	ret->done = code == 0;
	if (code < 0) {
		o->filter_stale = true;
		retry_later(&vs->retry, now);
		observed_dirty(o, vs);
		return;
	}
	vs->served = op->kind == OP_SERVE;
	if (vs->served)
		vs->addr->pinged = true;
	else if (op->last_on_ip)
		vs->addr->pinged = false;
	if (!vs->served)
		observed_dirty(o, vs);
}

static void settle_addr(struct observed *o, struct seen_addr *addr, const struct op *op, int code, struct mono now,
			struct settled *ret)
{
	bool bind = op->kind == OP_ADDR_ADD || op->kind == OP_ADDR_DEL;

	ret->done = code == 0 || (op->kind == OP_ADDR_ADD && code == -EEXIST) || (op->kind == OP_ADDR_DEL && code == -EADDRNOTAVAIL);
	if (!ret->done) {
		o->addrs_stale = o->addrs_stale || bind;
		o->filter_stale = o->filter_stale || !bind;
		addr->ours = addr->ours || (op->kind == OP_ADDR_ADD && code == -ETIMEDOUT); /* if it is there now, it is */
		if (!retry_waits(&addr->retry, now))
			retry_later(&addr->retry, now);
		observed_dirty_addr(o, addr);
		return;
	}
	if (op->kind == OP_ADDR_ADD)
		addr->bound = addr->ours = true;
	else if (op->kind == OP_ADDR_DEL)
		addr->bound = addr->ours = false;
	else
		addr->guarded = op->kind == OP_GUARD;
	if (op->kind == OP_ADDR_DEL || op->kind == OP_UNGUARD)
		addr->linger_until = MONO_NEVER;
	retry_done(&addr->retry);
	if (op->kind == OP_UNGUARD)
		observed_dirty_addr(o, addr);
}

static void settle_any_vs(struct observed *o, struct seen_vs *vs, const struct op *op, int code, struct mono now, struct settled *ret)
{
	switch (op->kind) {
	case OP_VS_ADD:
	case OP_VS_SET:
	case OP_VS_DEL:
		settle_vs(o, vs, op, code, now, ret);
		break;
	case OP_RS_ADD:
		settle_rs_add(o, vs, op, code, now, ret);
		break;
	case OP_RS_RAISE:
	case OP_RS_ZERO:
	case OP_RS_DEL:
		settle_rs(o, vs, op, code, now, ret);
		break;
	case OP_SERVE:
	case OP_UNSERVE:
		settle_served(o, vs, op, code, now, ret);
		break;
	case OP_GUARD:
	case OP_UNGUARD:
	case OP_ADDR_ADD:
	case OP_ADDR_DEL:
		break;
	}
	if (ret->done && !vs->stale)
		retry_done(&vs->retry);
}

struct settled settle(struct observed *o, const struct op *op, struct op_result result, struct mono now)
{
	struct settled ret = { .outcome = OUTCOMES };
	struct seen_addr *addr;
	struct seen_vs *vs;

	if (op->vs.port) {
		vs = observed_vs(o, &op->vs);
		if (vs)
			settle_any_vs(o, vs, op, result.code, now, &ret);
	} else {
		addr = observed_addr(o, &op->vs.ip);
		if (addr)
			settle_addr(o, addr, op, result.code, now, &ret);
	}
	return ret;
}
