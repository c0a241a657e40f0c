/* Turns, as src/daemon takes them; what is pure there is the real code, what is around it is written anew here, for one virtual server. */
#include "core/settle.h"
#include "exhaustive/kernel.h"
#include "exhaustive/source.h"
#include "exhaustive/turn.h"

#include <errno.h>
#include <string.h>

#define LINGER_MS 10000

static struct turn turn_begin(struct world *w, struct mishap mishap)
{
	struct turn t = { .w = w, .mishap = mishap };

	mirror_thaw(&w->daemon.mirror, &t.o);
	return t;
}

/* The witness of a limit runs from the first weight 0 that the daemon knows of, whatever it makes of it afterwards. */
static void see_drains(struct world *w)
{
	for (int i = 0; i < SERVERS; i++) {
		struct kernel_rs *rs = &w->kernel.rs[i];

		if (bounds.own_limit && w->daemon.mirror.rs[i].on && rs->present && !rs->weight && rs->limit == NEVER)
			rs->limit = FAR;
	}
}

static void turn_end(struct turn *t)
{
	struct mirror *m = &t->w->daemon.mirror;

	*m = mirror_freeze(&t->o, NOW);
	observed_fini(&t->o);
	see_drains(t->w);
	if (!t->w->daemon.n_ops)
		m->rs[A].verdict = m->rs[B].verdict = 0; /* each plan writes them anew, before it rests on them */
	if (t->w->restarts || t->mishap.trouble == DIES || t->w->daemon.phase != RUN)
		return;
	memset(&t->w->journal, 0, sizeof(t->w->journal)); /* nobody will read it */
	for (int i = 0; i < SERVERS; i++)
		m->rs[i].checks = m->rs[i].on ? 2 : 0; /* they matter to the journal alone */
}

static bool check_due(const struct mirror *m)
{
	if (m->stale || waits(m->retry))
		return false;
	for (int i = 0; i < SERVERS; i++)
		if (m->rs[i].on && (m->rs[i].next_check == DUE || (m->rs[i].deadline == DUE && !m->rs[i].old_limit)))
			return true;
	return false;
}

enum step daemon_next(const struct world *w)
{
	const struct daemon_model *d = &w->daemon;
	const struct mirror *m = &d->mirror;

	if (d->phase != RUN)
		return waits(d->read_retry) ? STEP_NONE : STEP_START;
	if (d->n_ops)
		return STEP_APPLY;
	if ((m->vss_stale || m->addrs_stale || m->filter_stale) && !waits(d->read_retry))
		return STEP_LIST;
	if (m->dirty && m->stale && !waits(m->retry))
		return STEP_READ;
	if (check_due(m) && !d->checked)
		return STEP_CHECK;
	if (flush_due(m))
		return STEP_FLUSH;
	return m->fresh || d->wake == DUE ? STEP_PLAN : STEP_NONE;
}

/* The source says something new. */
struct hearing {
	struct observed *o;
	const struct source *source;
};

static void touched(void *ctx, const struct vs_key *key)
{
	struct hearing *h = ctx;
	const struct wanted_vs *w = source_vs(h->source);
	struct seen_vs *vs = observed_vs_get(h->o, key);

	if (w)
		observed_supersede(h->o, w);
	observed_dirty(h->o, vs);
}

/* That another pod is wanted at the address is true of a server from then on. */
static void see_pod(struct world *w)
{
	if (w->kernel.rs[A].present && source_wants(&w->source, A))
		w->kernel.rs[A].pods |= pod_bit(w->source.pod);
}

/* A process that ends knows no more what it waited for. Until the next one has begun the kernel has ended what was to be ended (it needs some
 * milliseconds), and a drain that is not in the journal begins anew. */
static void forget(struct world *w)
{
	const bool journaled[SERVERS] = { w->journal.drain_a, w->journal.drain_b };

	memset(&w->daemon, 0, sizeof(w->daemon));
	for (int i = 0; i < SERVERS; i++) {
		struct kernel_rs *rs = &w->kernel.rs[i];

		rs->acked = rs->read = 0;
		rs->left = rs->left_pods = 0;
		if (!journaled[i])
			rs->limit = NEVER;
	}
}

void daemon_restart(struct world *w)
{
	static const struct source nothing;
	struct observed o = { 0 };
	struct hearing h = { &o, &w->source };

	forget(w);
	w->daemon.phase = START_LIST;
	source_change(&nothing, &w->source, touched, &h);
	w->daemon.mirror = mirror_freeze(&o, NOW);
	observed_fini(&o);
}

void daemon_hears(struct world *w, struct source source)
{
	struct turn t = turn_begin(w, (struct mishap){ NO_TROUBLE, 0 });

	source_change(&w->source, &source, touched, &(struct hearing){ &t.o, &source });
	w->source = source;
	see_pod(w);
	turn_end(&t);
}

/* ---- the pass ---- */

static void on_foreign(void *ctx, struct seen_vs *vs, const char *service)
{
	(void)ctx;
	(void)vs;
	(void)service;
}

static void make_plan(struct observed *o, const struct source *source, struct plan *ret)
{
	const struct plan_settings settings = { .drain = source_settings(), .address_linger_ms = LINGER_MS };

	plan_make(source_wanted(source), o, &settings, NOW, on_foreign, NULL, ret);
}

static void journal_lifetimes(struct turn *t, bool vs_planned)
{
	struct journal_model *j = &t->w->journal;
	const struct seen_vs *vs = observed_vs(&t->o, &the_vs);
	const struct seen_addr *addr = observed_addr(&t->o, &the_vs.ip);
	bool gone = vs && mono_set(vs->gone_since) && vs->present, lingers = addr && mono_set(addr->linger_until) && addr->bound;

	if (vs && (vs_planned || vs->n_draining) && gone != j->gone) {
		j->gone = gone;
		j->gone_until = gone ? when_of(vs->gone_until, NOW) : NEVER;
	}
	if (addr && (vs_planned || addr->dirty) && lingers != j->linger) {
		j->linger = lingers;
		j->linger_until = lingers ? when_of(addr->linger_until, NOW) : NEVER;
	}
}

/* Is it wanted, and not to be exchanged for another pod's? */
static bool stays(const struct world *w, int i)
{
	return source_wants(&w->source, i) && w->kernel.rs[i].pods != BOTH_PODS;
}

static void step_plan(struct turn *t)
{
	struct daemon_model *d = &t->w->daemon;
	struct plan plan = { 0 };
	bool vs_planned = false;

	if (t->w->source.service)
		t->w->limit_came = 0; /* a Service that was back for less than a turn was not back */
	make_plan(&t->o, &t->w->source, &plan);
	if (plan.ops.n > OPS_MAX)
		broken("a plan of %zu operations", plan.ops.n);
	for (size_t i = 0; i < plan.ops.n && i < OPS_MAX; i++) {
		const struct op *op = &plan.ops.v[i];

		struct small_op *last = &d->ops[d->n_ops++];

		*last = (struct small_op){ .kind = op->kind, .rs = op->rs.port && server_of(&op->rs) == B,
							.pod = (uint8_t)(pod_of(op->uid) & 3) };
		last->limit_came = t->w->limit_came || (op->rs.port && t->w->kernel.rs[last->rs].limit == DUE);
		vs_planned = vs_planned || op->vs.port;
	}
	d->any_wanted = plan.ops.n && (stays(t->w, A) || stays(t->w, B));
	d->wake = when_of(plan.wake, NOW);
	d->checked = 0;
	free(plan.ops.v);
	journal_lifetimes(t, vs_planned);
}

static struct op whole(const struct small_op *small)
{
	struct op op = { .kind = (enum op_kind)small->kind, .vs = the_vs };

	switch (op.kind) {
	case OP_GUARD:
	case OP_ADDR_ADD:
	case OP_ADDR_DEL:
	case OP_UNGUARD:
		op.vs = (struct vs_key){ .ip = the_vs.ip };
		break;
	case OP_VS_ADD:
	case OP_VS_SET:
		op.attrs = the_attrs;
		break;
	case OP_RS_ADD:
	case OP_RS_RAISE:
		op.weight = 1;
		op.uid = the_uid[small->pod];
		op.rs = the_rs[small->rs];
		break;
	case OP_RS_ZERO:
	case OP_RS_DEL:
		op.rs = the_rs[small->rs];
		break;
	case OP_SERVE:
	case OP_UNSERVE:
	case OP_VS_DEL:
		break;
	}
	return op;
}

static void leave_out(struct turn *t, const struct op *op)
{
	struct seen_vs *vs = op->vs.port ? observed_vs(&t->o, &op->vs) : NULL;
	struct seen_addr *addr = observed_addr(&t->o, &op->vs.ip);

	if (vs) {
		if (!vs->stale && !retry_waits(&vs->retry, NOW))
			retry_later(&vs->retry, NOW);
		observed_dirty(&t->o, vs);
	} else if (!op->vs.port && addr) {
		if (!retry_waits(&addr->retry, NOW))
			retry_later(&addr->retry, NOW);
		observed_dirty_addr(&t->o, addr);
	}
}

static int send(struct turn *t, const struct small_op *op, int i)
{
	enum trouble trouble = i == t->mishap.which ? t->mishap.trouble : NO_TROUBLE;
	struct kernel_model *k = &t->w->kernel;
	int code;

	if (trouble == REFUSED)
		return -ENOMEM;
	if (trouble == UNDONE)
		return -ETIMEDOUT;
	code = kernel_do(k, op);
	if (op->kind == OP_RS_ZERO && k->served && t->w->daemon.any_wanted && !is_live(k, A) && !is_live(k, B) && t->w->hand == HAND_FREE)
		broken("I6: weight 0 everywhere, though a server is wanted and the key is served");
	return trouble == UNHEARD ? -ETIMEDOUT : code;
}

static void take_result(struct turn *t, const struct small_op *small, const struct op *op, int code)
{
	struct settled s = settle(&t->o, op, (struct op_result){ code }, NOW);
	struct journal_model *j = &t->w->journal;

	if (op->kind == OP_RS_ZERO && code == 0) {
		t->w->kernel.rs[small->rs].acked = 1; /* it may have been before: dumps had skipped it */
	}
	if (s.foreign)
		j->vs = 0;
	if (s.drain_ended)
		journal_drain(j, small->rs, false, NEVER, 0);
	if (s.done && op->kind == OP_VS_DEL)
		j->vs = j->gone = j->gone_until = 0;
	if (s.done && op->kind == OP_ADDR_DEL)
		j->addr = j->linger = j->linger_until = 0;
}

static void step_apply(struct turn *t)
{
	struct daemon_model *d = &t->w->daemon;
	const struct small_op *chunk[OPS_MAX];
	struct small_op ops[OPS_MAX];
	int codes[OPS_MAX], n = 0, taken = 0;

	memcpy(ops, d->ops, sizeof(ops));
	for (; taken < d->n_ops && ops[taken].kind == ops[0].kind; taken++) {
		struct op op = whole(&ops[taken]);

		if (plan_ready(&op, &t->o)) {
			t->w->journal.vs |= op.kind == OP_VS_ADD;
			t->w->journal.addr |= op.kind == OP_ADDR_ADD;
			chunk[n++] = &ops[taken];
		} else {
			leave_out(t, &op);
		}
	}
	memset(d->ops, 0, sizeof(d->ops));
	d->n_ops = (uint8_t)(d->n_ops - taken);
	memcpy(d->ops, &ops[taken], d->n_ops * sizeof(*ops));
	for (int i = 0; i < n; i++)
		codes[i] = send(t, chunk[i], i);
	see_pod(t->w);
	for (int i = 0; i < n && t->mishap.trouble != DIES; i++) {
		struct op op = whole(chunk[i]);

		op.last_on_ip = op.kind == OP_UNSERVE && plan_last_on_ip(&op, &t->o);
		take_result(t, chunk[i], &op, codes[i]);
	}
	if (!d->n_ops)
		d->any_wanted = 0;
}

/* ---- what others see of it ---- */

bool daemon_reads(const struct world *w)
{
	const struct mirror *m = &w->daemon.mirror;

	switch (daemon_next(w)) {
	case STEP_READ:
	case STEP_CHECK:
		return w->kernel.vs;
	case STEP_FLUSH:
		break;
	case STEP_START:
		return w->daemon.phase == START_RSS && m->dirty && m->stale && !waits(m->retry) && w->kernel.vs;
	case STEP_NONE:
	case STEP_APPLY:
	case STEP_LIST:
	case STEP_PLAN:
		break;
	}
	return false;
}

bool daemon_can(const struct world *w, struct mishap mishap)
{
	const struct daemon_model *d = &w->daemon;
	enum step next = daemon_next(w);

	switch (mishap.trouble) {
	case NO_TROUBLE:
		return next != STEP_NONE;
	case REFUSED:
	case UNHEARD:
	case UNDONE:
		return next == STEP_APPLY && mishap.which < d->n_ops && d->ops[mishap.which].kind == d->ops[0].kind;
	case DIES:
		return next == STEP_APPLY;
	case INTERRUPTED:
		return daemon_reads(w) || next == STEP_LIST || next == STEP_FLUSH || (next == STEP_START && d->phase == START_LIST);
	case SKIPPED:
	case SKIPPED_TWICE:
		return daemon_reads(w) && w->kernel.rs[mishap.which].present;
	}
	return false;
}

void daemon_step(struct world *w, struct mishap mishap)
{
	struct turn t = turn_begin(w, mishap);

	switch (daemon_next(w)) {
	case STEP_START:
		step_start(&t);
		break;
	case STEP_APPLY:
		step_apply(&t);
		break;
	case STEP_LIST:
		step_list(&t);
		break;
	case STEP_READ:
		look_vs(&t, t.o.dirty_vss);
		break;
	case STEP_CHECK:
		step_check(&t);
		break;
	case STEP_FLUSH:
		step_flush(&t);
		break;
	case STEP_PLAN:
		step_plan(&t);
		break;
	case STEP_NONE:
		break;
	}
	turn_end(&t);
	if (mishap.trouble == DIES)
		daemon_restart(w);
}

bool daemon_can_audit(const struct world *w)
{
	return w->daemon.phase == RUN && daemon_next(w) == STEP_NONE && !waits(w->daemon.read_retry);
}

void daemon_audit(struct world *w, struct mishap mishap)
{
	struct turn t = turn_begin(w, mishap);
	struct seen_vs *vs;

	look_vss(&t);
	look_addrs(&t);
	look_filter(&t);
	vs = observed_vs(&t.o, &the_vs);
	if (vs && vs->present && vs->ours && !vs->stale)
		look_vs(&t, vs);
	turn_end(&t);
	if (mishap.trouble != NO_TROUBLE)
		return;
	w->blind = 0;
	if (w->hand == HAND_UNSEEN)
		w->hand = HAND_SEEN;
}

bool daemon_quiet(const struct world *w)
{
	const struct mirror *m = &w->daemon.mirror;

	return w->daemon.phase == RUN && daemon_next(w) == STEP_NONE && !m->stale && !m->dirty && !m->addr_dirty && !waits(m->retry) && !waits(m->addr_retry) &&
	       !waits(w->daemon.read_retry) && w->hand != HAND_UNSEEN && !w->blind;
}

size_t daemon_plans_again(const struct world *w)
{
	struct observed o;
	struct seen_vs *vs;
	struct plan plan = { 0 };
	size_t n;

	mirror_thaw(&w->daemon.mirror, &o);
	vs = observed_vs(&o, &the_vs);
	if (vs)
		observed_dirty(&o, vs);
	if (observed_addr(&o, &the_vs.ip))
		observed_dirty_addr(&o, observed_addr(&o, &the_vs.ip));
	make_plan(&o, &w->source, &plan);
	n = plan.ops.n;
	free(plan.ops.v);
	observed_fini(&o);
	return n;
}
