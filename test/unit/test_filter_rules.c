/* The filter: keys as the kernel has them, elements in messages, and the digest that recognises a table. */
#include "kernel/filter.h"
#include "kernel/filter_read.h"

#include "test/unit/unit.h"

#include <arpa/inet.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

static void keys_as_the_kernel_has_them(void **state)
{
	static const uint8_t v4[FILTER_KEY_MAX] = { 10, 96, 0, 10, 6, 0, 0, 0, 0x1f, 0x90 };
	static const uint8_t v6[FILTER_KEY_MAX] = { 0xfd, [15] = 1, [16] = 17, [20] = 0, [21] = 53 };
	CLEANUP(filter_sets_fini) struct filter_sets sets = { 0 };
	struct vs_key a = vs_of("10.96.0.10:8080/tcp"), b = vs_of("[fd00::1]:53/udp"), back;

	filter_sets_add_vs(&sets, SET_SERVED4, &a);
	filter_sets_add_vs(&sets, SET_SERVED4, &b);
	assert_memory_equal(sets.of[SET_SERVED4].rows.v[0].bytes, v4, sizeof(v4));
	assert_memory_equal(sets.of[SET_SERVED6].rows.v[0].bytes, v6, sizeof(v6));
	back = filter_key_vs(&sets.of[SET_SERVED4].rows.v[0], SET_SERVED4);
	assert_memory_equal(&back, &a, sizeof(a));
	back = filter_key_vs(&sets.of[SET_SERVED6].rows.v[0], SET_SERVED6);
	assert_memory_equal(&back, &b, sizeof(b));
}

static void keys_are_sorted_and_single(void **state)
{
	static const char *const ips[] = { "10.0.0.3", "10.0.0.1", "10.0.0.3", "10.0.0.2", "10.0.0.1" };
	CLEANUP(filter_sets_fini) struct filter_sets sets = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(ips); i++) {
		struct ip ip = ip_of(ips[i]);

		filter_sets_add_ip(&sets, SET_GUARDED4, &ip);
	}
	filter_sets_tidy(&sets);
	assert_int_equal(sets.of[SET_GUARDED4].rows.n, 3);
	for (uint8_t i = 0; i < 3; i++)
		assert_int_equal(sets.of[SET_GUARDED4].rows.v[i].bytes[3], i + 1);
	assert_int_equal(sets.of[SET_GUARDED6].rows.n, 0);
}

/* Elements of all messages of a batch; every message and attribute must fit its 16 bit length. */
static size_t elements(const struct nl_batch *batch, uint8_t type, size_t *ret_messages)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)batch->p;
	int left = (int)batch->n;
	size_t n = 0;

	*ret_messages = 0;
	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		const struct nlattr *attr, *elem;
		size_t before = n;

		assert_int_equal(nlh->nlmsg_type, NFNL_SUBSYS_NFTABLES << 8 | type);
		mnl_attr_for_each(attr, nlh, sizeof(struct nfgenmsg))
			if (mnl_attr_get_type(attr) == NFTA_SET_ELEM_LIST_ELEMENTS)
				mnl_attr_for_each_nested(elem, attr)
					n++;
		assert_true(n > before);
		++*ret_messages;
	}
	assert_int_equal(left, 0);
	return n;
}

static void many_elements_go_in_several_messages(void **state)
{
	CLEANUP(filter_sets_fini) struct filter_sets sets = { 0 };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct vs_key vs = vs_of("[fd00::1]:53/udp");
	size_t messages;

	for (uint32_t i = 1; i <= 10000; i++) {
		vs.port = (uint16_t)i;
		filter_sets_add_vs(&sets, SET_SERVED4, &vs);
	}
	filter_put_keys(&batch, true, &sets);
	assert_int_equal(elements(&batch, NFT_MSG_NEWSETELEM, &messages), 10000);
	assert_true(messages > 1);
	assert_int_equal(batch.count, messages);
}

static void no_elements_no_message(void **state)
{
	struct filter_sets sets = { 0 };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };

	filter_put_keys(&batch, false, &sets);
	assert_int_equal(batch.count, 0);
}

static void whole_table(struct nl_batch *batch)
{
	filter_put_table(batch);
	filter_put_content(batch, false);
}

static struct nlmsghdr *nth(const struct nl_batch *batch, size_t n)
{
	char *p = batch->p;

	while (n--)
		p += MNL_ALIGN(((struct nlmsghdr *)p)->nlmsg_len);
	return (struct nlmsghdr *)p;
}

/* Any byte of any attribute's content that is changed, apart from the counters' and what only orders the transaction,
 * changes the digest; so does every message that lacks. */
static void digest_sees_every_message(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	uint64_t digest;

	whole_table(&batch);
	digest = filter_digest(&batch);
	for (size_t i = 0; i < batch.count; i++) {
		struct nlmsghdr *nlh = nth(&batch, i);
		uint16_t type = nlh->nlmsg_type;

		nlh->nlmsg_type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWGEN; /* as if it were not there */
		assert_int_not_equal(filter_digest(&batch), digest);
		nlh->nlmsg_type = type;
	}
	assert_int_equal(filter_digest(&batch), digest);
}

static void digest_sees_two_rules_swapped(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 }, swapped = { 0 };
	struct nlmsghdr *a, *b;

	whole_table(&batch);
	a = nth(&batch, batch.count - 2);
	b = nth(&batch, batch.count - 1);
	swapped.p = xmalloc(batch.cap);
	swapped.cap = batch.cap;
	swapped.n = batch.n;
	swapped.count = batch.count;
	memcpy(swapped.p, batch.p, batch.n);
	memcpy(swapped.p + ((char *)a - batch.p), b, MNL_ALIGN(b->nlmsg_len));
	memcpy(swapped.p + ((char *)a - batch.p) + MNL_ALIGN(b->nlmsg_len), a, MNL_ALIGN(a->nlmsg_len));
	assert_int_not_equal(filter_digest(&batch), filter_digest(&swapped));
}

static void put_be32(struct nlmsghdr *nlh, uint16_t type, uint32_t value)
{
	mnl_attr_put_u32(nlh, type, htonl(value));
}

/* A rule with one "cmp", as we send it or as a kernel shows it; with a counter that has counted. */
static uint64_t digest_of_rule(bool shown, uint32_t op, uint8_t value)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = filter_put(&batch, NFT_MSG_NEWRULE, 0, 1024);
	uint16_t flag = shown ? 0 : NLA_F_NESTED;
	struct nlattr *list, *elem, *data, *in;

	mnl_attr_put_strz(nlh, NFTA_RULE_TABLE, FILTER_TABLE);
	mnl_attr_put_strz(nlh, NFTA_RULE_CHAIN, "guard");
	if (shown)
		mnl_attr_put_u64(nlh, NFTA_RULE_HANDLE, 77);
	list = mnl_attr_nest_start(nlh, NFTA_RULE_EXPRESSIONS);
	elem = mnl_attr_nest_start(nlh, NFTA_LIST_ELEM);
	mnl_attr_put_strz(nlh, NFTA_EXPR_NAME, "cmp");
	data = mnl_attr_nest_start(nlh, NFTA_EXPR_DATA);
	put_be32(nlh, NFTA_CMP_SREG, 1);
	if (shown || op)
		put_be32(nlh, NFTA_CMP_OP, op);
	in = mnl_attr_nest_start(nlh, NFTA_CMP_DATA);
	in->nla_type = NFTA_CMP_DATA | flag;
	mnl_attr_put_u8(nlh, NFTA_DATA_VALUE, value);
	mnl_attr_nest_end(nlh, in);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, elem);
	elem = mnl_attr_nest_start(nlh, NFTA_LIST_ELEM);
	mnl_attr_put_strz(nlh, NFTA_EXPR_NAME, "counter");
	data = mnl_attr_nest_start(nlh, NFTA_EXPR_DATA);
	if (shown)
		mnl_attr_put_u64(nlh, NFTA_COUNTER_BYTES, 4711);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, elem);
	mnl_attr_nest_end(nlh, list);
	nl_batch_end(&batch, nlh);
	return filter_digest(&batch);
}

static void digest_is_of_a_normal_form(void **state)
{
	assert_int_equal(digest_of_rule(false, 0, 6), digest_of_rule(true, 0, 6));
	assert_int_not_equal(digest_of_rule(false, 0, 6), digest_of_rule(true, 1, 6));
	assert_int_not_equal(digest_of_rule(false, 0, 6), digest_of_rule(true, 0, 17));
}

/* A notification about an object of a table. */
static bool foreign(uint32_t port, uint8_t type, uint8_t family, const char *table)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	const struct filter f = { .nl = { .fd = -1, .port = 1234 } };
	struct nlmsghdr *nlh = filter_put(&batch, type, 0, 64);

	((struct nfgenmsg *)mnl_nlmsg_get_payload(nlh))->nfgen_family = family;
	nlh->nlmsg_pid = port;
	if (table)
		mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_TABLE, table);
	nl_batch_end(&batch, nlh);
	return filter_foreign(&f, nlh);
}

static void whose_change_it_was(void **state)
{
	assert_true(foreign(99, NFT_MSG_DELTABLE, 1, "sluice"));
	assert_true(foreign(99, NFT_MSG_NEWSETELEM, 1, "sluice"));
	assert_true(foreign(0, NFT_MSG_DELRULE, 1, "sluice"));
	assert_false(foreign(1234, NFT_MSG_NEWSETELEM, 1, "sluice"));
	assert_false(foreign(99, NFT_MSG_NEWSETELEM, 1, "other"));
	assert_false(foreign(99, NFT_MSG_NEWSETELEM, 2, "sluice"));
	assert_false(foreign(99, NFT_MSG_NEWGEN, 1, "sluice"));
	assert_true(foreign(99, NFT_MSG_DELTABLE, 1, NULL)); /* not understood: look */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_as_the_kernel_has_them),
		cmocka_unit_test(keys_are_sorted_and_single),
		cmocka_unit_test(many_elements_go_in_several_messages),
		cmocka_unit_test(no_elements_no_message),
		cmocka_unit_test(digest_sees_every_message),
		cmocka_unit_test(digest_sees_two_rules_swapped),
		cmocka_unit_test(digest_is_of_a_normal_form),
		cmocka_unit_test(whose_change_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
