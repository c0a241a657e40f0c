/* The packet filter: what is asked of it becomes one transaction of nf_tables each, so it is never half there.
 * Knows sets and transactions; what the rules say stands in filter_rules, how a table is recognised in filter_read. */
#include "kernel/filter.h"

#include "kernel/filter_read.h"

#include <assert.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

static int nothing_row(void *ctx, const struct nlmsghdr *nlh)
{
	return 0;
}

static void nothing_restart(void *ctx)
{
}

static uint64_t wanted_digest(void)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };

	filter_put_table(&batch);
	filter_put_content(&batch, false);
	return filter_digest(&batch);
}

/* Any question that nf_tables answers. */
static int ask_generation(struct nl_sock *nl, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	const struct nl_reader reader = { nothing_row, nothing_restart, NULL };
	int code;

	nl_batch_end(&ask, filter_put(&ask, NFT_MSG_GETGEN, NLM_F_ACK, 0));
	code = nl_read(nl, &ask, &reader, err);
	if (code && code != -EPERM && code != -ETIMEDOUT)
		return err_set(err, -EOPNOTSUPP, "this kernel has no nf_tables (module nf_tables): %s", strerror(-code));
	return code;
}

int filter_open(struct filter *f, struct err *err)
{
	int code;

	*f = (struct filter){ .wanted = wanted_digest() };
	code = nl_open(&f->nl, NETLINK_NETFILTER, err);
	if (code == -EPROTONOSUPPORT)
		return err_set(err, -EOPNOTSUPP, "this kernel has no nf_tables (module nfnetlink)");
	if (code)
		return code;
	code = ask_generation(&f->nl, err);
	if (code) {
		err_wrap(err, "nf_tables");
		filter_close(f);
	}
	return code;
}

void filter_close(struct filter *f)
{
	nl_close(&f->nl);
}

static int see(struct filter *f, struct filter_sight *ret, struct err *err)
{
	int code = filter_see(&f->nl, ret, err);

	if (code)
		err_wrap(err, "read the filter");
	return code;
}

static bool intact(const struct filter *f, const struct filter_sight *sight)
{
	return sight->table && (sight->digest == f->wanted || (f->written && sight->digest == f->written));
}

/* All elements of the sets that can be read. */
static int read_all(struct filter *f, const struct filter_sight *sight, struct filter_sets *sets, struct err *err)
{
	for (int id = 0; id < SET_COUNT; id++) {
		int code = sight->sets[id] ? filter_read_keys(&f->nl, (enum filter_set_id)id, &sets->of[id], err) : 0;

		if (code) {
			err_wrap(err, "read the filter");
			return code;
		}
	}
	return 0;
}

static void give(const struct filter_sets *sets, struct kernel_filter *ret)
{
	for (int id = 0; id < SET_COUNT; id++)
		for (size_t i = 0; i < sets->of[id].rows.n; i++) {
			const struct filter_key *key = &sets->of[id].rows.v[i];

			if (id == SET_SERVED4 || id == SET_SERVED6)
				*vec_push(&ret->served) = filter_key_vs(key, (enum filter_set_id)id);
			else if (id == SET_GUARDED4 || id == SET_GUARDED6)
				*vec_push(&ret->guarded) = filter_key_ip(key, (enum filter_set_id)id);
			else
				*vec_push(&ret->pinged) = filter_key_ip(key, (enum filter_set_id)id);
		}
}

int filter_list(struct filter *f, struct kernel_filter *ret, struct err *err)
{
	CLEANUP(filter_sets_fini) struct filter_sets sets = { 0 };
	struct filter_sight sight = { 0 };
	int code;

	ret->intact = false;
	if (f->absent)
		return 0;
	code = see(f, &sight, err);
	if (code)
		return code;
	code = read_all(f, &sight, &sets, err);
	if (code == -ENOENT) /* it was deleted in between */
		return 0;
	if (code)
		return code;
	ret->intact = intact(f, &sight);
	give(&sets, ret);
	return 0;
}

/* Sends a transaction that writes the whole table, and looks at what came of it. */
static int write_table(struct filter *f, const struct nl_batch *batch, struct filter_sight *ret, struct err *err)
{
	int code = nl_transaction(&f->nl, batch, err);

	if (code) {
		err_wrap(err, "write the filter");
		return code;
	}
	/* A kernel that shows our own rules in another form than we know must not make us write them for ever: what two writes
	 * show in the same form is that. Once is not enough: somebody may have changed it before we looked. */
	code = see(f, ret, err);
	if (!code && ret->digest == f->shown)
		f->written = ret->digest;
	if (!code)
		f->shown = ret->digest;
	return code;
}

/* Rules and elements anew in the chains and sets that are there. A packet that is under way meets all of the old rules or all of the
 * new ones. It would not if the table were exchanged: on its way into a chain that is deleted in that moment it finds no rule, and
 * passes. true: the table is as it should be now. */
static bool renew(struct filter *f, const struct filter_sets *sets, const struct filter_sets *gone)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct filter_sight sight = { 0 };

	filter_put_begin(&batch);
	filter_put_table(&batch);
	filter_put_content(&batch, true);
	filter_put_keys(&batch, false, gone);
	filter_put_keys(&batch, true, sets); /* adding what is there does nothing */
	filter_put_end(&batch);
	return write_table(f, &batch, &sight, NULL) == 0 && intact(f, &sight);
}

/* "Make, delete, make" works whatever is there. */
static int exchange(struct filter *f, const struct filter_sets *sets, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct filter_sight sight;

	filter_put_begin(&batch);
	filter_put_table(&batch);
	filter_put_table_gone(&batch);
	filter_put_table(&batch);
	filter_put_content(&batch, false);
	filter_put_keys(&batch, true, sets);
	filter_put_end(&batch);
	return write_table(f, &batch, &sight, err);
}

static void want_sets(const struct kernel_filter_want *want, struct filter_sets *ret)
{
	for (size_t i = 0; i < want->n_guarded; i++)
		filter_sets_add_ip(ret, SET_GUARDED4, &want->guarded[i]);
	for (size_t i = 0; i < want->n_served; i++) {
		filter_sets_add_vs(ret, SET_SERVED4, &want->served[i]);
		filter_sets_add_ip(ret, SET_PINGED4, &want->served[i].ip);
	}
	filter_sets_tidy(ret);
}

int filter_prepare(struct filter *f, const struct kernel_filter_want *want, struct err *err)
{
	CLEANUP(filter_sets_fini) struct filter_sets sets = { 0 }, gone = { 0 };
	struct filter_sight sight = { 0 };
	int code = see(f, &sight, err);

	if (code || (!want && intact(f, &sight)))
		return code;
	code = read_all(f, &sight, &sets, err); /* without a wish, what is in it stays */
	if (code && code != -ENOENT)
		return code;
	filter_sets_tidy(&sets);
	if (want) {
		gone = sets;
		sets = (struct filter_sets){ 0 };
		want_sets(want, &sets);
		filter_sets_keep(&gone, &sets, false);
	}
	if (sight.table && renew(f, &sets, &gone))
		return 0;
	return exchange(f, &sets, err);
}

/* What operations of one kind do: add or delete these keys. */
static bool op_keys(const struct op *ops, size_t n, struct filter_sets *sets)
{
	for (size_t i = 0; i < n; i++) {
		const struct op *op = &ops[i];

		if (op->kind == OP_GUARD || op->kind == OP_UNGUARD) {
			filter_sets_add_ip(sets, SET_GUARDED4, &op->vs.ip);
			continue;
		}
		filter_sets_add_vs(sets, SET_SERVED4, &op->vs);
		if (op->kind == OP_SERVE || op->last_on_ip)
			filter_sets_add_ip(sets, SET_PINGED4, &op->vs.ip);
	}
	filter_sets_tidy(sets);
	return ops[0].kind == OP_GUARD || ops[0].kind == OP_SERVE;
}

static int write_keys(struct filter *f, bool add, const struct filter_sets *sets)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };

	filter_put_begin(&batch);
	filter_put_keys(&batch, add, sets);
	if (batch.count == 1)
		return 0; /* nothing left to delete */
	filter_put_end(&batch);
	return nl_transaction(&f->nl, &batch, NULL);
}

/* A missing element undoes a whole deletion (and "delete if there" exists only from 6.3 on): look which are there, and
 * delete those. */
static int delete_what_is_there(struct filter *f, struct filter_sets *sets)
{
	CLEANUP(filter_sets_fini) struct filter_sets there = { 0 };

	for (int id = 0; id < SET_COUNT; id++) {
		int code = sets->of[id].rows.n ? filter_read_keys(&f->nl, (enum filter_set_id)id, &there.of[id], NULL) : 0;

		if (code)
			return code;
	}
	filter_sets_tidy(&there);
	filter_sets_keep(sets, &there, true);
	return write_keys(f, false, sets);
}

void filter_apply(struct filter *f, const struct op *ops, size_t n, struct op_result *ret)
{
	CLEANUP(filter_sets_fini) struct filter_sets sets = { 0 };
	bool add = op_keys(ops, n, &sets);
	int code = write_keys(f, add, &sets);

	if (code == -ENOENT && !add)
		code = delete_what_is_there(f, &sets);
	for (size_t i = 0; i < n; i++)
		ret[i].code = code;
}

bool filter_foreign(const struct filter *f, const struct nlmsghdr *nlh)
{
	static const struct nl_rule rules[] = { [NFTA_TABLE_NAME] = { 1, true, true } }; /* the same number in each kind */
	const struct nlattr *at[ARRAY_SIZE(rules)];
	struct nfgenmsg head;

	if (nlh->nlmsg_type >> 8 != NFNL_SUBSYS_NFTABLES || (nlh->nlmsg_type & 0xff) == NFT_MSG_NEWGEN)
		return false;
	if (nlh->nlmsg_pid && nlh->nlmsg_pid == f->nl.port)
		return false;
	if (nl_attrs_of(nlh, sizeof(head), rules, ARRAY_SIZE(rules), at) < 0)
		return true;
	memcpy(&head, mnl_nlmsg_get_payload(nlh), sizeof(head));
	return head.nfgen_family == NFPROTO_INET && nl_is(at[NFTA_TABLE_NAME], FILTER_TABLE);
}
