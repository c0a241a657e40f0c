/* Sends the operations of a pass, one kind at a time, and takes the answers. Journal ahead, log behind. */
#include "daemon/pass.h"

#include "base/log.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An operation that cannot be sent now: an earlier one, on which it rests, failed. Its object is planned again later. */
static void leave_out(struct reconcile *r, const struct op *op)
{
	struct seen_vs *vs = op->vs.port ? observed_vs(&r->observed, &op->vs) : NULL;
	struct seen_addr *addr = observed_addr(&r->observed, &op->vs.ip);

	/* All that rested on one failure waits once, however many operations that were. */
	if (vs) {
		if (!vs->stale && !retry_waits(&vs->retry, pass_now(r)))
			retry_later(&vs->retry, pass_now(r));
		observed_dirty(&r->observed, vs);
	} else if (!op->vs.port && addr) {
		if (!retry_waits(&addr->retry, pass_now(r)))
			retry_later(&addr->retry, pass_now(r));
		observed_dirty_addr(&r->observed, addr);
	}
}

static bool creates(const struct op *op)
{
	return op->kind == OP_VS_ADD || op->kind == OP_ADDR_ADD;
}

static struct journal_entry entry_of(const struct op *op, enum journal_kind kind)
{
	return (struct journal_entry){ .kind = kind, .vs = op->vs, .rs = op->rs, .since = MONO_NEVER, .until = MONO_NEVER };
}

void pass_journal_vs(struct reconcile *r, struct seen_vs *vs)
{
	struct journal_entry e = { .kind = JOURNAL_VS, .vs = vs->key, .policy_known = vs->policy_known, .policy = vs->policy };

	if (!r->journal)
		return;
	if (vs->service)
		(void)snprintf(e.service, sizeof(e.service), "%s", vs->service);
	journal_put(r->journal, &e);
}

static void announce(struct reconcile *r, const struct op *op)
{
	struct journal_entry e = entry_of(op, JOURNAL_ADDR);
	struct seen_vs *vs = op->kind == OP_VS_ADD ? observed_vs(&r->observed, &op->vs) : NULL;

	if (vs)
		pass_journal_vs(r, vs);
	else
		journal_put(r->journal, &e);
}

/* False: it could not be written, so nothing may be created now. */
static bool write_journal(struct reconcile *r)
{
	struct err err = { 0 };

	if (!r->journal || journal_write(r->journal, &err) == 0)
		return true;
	log_error("%s: what it names is not created before it is written, retrying", err.text);
	return false;
}

static void drop(struct reconcile *r, const struct op *op, enum journal_kind kind)
{
	struct journal_entry e = entry_of(op, kind);

	if (r->journal)
		journal_drop(r->journal, &e);
}

static void forget_done(struct reconcile *r, const struct op *op, const struct settled *s)
{
	if (s->foreign)
		drop(r, op, JOURNAL_VS);
	if (s->drain_ended)
		drop(r, op, JOURNAL_DRAIN);
	if (!s->done)
		return;
	if (op->kind == OP_VS_DEL) {
		drop(r, op, JOURNAL_VS);
		drop(r, op, JOURNAL_GONE);
	} else if (op->kind == OP_ADDR_DEL) {
		drop(r, op, JOURNAL_ADDR);
		drop(r, op, JOURNAL_LINGER);
	}
}

static void describe(const struct reconcile *r, const struct op *op, struct text *to)
{
	struct seen_vs *vs = op->vs.port ? observed_vs((struct observed *)&r->observed, &op->vs) : NULL;
	char text[VS_TEXT];

	text_add(to, "%s", op_word(op->kind));
	if (!op->vs.port)
		text_add(to, " address=%s", ip_format(&op->vs.ip, text));
	else
		text_add(to, " vs=%s", vs_format(&op->vs, text));
	if (op->rs.port)
		text_add(to, " rs=%s", rs_format(&op->rs, text));
	if (op->kind == OP_VS_ADD || op->kind == OP_VS_SET)
		text_add(to, " scheduler=%s", op->attrs.sched);
	if ((op->kind == OP_VS_ADD || op->kind == OP_VS_SET) && op->attrs.timeout_s)
		text_add(to, " persistence=%us", op->attrs.timeout_s);
	if (op->kind == OP_RS_ADD || op->kind == OP_RS_RAISE)
		text_add(to, " weight=%d", op->weight);
	if (vs && vs->service)
		text_add(to, " service=%s", vs->service);
}

static void tell_done(const struct op *op, const struct settled *s, const char *text, struct mono now)
{
	char took[SPAN_TEXT];

	if (op->kind == OP_RS_DEL && s->drain_ended)
		log_info("%s outcome=%s after=%s cut=%u", text, drain_outcome_word(s->outcome), span_format(now.ms - s->since.ms, took),
			 s->active + s->inactive);
	else if (s->drain_ended)
		log_info("%s outcome=%s after=%s", text, drain_outcome_word(s->outcome), span_format(now.ms - s->since.ms, took));
	else if (op->kind == OP_RS_ZERO)
		log_info("%s: draining", text);
	else
		log_info("%s%s%s", text, op->why ? " why=" : "", op->why ? op->why : "");
}

static bool lacks_sched(const struct op *op, int code)
{
	return code == -ENOENT && (op->kind == OP_VS_ADD || op->kind == OP_VS_SET);
}

static const char *reason(const struct op *op, int code)
{
	if (code == -ETIMEDOUT)
		return "no answer from the kernel";
	if (code == -ESRCH)
		return "its virtual server is gone";
	if (code == -EADDRINUSE)
		return "it is on another dummy device, where ports of this node would be open: delete it there (ip addr del)";
	return lacks_sched(op, code) ? "this kernel has no such scheduler" : strerror(-code);
}

/* A scheduler that is missing stays missing until somebody does something about it: said once. */
static void tell_failed(const struct seen_vs *vs, const struct op *op, int code, const char *text)
{
	bool no_sched = lacks_sched(op, code);

	if (no_sched && vs && vs->retry.tries + vs->attrs_retry.tries > 1)
		log_debug("%s: %s, retrying", text, reason(op, code));
	else
		log_warn("%s: %s, retrying%s", text, reason(op, code), no_sched ? " (module ip_vs_ and its name)" : "");
}

static void take_result(struct reconcile *r, const struct op *op, struct op_result result)
{
	struct mono now = pass_now(r);
	struct text text = { 0 };
	struct settled s;
	struct seen_vs *vs;

	describe(r, op, &text); /* before: the entry may be gone behind */
	s = settle(&r->observed, op, result, now);
	vs = op->vs.port ? observed_vs(&r->observed, &op->vs) : NULL;
	r->ops++;
	if (result.code == -ENOENT && (op->kind == OP_RS_RAISE || op->kind == OP_RS_ZERO)) {
		r->drift_repairs++;
		log_warn("drift what=rs-gone %s: somebody else deleted it, putting it right", text_str(&text));
	} else if (s.done && result.code < 0) {
		log_info("%s: was so already", text_str(&text));
	} else if (s.done) {
		tell_done(op, &s, text_str(&text), now);
	} else {
		r->op_failures++;
		if (!s.foreign)
			tell_failed(vs, op, result.code, text_str(&text));
	}
	if (s.drain_ended && vs)
		pass_past(r, vs, &op->rs, s.outcome, s.since, op->kind == OP_RS_DEL ? s.active + s.inactive : 0);
	forget_done(r, op, &s);
	text_fini(&text);
}

/* Will connections end by this? */
static bool cuts(const struct reconcile *r, const struct op *op)
{
	const struct seen_vs *vs = op->kind == OP_RS_DEL ? observed_vs((struct observed *)&r->observed, &op->vs) : NULL;
	const struct seen_rs *rs = vs ? seen_rs_find(vs, &op->rs) : NULL;

	return rs && (!rs->drain.on || rs->drain.verdict != DRAIN_DELETE || rs->inactive);
}

void apply_step(struct reconcile *r)
{
	struct op *ops = r->plan.ops.v, chunk[KERNEL_OPS_MAX];
	struct op_result results[KERNEL_OPS_MAX];
	enum op_kind kind = ops[r->plan_next].kind;
	bool cut = false;
	size_t n = 0;

	for (; r->plan_next < r->plan.ops.n && ops[r->plan_next].kind == kind && n < KERNEL_OPS_MAX; r->plan_next++) {
		if (!plan_ready(&ops[r->plan_next], &r->observed)) {
			leave_out(r, &ops[r->plan_next]);
			continue;
		}
		chunk[n++] = ops[r->plan_next];
		if (kind == OP_UNSERVE)
			chunk[n - 1].last_on_ip = plan_last_on_ip(&chunk[n - 1], &r->observed);
		if (creates(&chunk[n - 1]) && r->journal)
			announce(r, &chunk[n - 1]);
		cut = cut || cuts(r, &chunk[n - 1]);
	}
	if (!n)
		return;
	if (cut && r->options.before_cut)
		r->options.before_cut(r->options.before_cut_ctx);
	if (!write_journal(r) && creates(&chunk[0])) {
		for (size_t i = 0; i < n; i++)
			leave_out(r, &chunk[i]);
		return;
	}
	memset(results, 0, n * sizeof(*results));
	r->kernel->v->apply(r->kernel, chunk, n, results);
	for (size_t i = 0; i < n; i++)
		take_result(r, &chunk[i], results[i]);
	(void)write_journal(r);
}

static void journal_gone(struct reconcile *r, struct seen_vs *vs)
{
	struct journal_entry e = { .kind = JOURNAL_GONE, .vs = vs->key, .since = vs->gone_since, .until = vs->gone_until };
	bool gone = mono_set(vs->gone_since) && vs->present;

	if (gone == vs->gone_journaled)
		return;
	vs->gone_journaled = gone;
	if (gone)
		journal_put(r->journal, &e);
	else
		journal_drop(r->journal, &e);
}

static void journal_linger(struct reconcile *r, struct seen_addr *addr)
{
	struct journal_entry e = { .kind = JOURNAL_LINGER, .vs.ip = addr->ip, .since = MONO_NEVER, .until = addr->linger_until };
	bool lingers = mono_set(addr->linger_until) && addr->bound;

	if (lingers == addr->linger_journaled)
		return;
	addr->linger_journaled = lingers;
	if (lingers)
		journal_put(r->journal, &e);
	else
		journal_drop(r->journal, &e);
}

void apply_journal_lifetimes(struct reconcile *r)
{
	struct seen_addr *addr;
	struct seen_vs *draining;

	if (!r->journal || r->dry)
		return;
	/* A Service that goes, or comes back, while all its servers drain has no operation. */
	DL_FOREACH2(r->observed.draining, draining, next_draining)
		journal_gone(r, draining);
	for (size_t i = 0; i < r->plan.ops.n; i++) {
		const struct op *op = &r->plan.ops.v[i];
		struct seen_vs *vs = op->vs.port ? observed_vs(&r->observed, &op->vs) : NULL;

		if (vs) {
			journal_gone(r, vs);
			journal_linger(r, vs->addr);
		}
	}
	LL_FOREACH2(r->observed.dirty_addrs, addr, next_dirty)
		journal_linger(r, addr);
	(void)write_journal(r);
}
