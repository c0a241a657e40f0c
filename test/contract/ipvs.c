/* Virtual and real servers: what each operation does, and each error that can be provoked. */
#include "contract/contract.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define VS "10.96.0.10:80/tcp"
#define OTHER "10.96.0.11:80/tcp"
#define RS "10.1.0.5:8080"

static void a_virtual_server_of_each_kind_is_listed_as_made(struct contract *c)
{
	static const char *const all[] = { VS, "10.96.0.10:80/udp", "10.96.0.10:80/sctp", "[fd00::10]:80/tcp", "[fd00::10]:80/udp", "[fd00::10]:80/sctp" };
	static const char *const scheds[] = { "rr", "wrr", "lc", "wlc", "sh", "rr" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct op op = op_vs(OP_VS_ADD, all[i]);

		op.attrs = (struct vs_attrs){ .flags = i & 1 ? VS_FLAG_PERSISTENT : 0, .timeout_s = i & 1 ? 600 + (uint32_t)i : 0 };
		(void)snprintf(op.attrs.sched, sizeof(op.attrs.sched), "%s", scheds[i]);
		CHECK_INT(c, do_op(c, op), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct vs_attrs want = { .flags = i & 1 ? VS_FLAG_PERSISTENT : 0, .timeout_s = i & 1 ? 600 + (uint32_t)i : 0 }, is;

		(void)snprintf(want.sched, sizeof(want.sched), "%s", scheds[i]);
		CHECK(c, seen_vs(c, all[i], &is));
		CHECK(c, vs_attrs_equal(&is, &want));
	}
}

static void nothing_is_listed_where_nothing_is(struct contract *c)
{
	struct kernel_vss vss = { 0 };
	size_t n;

	CHECK_INT(c, c->k->v->list_vs(c->k, &vss, NULL), 0);
	CHECK_INT(c, vss.rows.n, 0);
	kernel_vss_fini(&vss);
	CHECK_INT(c, seen_rss(c, VS, &n), -ESRCH);
}

static void an_empty_virtual_server_is_not_a_missing_one(struct contract *c)
{
	size_t n;

	CHECK_INT(c, seen_rss(c, VS, &n), -ESRCH);
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, seen_rss(c, VS, &n), 0);
	CHECK_INT(c, n, 0);
	CHECK_INT(c, seen_rss(c, OTHER, &n), -ESRCH);
	CHECK_INT(c, seen_rss(c, "10.96.0.10:80/udp", &n), -ESRCH);
	CHECK_INT(c, seen_rss(c, "10.96.0.10:81/tcp", &n), -ESRCH);
}

static void a_virtual_server_is_added_once(struct contract *c)
{
	struct op op = op_vs(OP_VS_ADD, VS);
	struct vs_attrs is;

	CHECK_INT(c, do_op(c, op), 0);
	(void)snprintf(op.attrs.sched, sizeof(op.attrs.sched), "wlc");
	CHECK_INT(c, do_op(c, op), -EEXIST);
	CHECK(c, seen_vs(c, VS, &is) && !strcmp(is.sched, "rr"));
}

static void a_virtual_server_is_changed_in_place(struct contract *c)
{
	struct op op = op_vs(OP_VS_SET, VS);
	struct vs_attrs is;

	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 1), 0);
	op.attrs = (struct vs_attrs){ .sched = "wlc", .flags = VS_FLAG_PERSISTENT, .timeout_s = 10800 };
	CHECK_INT(c, do_op(c, op), 0);
	CHECK(c, seen_vs(c, VS, &is) && vs_attrs_equal(&is, &op.attrs));
	op.attrs = (struct vs_attrs){ .sched = "rr" };
	CHECK_INT(c, do_op(c, op), 0);
	CHECK(c, seen_vs(c, VS, &is) && vs_attrs_equal(&is, &op.attrs));
	CHECK_INT(c, seen_weight(c, VS, RS), 1);
	CHECK_INT(c, do_op(c, op_vs(OP_VS_SET, OTHER)), -ESRCH);
	CHECK(c, !seen_vs(c, OTHER, NULL));
}

static void a_virtual_server_goes_with_its_real_servers(struct contract *c)
{
	size_t n;

	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_vs(c, OP_VS_ADD, OTHER), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 1), 0);
	CHECK_INT(c, do_vs(c, OP_VS_DEL, VS), 0);
	CHECK(c, !seen_vs(c, VS, NULL) && seen_vs(c, OTHER, NULL));
	CHECK_INT(c, do_vs(c, OP_VS_DEL, VS), -ESRCH);
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, seen_rss(c, VS, &n), 0);
	CHECK_INT(c, n, 0);
}

static void an_unknown_scheduler_is_told(struct contract *c)
{
	struct op op = op_vs(OP_VS_ADD, VS);

	(void)snprintf(op.attrs.sched, sizeof(op.attrs.sched), "nosuch");
	CHECK_INT(c, do_op(c, op), -ENOENT);
	CHECK(c, !seen_vs(c, VS, NULL));
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	op.kind = OP_VS_SET;
	CHECK_INT(c, do_op(c, op), -ENOENT);
	CHECK(c, seen_vs(c, VS, NULL));
}

static void a_real_server_comes_changes_and_goes(struct contract *c)
{
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 1), 0);
	CHECK_INT(c, seen_weight(c, VS, RS), 1);
	CHECK_INT(c, do_rs(c, OP_RS_ZERO, VS, RS, 0), 0);
	CHECK_INT(c, seen_weight(c, VS, RS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_RAISE, VS, RS, 1), 0);
	CHECK_INT(c, seen_weight(c, VS, RS), 1);
	CHECK_INT(c, do_rs(c, OP_RS_RAISE, VS, RS, 65535), 0);
	CHECK_INT(c, seen_weight(c, VS, RS), 65535);
	CHECK_INT(c, do_rs(c, OP_RS_DEL, VS, RS, 0), 0);
	CHECK_INT(c, seen_weight(c, VS, RS), -1);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 0), 0);
	CHECK_INT(c, seen_weight(c, VS, RS), 0);
}

static void a_real_server_is_added_once(struct contract *c)
{
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 0), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 1), -EEXIST);
	CHECK_INT(c, seen_weight(c, VS, RS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, "10.1.0.5:8081", 1), 0); /* another port is another one */
	CHECK_INT(c, seen_weight(c, VS, RS), 0);
}

static void a_missing_real_server_is_told_from_a_missing_virtual_server(struct contract *c)
{
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ZERO, VS, RS, 0), -ENOENT);
	CHECK_INT(c, do_rs(c, OP_RS_RAISE, VS, RS, 1), -ENOENT);
	CHECK_INT(c, do_rs(c, OP_RS_DEL, VS, RS, 0), -ENOENT);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, OTHER, RS, 1), -ESRCH);
	CHECK_INT(c, do_rs(c, OP_RS_ZERO, OTHER, RS, 0), -ESRCH);
	CHECK_INT(c, do_rs(c, OP_RS_RAISE, OTHER, RS, 1), -ESRCH);
	CHECK_INT(c, do_rs(c, OP_RS_DEL, OTHER, RS, 0), -ESRCH);
	CHECK_INT(c, seen_weight(c, VS, RS), -1);
}

static void a_weight_below_zero_is_refused(struct contract *c)
{
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, -1), -ERANGE);
	CHECK_INT(c, seen_weight(c, VS, RS), -1);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 1), 0);
	CHECK_INT(c, do_rs(c, OP_RS_RAISE, VS, RS, -1), -ERANGE);
	CHECK_INT(c, seen_weight(c, VS, RS), 1);
}

static void families_do_not_mix(struct contract *c)
{
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_vs(c, OP_VS_ADD, "[fd00::10]:80/tcp"), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, "[fd00:1::5]:8080", 1), -EINVAL);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, "[fd00::10]:80/tcp", RS, 1), -EINVAL);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, "[fd00::10]:80/tcp", "[::1]:8080", 3), 0);
	CHECK_INT(c, seen_weight(c, "[fd00::10]:80/tcp", "[::1]:8080"), 3);
}

/* Three that work around one that does not. */
static void one_failure_in_a_batch_leaves_the_others_done(struct contract *c)
{
	struct op ops[] = {
		op_rs(OP_RS_ADD, VS, "10.1.0.1:80", 1), op_rs(OP_RS_ADD, VS, "10.1.0.2:80", 1), op_rs(OP_RS_ADD, OTHER, "10.1.0.2:80", 1),
		op_rs(OP_RS_ADD, VS, "10.1.0.1:80", 1), op_rs(OP_RS_ADD, VS, "10.1.0.3:80", -1), op_rs(OP_RS_ADD, VS, "10.1.0.4:80", 7),
	};
	struct op_result ret[ARRAY_SIZE(ops)];
	size_t n;

	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	memset(ret, 0x55, sizeof(ret));
	c->k->v->apply(c->k, ops, ARRAY_SIZE(ops), ret);
	CHECK_INT(c, ret[0].code, 0);
	CHECK_INT(c, ret[1].code, 0);
	CHECK_INT(c, ret[2].code, -ESRCH);
	CHECK_INT(c, ret[3].code, -EEXIST);
	CHECK_INT(c, ret[4].code, -ERANGE);
	CHECK_INT(c, ret[5].code, 0);
	CHECK_INT(c, seen_rss(c, VS, &n), 0);
	CHECK_INT(c, n, 3);
	CHECK_INT(c, seen_weight(c, VS, "10.1.0.4:80"), 7);
}

/* The last of several edits of one real server is what stands. */
static void a_batch_is_done_in_order(struct contract *c)
{
	struct op ops[40];
	struct op_result ret[ARRAY_SIZE(ops)];

	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 1), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = op_rs(OP_RS_RAISE, VS, RS, (int32_t)i + 100);
	c->k->v->apply(c->k, ops, ARRAY_SIZE(ops), ret);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		CHECK_INT(c, ret[i].code, 0);
	CHECK_INT(c, seen_weight(c, VS, RS), 100 + (int)ARRAY_SIZE(ops) - 1);
}

/* Every operation of the largest call fails or works on its own, and the answers are in place. */
static void the_largest_batch_has_every_answer(struct contract *c)
{
	struct op *ops = xreallocarray(NULL, KERNEL_OPS_MAX, sizeof(*ops));
	struct op_result *ret = xreallocarray(NULL, KERNEL_OPS_MAX, sizeof(*ret));
	size_t wrong = 0, n = 0;

	(void)do_vs(c, OP_VS_ADD, VS);
	for (size_t i = 0; i < KERNEL_OPS_MAX; i++) {
		ops[i] = op_rs(OP_RS_ADD, i % 3 == 1 ? OTHER : VS, RS, 1);
		ops[i].rs = rs_nth((unsigned)(i % 3 == 2 ? i - 2 : i));
	}
	c->k->v->apply(c->k, ops, KERNEL_OPS_MAX, ret);
	for (size_t i = 0; i < KERNEL_OPS_MAX; i++)
		wrong += ret[i].code != (i % 3 == 1 ? -ESRCH : i % 3 == 2 ? -EEXIST : 0);
	free(ops);
	free(ret);
	CHECK_INT(c, wrong, 0);
	CHECK_INT(c, seen_rss(c, VS, &n), 0);
	CHECK_INT(c, n, (KERNEL_OPS_MAX + 2) / 3);
}

/* More than one part of a dump: each once, each with its own weight. */
static void many_real_servers_are_listed_exactly(struct contract *c)
{
	const unsigned count = 150;
	struct vs_key vs = vs_of(VS);
	struct kernel_rss rss = { 0 };
	struct op ops[150];
	struct op_result ret[150];
	bool seen[150] = { false };
	size_t wrong = 0;
	int rc;

	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	for (unsigned i = 0; i < count; i++)
		ops[i] = (struct op){ .kind = OP_RS_ADD, .vs = vs, .rs = rs_nth(i), .weight = (int32_t)i };
	c->k->v->apply(c->k, ops, count, ret);
	rc = c->k->v->list_rs(c->k, &vs, &rss, NULL);
	for (size_t i = 0; i < rss.rows.n; i++) {
		unsigned n = (unsigned)rss.rows.v[i].weight;
		struct rs_key want = rs_nth(n);

		if (n >= count || seen[n] || rs_cmp(&want, &rss.rows.v[i].key) || rss.rows.v[i].active || rss.rows.v[i].inactive)
			wrong++;
		else
			seen[n] = true;
	}
	wrong += rss.rows.n != count;
	kernel_rss_fini(&rss);
	CHECK_INT(c, rc, 0);
	CHECK_INT(c, wrong, 0);
}

static void lists_append(struct contract *c)
{
	struct vs_key vs = vs_of(VS);
	struct kernel_rss rss = { 0 };
	struct kernel_vss vss = { 0 };
	size_t n_rss, n_vss;

	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 1), 0);
	for (int i = 0; i < 2; i++) {
		(void)!c->k->v->list_rs(c->k, &vs, &rss, NULL);
		(void)!c->k->v->list_vs(c->k, &vss, NULL);
	}
	n_rss = rss.rows.n;
	n_vss = vss.rows.n;
	kernel_rss_fini(&rss);
	kernel_vss_fini(&vss);
	CHECK_INT(c, n_rss, 2);
	CHECK_INT(c, n_vss, 2);
}

static void others_are_listed_and_firewall_marks_left_out(struct contract *c)
{
	struct kernel_vss vss = { 0 };
	struct vs_attrs is;
	size_t n;

	hand_fwmark_add(c, 7);
	hand_vs_add(c, VS, "wlc");
	hand_rs_add(c, VS, RS, 5);
	CHECK(c, seen_vs(c, VS, &is) && !strcmp(is.sched, "wlc"));
	CHECK_INT(c, seen_weight(c, VS, RS), 5);
	CHECK_INT(c, c->k->v->list_vs(c->k, &vss, NULL), 0);
	n = vss.rows.n;
	kernel_vss_fini(&vss);
	CHECK_INT(c, n, 1);
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), -EEXIST);
}

static void what_others_did_is_answered_for(struct contract *c)
{
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	CHECK_INT(c, do_vs(c, OP_VS_ADD, OTHER), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS, 1), 0);
	hand_rs_set(c, VS, RS, 9);
	CHECK_INT(c, seen_weight(c, VS, RS), 9);
	hand_rs_del(c, VS, RS);
	CHECK_INT(c, do_rs(c, OP_RS_ZERO, VS, RS, 0), -ENOENT);
	hand_vs_del(c, VS);
	CHECK_INT(c, do_rs(c, OP_RS_DEL, VS, RS, 0), -ESRCH);
	CHECK_INT(c, do_vs(c, OP_VS_SET, VS), -ESRCH);
	CHECK(c, seen_vs(c, OTHER, NULL));
	hand_vs_flush(c);
	CHECK(c, !seen_vs(c, OTHER, NULL));
	CHECK_INT(c, do_vs(c, OP_VS_DEL, OTHER), -ESRCH);
}

const struct contract_test contract_ipvs[] = {
	CONTRACT_TEST(a_virtual_server_of_each_kind_is_listed_as_made),
	CONTRACT_TEST(nothing_is_listed_where_nothing_is),
	CONTRACT_TEST(an_empty_virtual_server_is_not_a_missing_one),
	CONTRACT_TEST(a_virtual_server_is_added_once),
	CONTRACT_TEST(a_virtual_server_is_changed_in_place),
	CONTRACT_TEST(a_virtual_server_goes_with_its_real_servers),
	CONTRACT_TEST(an_unknown_scheduler_is_told),
	CONTRACT_TEST(a_real_server_comes_changes_and_goes),
	CONTRACT_TEST(a_real_server_is_added_once),
	CONTRACT_TEST(a_missing_real_server_is_told_from_a_missing_virtual_server),
	CONTRACT_TEST(a_weight_below_zero_is_refused),
	CONTRACT_TEST(families_do_not_mix),
	CONTRACT_TEST(one_failure_in_a_batch_leaves_the_others_done),
	CONTRACT_TEST(a_batch_is_done_in_order),
	CONTRACT_TEST(the_largest_batch_has_every_answer),
	CONTRACT_TEST(many_real_servers_are_listed_exactly),
	CONTRACT_TEST(lists_append),
	CONTRACT_TEST(others_are_listed_and_firewall_marks_left_out),
	CONTRACT_TEST(what_others_did_is_answered_for),
	{ 0 },
};
