/* The port of the fake kernel: reads, batches, failures on demand, the log of operations. What an operation does to
 * the objects is in fake_table.c. */
#include "fake/fake_state.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static struct fake_kernel *self(struct kernel *k)
{
	return (struct fake_kernel *)k; /* port is the first member */
}

/* ---- failures ---- */

static const struct fault_rule *take_fault(struct fake_kernel *f, enum op_kind kind)
{
	for (size_t i = 0; i < f->faults.n; i++) {
		struct fault_rule *rule = &f->faults.v[i];

		if (!rule->times || (rule->at ? rule->at != f->n_ops : rule->kind != kind))
			continue;
		rule->times--;
		f->faults_hit++;
		return rule;
	}
	return NULL;
}

static void die(struct fake_kernel *f)
{
	f->dead = true;
	if (f->on_death)
		f->on_death(f->on_death_ctx);
}

/* A list: 0 = go on. */
static int read_begins(struct fake_kernel *f, struct err *err)
{
	f->reads++;
	if (f->dead)
		return err_set(err, -ETIMEDOUT, "no answer");
	if (f->interrupts) {
		f->interrupts--;
		return err_set(err, -EAGAIN, "the list was interrupted each time");
	}
	return 0;
}

/* ---- reads ---- */

static int list_vs(struct kernel *k, struct kernel_vss *ret, struct err *err)
{
	struct fake_kernel *f = self(k);
	struct fake_vs *vs, *next;
	int rc = read_begins(f, err);

	if (rc < 0)
		return rc;
	HASH_ITER(hh, f->vss, vs, next)
		*vec_push(&ret->rows) = (struct vs_row){ vs->key, vs->attrs };
	return 0;
}

static size_t copies(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs)
{
	for (size_t i = 0; i < f->row_rules.n; i++) {
		struct row_rule *rule = &f->row_rules.v[i];

		if (!rule->dumps || memcmp(&rule->vs, vs, sizeof(*vs)) || memcmp(&rule->rs, rs, sizeof(*rs)))
			continue;
		rule->dumps--;
		return rule->repeat ? 2 : 0;
	}
	return 1;
}

/* Its real servers, newest first, as the kernel keeps its list. */
static size_t by_position(const struct fake_vs *vs, struct fake_rs ***ret)
{
	size_t n = HASH_COUNT(vs->rss), i = 0;

	*ret = xreallocarray(NULL, n + 1, sizeof(**ret));
	for (struct fake_rs *rs = n ? ELMT_FROM_HH(vs->rss->hh.tbl, vs->rss->hh.tbl->tail) : NULL; rs; rs = rs->hh.prev)
		(*ret)[i++] = rs;
	return n;
}

/* One part of a dump, from a position on. False: that was the last. */
static bool dump_part(struct fake_kernel *f, const struct fake_vs *vs, size_t from, struct kernel_rss *ret)
{
	struct fake_rs **rss;
	size_t n = by_position(vs, &rss), end = from + DUMP_PART < n ? from + DUMP_PART : n;

	for (size_t i = from; i < end; i++)
		for (size_t c = copies(f, &vs->key, &rss[i]->key); c; c--)
			conn_counts(f, &vs->key, rss[i], vec_push(&ret->rows));
	free(rss);
	return end < n;
}

static int list_rs(struct kernel *k, const struct vs_key *key, struct kernel_rss *ret, struct err *err)
{
	struct fake_kernel *f = self(k);
	struct fake_vs *vs;
	int rc = read_begins(f, err);
	bool more = true;

	if (rc < 0)
		return rc;
	for (size_t from = 0; more; from += DUMP_PART) {
		if (f->hook) /* between two parts, others may write: the next begins at its position all the same */
			f->hook(f->hook_ctx, NULL, key);
		vs = table_vs(f, key);
		if (!vs && !from)
			return err_set(err, -ESRCH, "there is no such virtual server");
		more = vs && dump_part(f, vs, from, ret);
	}
	return 0;
}

static int list_addrs(struct kernel *k, struct kernel_ips *ret, struct err *err)
{
	struct fake_kernel *f = self(k);
	struct fake_addr *addr, *next;
	int rc = read_begins(f, err);

	if (rc < 0)
		return rc;
	HASH_ITER(hh, f->addrs, addr, next)
		if (addr->bound)
			*vec_push(&ret->rows) = addr->ip;
	return 0;
}

static int list_filter(struct kernel *k, struct kernel_filter *ret, struct err *err)
{
	struct fake_kernel *f = self(k);
	struct fake_addr *addr, *addr_next;
	struct fake_key *served, *served_next;
	int rc = read_begins(f, err);

	if (rc < 0)
		return rc;
	ret->intact = f->table && !f->damaged;
	HASH_ITER(hh, f->addrs, addr, addr_next) {
		if (addr->guarded)
			*vec_push(&ret->guarded) = addr->ip;
		if (addr->pinged)
			*vec_push(&ret->pinged) = addr->ip;
	}
	HASH_ITER(hh, f->served, served, served_next)
		*vec_push(&ret->served) = served->key;
	return 0;
}

static int list_flows(struct kernel *k, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret, struct err *err)
{
	struct fake_kernel *f = self(k);
	int rc = read_begins(f, err);

	if (rc < 0)
		return rc;
	if (f->no_conntrack)
		return err_set(err, -EOPNOTSUPP, "this kernel does not tell its connections");
	conn_flows(f, vs, rs, max, ret);
	return 0;
}

/* ---- writes ---- */

static int execute(struct fake_kernel *f, const struct op *op)
{
	switch (op->kind) {
	case OP_GUARD:
		return table_guard(f, &op->vs.ip, true);
	case OP_UNGUARD:
		return table_guard(f, &op->vs.ip, false);
	case OP_ADDR_ADD:
		return table_addr_add(f, &op->vs.ip);
	case OP_ADDR_DEL:
		return table_addr_del(f, &op->vs.ip);
	case OP_VS_ADD:
		return table_vs_add(f, &op->vs, &op->attrs);
	case OP_VS_SET:
		return table_vs_set(f, &op->vs, &op->attrs);
	case OP_VS_DEL:
		return table_vs_del(f, &op->vs);
	case OP_RS_ADD:
		return table_rs_add(f, &op->vs, &op->rs, op->weight);
	case OP_RS_RAISE:
	case OP_RS_ZERO:
		return table_rs_set(f, &op->vs, &op->rs, op->weight);
	case OP_RS_DEL:
		return table_rs_del(f, &op->vs, &op->rs);
	case OP_SERVE:
		if (f->table)
			table_ping(f, &op->vs.ip, true);
		return table_serve(f, &op->vs, true);
	case OP_UNSERVE:
		if (f->table && op->last_on_ip)
			table_ping(f, &op->vs.ip, false);
		return table_serve(f, &op->vs, false);
	}
	return -EINVAL;
}

/* The kernel does not lie: what it says is there, or not there, somebody else made so just before. A virtual server is the
 * exception: that one is there (EEXIST) is said and not done, to see that it is read again. */
static void make_true(struct fake_kernel *f, const struct op *op, int code)
{
	bool on_rs = op->kind == OP_RS_ADD || op->kind == OP_RS_RAISE || op->kind == OP_RS_ZERO || op->kind == OP_RS_DEL;

	f->hand = true;
	if (on_rs && code == -ESRCH)
		(void)table_vs_del(f, &op->vs);
	else if (on_rs && code == -ENOENT && op->kind != OP_RS_ADD)
		(void)table_rs_del(f, &op->vs, &op->rs);
	else if (op->kind == OP_RS_ADD && code == -EEXIST)
		(void)table_rs_add(f, &op->vs, &op->rs, op->weight + 2);
	else if ((op->kind == OP_VS_SET && code == -ESRCH) || (op->kind == OP_VS_DEL && (code == -ESRCH || code == -ENOENT)))
		(void)table_vs_del(f, &op->vs);
	else if (op->kind == OP_ADDR_ADD && code == -EEXIST)
		(void)table_addr_add(f, &op->vs.ip);
	else if (op->kind == OP_ADDR_DEL && code == -EADDRNOTAVAIL)
		(void)table_addr_del(f, &op->vs.ip);
	watch_look(f);
	f->hand = false;
}

static void do_it(struct fake_kernel *f, const struct op *op, struct fake_logged *ret)
{
	f->op = *op;
	ret->code = execute(f, op);
	ret->done = ret->code == 0;
	watch_look(f);
}

/* One operation with what was asked to go wrong. */
static struct fake_logged one(struct fake_kernel *f, const struct op *op)
{
	struct fake_logged ret = { .op = *op, .code = -ETIMEDOUT };
	const struct fault_rule *rule;

	if (f->dead)
		return ret;
	if (f->hook)
		f->hook(f->hook_ctx, op, NULL);
	f->n_ops++;
	rule = take_fault(f, op->kind);
	if (!rule) {
		do_it(f, op, &ret);
		return ret;
	}
	switch (rule->fault) {
	case FAKE_FAIL:
		make_true(f, op, rule->code);
		ret.code = rule->code;
		break;
	case FAKE_SILENT:
		break;
	case FAKE_SILENT_DONE:
		do_it(f, op, &ret);
		ret.code = -ETIMEDOUT;
		break;
	case FAKE_SILENT_CALL:
		do_it(f, op, &ret);
		f->silent_call = true;
		break;
	case FAKE_DIE_BEFORE:
		die(f);
		break;
	case FAKE_DIE_AFTER:
		do_it(f, op, &ret);
		ret.code = -ETIMEDOUT;
		die(f);
		break;
	}
	return ret;
}

static bool of_filter(enum op_kind kind)
{
	return kind == OP_GUARD || kind == OP_UNGUARD || kind == OP_SERVE || kind == OP_UNSERVE;
}

static void some_of_transaction(struct fake_kernel *f, const struct op *ops, size_t n, struct op_result *ret)
{
	const struct fault_rule *rule = NULL;
	enum fake_fault fault;
	int code = f->table ? 0 : -ENOENT, seen; /* what is deleted and not there is no error */
	bool run;

	for (size_t i = 0; i < n && !f->dead; i++) {
		if (f->hook)
			f->hook(f->hook_ctx, &ops[i], NULL);
		f->n_ops++;
		if (!rule)
			rule = take_fault(f, ops[i].kind);
	}
	fault = rule ? rule->fault : FAKE_SILENT_CALL;
	run = !f->dead && !code && (!rule || fault == FAKE_SILENT_DONE || fault == FAKE_SILENT_CALL || fault == FAKE_DIE_AFTER);
	for (size_t i = 0; i < n && run; i++) {
		f->op = ops[i];
		(void)execute(f, &ops[i]);
	}
	watch_look(f);
	seen = f->dead || (rule && fault != FAKE_FAIL) ? -ETIMEDOUT : rule ? rule->code : code;
	if (rule && (fault == FAKE_DIE_BEFORE || fault == FAKE_DIE_AFTER))
		die(f);
	for (size_t i = 0; i < n; i++) {
		*vec_push(&f->log) = (struct fake_logged){ ops[i], seen, run };
		ret[i].code = seen;
	}
}

static bool is_stray(const struct fake_kernel *f, const struct op *op)
{
	return op->kind == OP_UNGUARD && table_stray(f, &op->vs.ip);
}

static void transaction(struct fake_kernel *f, const struct op *ops, size_t n, struct op_result *ret)
{
	struct op some[KERNEL_OPS_MAX];
	struct op_result results[KERNEL_OPS_MAX];
	size_t n_some = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_stray(f, &ops[i]))
			some[n_some++] = ops[i];
	if (n_some)
		some_of_transaction(f, some, n_some, results);
	for (size_t i = 0; i < n; i++)
		ret[i] = is_stray(f, &ops[i]) ? (struct op_result){ f->dead ? -ETIMEDOUT : -EADDRINUSE } : results[at++];
}

static void apply(struct kernel *k, const struct op *ops, size_t n, struct op_result *ret)
{
	struct fake_kernel *f = self(k);
	bool was_dead = f->dead;

	assert(n > 0 && n <= KERNEL_OPS_MAX);
	for (size_t i = 1; i < n; i++)
		assert(ops[i].kind == ops[0].kind);
	if (of_filter(ops[0].kind)) {
		transaction(f, ops, n, ret);
		return;
	}
	f->silent_call = false;
	for (size_t i = 0; i < n; i++) {
		struct fake_logged logged = one(f, &ops[i]);

		ret[i].code = logged.code;
		if (!was_dead)
			*vec_push(&f->log) = logged;
	}
	for (size_t i = 0; i < n && f->silent_call; i++)
		ret[i].code = -ETIMEDOUT;
}

static void write_filter(struct fake_kernel *f, const struct kernel_filter_want *want)
{
	table_filter_clear(f);
	f->table = true;
	f->damaged = false;
	for (size_t i = 0; i < want->n_guarded; i++)
		(void)table_guard(f, &want->guarded[i], true);
	for (size_t i = 0; i < want->n_served; i++) {
		(void)table_serve(f, &want->served[i], true);
		table_ping(f, &want->served[i].ip, true);
	}
}

static void make_ready(struct fake_kernel *f, const struct kernel_filter_want *want)
{
	f->op = (struct op){ 0 };
	f->device = f->table = true;
	f->damaged = false;
	if (want)
		write_filter(f, want);
	watch_look(f);
}

static int prepare(struct kernel *k, const struct kernel_filter_want *want, struct err *err)
{
	struct fake_kernel *f = self(k);
	const struct fault_rule *rule;
	int code = 0;

	if (f->dead)
		return err_set(err, -ETIMEDOUT, "no answer");
	if (!want && f->device && f->table && !f->damaged)
		return 0; /* nothing lacks */
	if (f->hook)
		f->hook(f->hook_ctx, &(struct op){ 0 }, NULL);
	f->n_ops++;
	rule = take_fault(f, 0);
	if (!rule || rule->fault == FAKE_SILENT_DONE || rule->fault == FAKE_SILENT_CALL || rule->fault == FAKE_DIE_AFTER)
		make_ready(f, want);
	if (rule)
		code = rule->fault == FAKE_FAIL ? rule->code : -ETIMEDOUT;
	if (rule && (rule->fault == FAKE_DIE_BEFORE || rule->fault == FAKE_DIE_AFTER))
		die(f);
	*vec_push(&f->log) = (struct fake_logged){ .code = code, .done = !rule || rule->fault != FAKE_FAIL };
	return code ? err_set(err, code, "the filter was not written: %s", strerror(-code)) : 0;
}

static int event_fd(struct kernel *k)
{
	(void)k;
	return -1;
}

static unsigned events(struct kernel *k)
{
	struct fake_kernel *f = self(k);
	unsigned ret = f->dead ? 0 : f->events;

	f->events = 0;
	return ret;
}

static void port_free(struct kernel *k)
{
	(void)k;
}

static const struct kernel_vtbl vtbl = {
	.list_vs = list_vs,
	.list_rs = list_rs,
	.list_addrs = list_addrs,
	.list_filter = list_filter,
	.list_flows = list_flows,
	.prepare = prepare,
	.apply = apply,
	.event_fd = event_fd,
	.events = events,
	.free = port_free,
};

struct fake_kernel *fake_kernel_new(void)
{
	struct fake_kernel *f = xzalloc(sizeof(*f));

	f->port.v = &vtbl;
	f->now.ms = 1000000;
	return f;
}

void fake_kernel_free(struct fake_kernel *f)
{
	if (!f)
		return;
	table_free(f);
	free(f->fwmarks.v);
	free(f->strays.v);
	free(f->trash.v);
	free(f->conns.v);
	free(f->templates.v);
	free(f->faults.v);
	free(f->row_rules.v);
	free(f->log.v);
	free(f->violations.v);
	free(f);
}

struct kernel *fake_port(struct fake_kernel *f)
{
	return &f->port;
}

struct mono fake_now(const struct fake_kernel *f)
{
	return f->now;
}

void fake_advance(struct fake_kernel *f, int64_t ms)
{
	assert(ms >= 0);
	f->now.ms += ms;
	conn_tick(f);
}

void fake_fault_nth(struct fake_kernel *f, enum fake_fault fault, size_t n, int code)
{
	*vec_push(&f->faults) = (struct fault_rule){ .fault = fault, .at = f->n_ops + n, .times = 1, .code = code };
}

void fake_fault_kind(struct fake_kernel *f, enum fake_fault fault, enum op_kind kind, size_t times, int code)
{
	*vec_push(&f->faults) = (struct fault_rule){ .fault = fault, .kind = kind, .times = times, .code = code };
}

void fake_faults_clear(struct fake_kernel *f)
{
	f->faults.n = 0;
	f->interrupts = 0;
}

size_t fake_faults_hit(const struct fake_kernel *f)
{
	return f->faults_hit;
}

bool fake_dead(const struct fake_kernel *f)
{
	return f->dead;
}

void fake_revive(struct fake_kernel *f)
{
	f->dead = false;
}

void fake_on_death(struct fake_kernel *f, void (*fn)(void *ctx), void *ctx)
{
	f->on_death = fn;
	f->on_death_ctx = ctx;
}

void fake_interrupt(struct fake_kernel *f, size_t lists)
{
	f->interrupts = lists;
}

void fake_conntrack(struct fake_kernel *f, bool there)
{
	f->no_conntrack = !there;
}

static void row_rule(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, size_t dumps, bool repeat)
{
	*vec_push(&f->row_rules) = (struct row_rule){ *vs, *rs, dumps, repeat };
}

void fake_skip_row(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, size_t dumps)
{
	row_rule(f, vs, rs, dumps, false);
}

void fake_repeat_row(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, size_t dumps)
{
	row_rule(f, vs, rs, dumps, true);
}

void fake_hook(struct fake_kernel *f, void (*fn)(void *ctx, const struct op *op, const struct vs_key *vs), void *ctx)
{
	f->hook = fn;
	f->hook_ctx = ctx;
}

size_t fake_log(const struct fake_kernel *f, const struct fake_logged **ret)
{
	*ret = f->log.v;
	return f->log.n;
}

size_t fake_reads(const struct fake_kernel *f)
{
	return f->reads;
}

size_t fake_readds(const struct fake_kernel *f)
{
	return f->readds;
}

size_t fake_trash(const struct fake_kernel *f)
{
	return f->trash.n;
}
