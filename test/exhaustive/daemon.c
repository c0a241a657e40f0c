/* Turns, as src/daemon takes them; what is pure there is the real code, what is around it is written anew here, for one virtual server. */
#include "exhaustive/daemon.h"

#include "core/settle.h"
#include "exhaustive/kernel.h"
#include "exhaustive/mirror.h"
#include "exhaustive/source.h"

#include <errno.h>
#include <string.h>

#define FIRST_PERIOD_MS 1000
#define LINGER_MS 10000

/* One turn on a thawed state. */
struct turn {
	struct world *w;
	struct observed o;
	struct mishap mishap;
};

static struct turn turn_begin(struct world *w, struct mishap mishap)
{
	struct turn t = { .w = w, .mishap = mishap };

	mirror_thaw(&w->daemon.mirror, &t.o);
	return t;
}

static void turn_end(struct turn *t)
{
	struct mirror *m = &t->w->daemon.mirror;

	*m = mirror_freeze(&t->o, NOW);
	observed_fini(&t->o);
	if (!t->w->daemon.n_ops)
		m->rs[A].verdict = m->rs[B].verdict = 0; /* each plan writes them anew, before it rests on them */
	if (t->w->restarts || t->mishap.trouble == DIES || t->w->daemon.phase != RUN)
		return;
	memset(&t->w->journal, 0, sizeof(t->w->journal)); /* nobody will read it */
	for (int i = 0; i < SERVERS; i++)
		m->rs[i].checks = m->rs[i].on ? 2 : 0; /* they matter to the journal alone */
}

static bool waits(uint8_t when)
{
	return when > DUE;
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
	return m->fresh || d->wake == DUE ? STEP_PLAN : STEP_NONE;
}

static void on_lost(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs)
{
	struct turn *t = ctx;

	(void)vs;
	if (rs_cmp(&rs->key, &the_rs[A]) == 0)
		t->w->journal.drain_a = t->w->journal.until_a = 0;
	else
		t->w->journal.drain_b = t->w->journal.until_b = 0;
}

static void on_drift(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs, const char *what)
{
	(void)ctx;
	(void)vs;
	(void)rs;
	(void)what;
}

static void journal_drain(struct journal_model *j, int rs, bool on, uint8_t until)
{
	if (rs == A) {
		j->drain_a = on;
		j->until_a = until;
	} else {
		j->drain_b = on;
		j->until_b = until;
	}
}

/* ---- reads ---- */

static size_t dump(struct turn *t, bool skip, struct rs_row *rows)
{
	size_t n = 0;

	for (int i = 0; i < SERVERS; i++) {
		struct kernel_rs *rs = &t->w->kernel.rs[i];

		if (!rs->present)
			continue;
		if (skip && i == t->mishap.which) {
			t->w->blind |= !t->w->daemon.mirror.rs[i].exists;
			continue;
		}
		rows[n++] = (struct rs_row){ .key = the_rs[i], .weight = rs->weight, .active = rs->active, .inactive = rs->inactive };
		rs->read = rs->acked && !rs->weight;
		rs->acked = rs->weight == 0;
	}
	return n;
}

static bool list_rss(struct turn *t, struct seen_vs *vs, bool skip)
{
	const struct observed_listener listener = { t, on_lost, on_drift };
	struct rs_row rows[SERVERS];

	if (t->w->kernel.vs)
		return observed_take_rss(&t->o, vs, rows, dump(t, skip, rows), NOW, FIRST_PERIOD_MS, &listener);
	observed_take_absent(&t->o, vs, &listener);
	return false;
}

static void read_vs(struct turn *t, struct seen_vs *vs)
{
	enum trouble trouble = t->mishap.trouble;

	if (trouble == INTERRUPTED) {
		vs->stale = true;
		retry_later(&vs->retry, NOW);
		observed_dirty(&t->o, vs);
		return;
	}
	if (list_rss(t, vs, trouble == SKIPPED || trouble == SKIPPED_TWICE))
		(void)list_rss(t, vs, trouble == SKIPPED_TWICE);
}

static void list_vss(struct turn *t)
{
	const struct observed_listener listener = { t, on_lost, on_drift };
	const struct vs_row row = { the_vs, the_attrs };

	observed_take_vss(&t->o, &row, t->w->kernel.vs, &listener);
}

static void list_addrs(struct turn *t)
{
	(void)observed_take_addrs(&t->o, &the_vs.ip, t->w->kernel.bound);
}

static void list_filter(struct turn *t)
{
	const struct kernel_model *k = &t->w->kernel;

	(void)observed_take_filter(&t->o, &the_vs.ip, k->guarded, &the_vs, k->served, &the_vs.ip, k->pinged);
}

static bool list_fails(struct turn *t)
{
	struct retry retry = { .at = MONO_NEVER };
	bool fails = t->mishap.trouble == INTERRUPTED;

	if (fails)
		retry_later(&retry, NOW);
	t->w->daemon.read_retry = waits_of(&retry, NOW);
	return fails;
}

static void step_list(struct turn *t)
{
	if (list_fails(t))
		return;
	if (t->o.vss_stale)
		list_vss(t);
	else if (t->o.addrs_stale)
		list_addrs(t);
	else
		list_filter(t);
}

static void step_check(struct turn *t)
{
	struct seen_vs *vs = t->o.draining;

	read_vs(t, vs);
	for (int i = 0; i < SERVERS; i++) {
		struct seen_rs *rs = seen_rs_find(vs, &the_rs[i]);

		if (rs && rs->drain.on && rs->drain.checks == 1)
			journal_drain(&t->w->journal, i, true, when_of(rs->drain.limit_at, NOW));
	}
	observed_dirty(&t->o, vs);
	t->w->daemon.checked = 1;
}

/* ---- the start: what of it is ours, and what runs on it ---- */

static void take_owners(struct turn *t)
{
	struct journal_model *j = &t->w->journal;
	struct seen_vs *vs = observed_vs(&t->o, &the_vs);
	struct seen_addr *addr = observed_addr(&t->o, &the_vs.ip);

	j->vs = j->vs && vs && vs->present;
	j->addr = j->addr && addr && addr->bound;
	if (j->vs)
		vs->ours = true;
	if (j->addr)
		addr->ours = true;
}

static void take_drain(struct turn *t, struct seen_vs *vs, int i, bool journaled, uint8_t until)
{
	struct seen_rs *rs = vs && journaled ? seen_rs_find(vs, &the_rs[i]) : NULL;
	bool goes_on = rs && rs->weight == 0;

	journal_drain(&t->w->journal, i, goes_on, goes_on ? until : NEVER);
	if (!goes_on)
		return;
	seen_drain_begin(&t->o, vs, rs, NOW, NOW);
	rs->drain.limit_at = when_at(until);
}

static void take_lifetimes(struct turn *t)
{
	struct journal_model *j = &t->w->journal;
	struct seen_vs *vs = observed_vs(&t->o, &the_vs);
	struct seen_addr *addr = observed_addr(&t->o, &the_vs.ip);

	take_drain(t, vs, A, j->drain_a, j->until_a);
	take_drain(t, vs, B, j->drain_b, j->until_b);
	j->gone = j->gone && vs && vs->present && vs->ours;
	if (j->gone) {
		vs->gone_since = NOW;
		vs->gone_until = when_at(j->gone_until);
	} else {
		j->gone_until = NEVER;
	}
	j->linger = j->linger && addr && addr->bound && addr->ours;
	if (j->linger)
		addr->linger_until = when_at(j->linger_until);
	else
		j->linger_until = NEVER;
}

static void step_start(struct turn *t)
{
	struct seen_vs *vs;

	if (t->w->daemon.phase == START_LIST) {
		if (list_fails(t))
			return;
		list_addrs(t);
		list_vss(t);
		list_filter(t);
		take_owners(t);
		t->w->daemon.phase = START_RSS;
		return;
	}
	vs = t->o.dirty_vss;
	if (vs && vs->stale && !retry_waits(&vs->retry, NOW) && vs->present && !vs->ours && !vs->unsure) {
		vs->stale = false;
	} else if (vs && vs->stale && !retry_waits(&vs->retry, NOW)) {
		read_vs(t, vs);
	} else {
		take_lifetimes(t);
		t->w->daemon.phase = RUN;
	}
}

static void touched(void *ctx, const struct vs_key *key)
{
	struct observed *o = ctx;

	observed_dirty(o, observed_vs_get(o, key));
}

void daemon_restart(struct world *w)
{
	static const struct source nothing;
	struct observed o = { 0 };

	memset(&w->daemon, 0, sizeof(w->daemon));
	for (int i = 0; i < SERVERS; i++)
		w->kernel.rs[i].acked = w->kernel.rs[i].read = 0;
	w->daemon.phase = START_LIST;
	source_change(&nothing, &w->source, touched, &o);
	w->daemon.mirror = mirror_freeze(&o, NOW);
	observed_fini(&o);
}

void daemon_hears(struct world *w, struct source source)
{
	struct turn t = turn_begin(w, (struct mishap){ NO_TROUBLE, 0 });

	source_change(&w->source, &source, touched, &t.o);
	w->source = source;
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

		d->ops[d->n_ops++] = (struct small_op){ .kind = op->kind, .rs = op->rs.port && rs_cmp(&op->rs, &the_rs[B]) == 0,
							.limit_came = t->w->limit_came };
		vs_planned = vs_planned || op->vs.port;
	}
	d->any_wanted = plan.ops.n && (source_wants(&t->w->source, A) || source_wants(&t->w->source, B));
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
		journal_drain(j, small->rs, false, NEVER);
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
		return daemon_reads(w) || next == STEP_LIST || (next == STEP_START && d->phase == START_LIST);
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
		read_vs(&t, t.o.dirty_vss);
		break;
	case STEP_CHECK:
		step_check(&t);
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

	list_vss(&t);
	list_addrs(&t);
	list_filter(&t);
	vs = observed_vs(&t.o, &the_vs);
	if (vs && vs->present && vs->ours && !vs->stale)
		read_vs(&t, vs);
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

bool daemon_waits(const struct world *w)
{
	const struct mirror *m = &w->daemon.mirror;
	bool drains = false;

	for (int i = 0; i < SERVERS; i++)
		drains = drains || m->rs[i].on;
	return drains || waits(w->daemon.wake) || (waits(w->daemon.read_retry) && (m->vss_stale || m->addrs_stale || m->filter_stale || w->daemon.phase != RUN)) ||
	       (waits(m->retry) && drains);
}
