/* Addresses: the messages, and which notifications are somebody else's. */
#include "kernel/address.h"

#include "test/unit/unit.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>

#define INDEX 7

static struct op op_of(enum op_kind kind, const char *ip)
{
	struct op op = { .kind = kind };

	assert_int_equal(ip_parse(ip, &op.vs.ip), 0);
	return op;
}

static const struct nlattr *attr_of(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr, *found = NULL;

	mnl_attr_for_each(attr, nlh, sizeof(struct ifaddrmsg))
		if (mnl_attr_get_type(attr) == type)
			found = attr;
	return found;
}

static void messages(void **state)
{
	static const struct {
		enum op_kind kind;
		const char *ip;
		uint16_t type;
		uint8_t plen, flags;
		bool address;
	} cases[] = {
		{ OP_ADDR_ADD, "10.96.0.10", RTM_NEWADDR, 32, 0, true },
		{ OP_ADDR_DEL, "10.96.0.10", RTM_DELADDR, 32, 0, false },
		{ OP_ADDR_ADD, "fd00::1", RTM_NEWADDR, 128, IFA_F_NODAD, true },
		{ OP_ADDR_DEL, "fd00::1", RTM_DELADDR, 128, 0, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
		struct op op = op_of(cases[i].kind, cases[i].ip);
		const struct nlmsghdr *nlh;
		const struct ifaddrmsg *head;

		address_put_op(&batch, INDEX, &op);
		nlh = (const struct nlmsghdr *)batch.p;
		head = mnl_nlmsg_get_payload(nlh);
		assert_int_equal(nlh->nlmsg_type, cases[i].type);
		assert_int_equal(head->ifa_family, op.vs.ip.family);
		assert_int_equal(head->ifa_prefixlen, cases[i].plen);
		assert_int_equal(head->ifa_flags, cases[i].flags);
		assert_int_equal(head->ifa_scope, RT_SCOPE_UNIVERSE);
		assert_int_equal(head->ifa_index, INDEX);
		assert_int_equal(mnl_attr_get_payload_len(attr_of(nlh, IFA_LOCAL)), ip_size(&op.vs.ip));
		assert_memory_equal(mnl_attr_get_payload(attr_of(nlh, IFA_LOCAL)), op.vs.ip.bytes, ip_size(&op.vs.ip));
		assert_int_equal(attr_of(nlh, IFA_ADDRESS) != NULL, cases[i].address);
	}
}

/* The kernel's side of our requests: acknowledges all, except that the first address message may fail. */
struct side {
	struct nl_batch answers;
	int first_error;
};

static ssize_t side_send(void *ctx, const void *p, size_t n)
{
	struct side *s = ctx;
	const struct nlmsghdr *nlh = p;
	int left = (int)n;

	nl_batch_fini(&s->answers);
	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		struct nlmsgerr e = { .error = s->first_error };
		struct nlmsghdr *answer;

		s->first_error = 0;
		if (!e.error && !(nlh->nlmsg_flags & NLM_F_ACK))
			continue;
		answer = nl_batch_put(&s->answers, NLMSG_ERROR, 0, &e, sizeof(e), 0);
		answer->nlmsg_seq = nlh->nlmsg_seq;
		nl_batch_end(&s->answers, answer);
	}
	return (ssize_t)n;
}

static ssize_t side_recv(void *ctx, void *p, size_t n, bool wait, struct nl_from *ret_from)
{
	struct side *s = ctx;
	size_t got = s->answers.n;

	if (!got)
		return -EAGAIN;
	memcpy(p, s->answers.p, got);
	nl_batch_fini(&s->answers);
	*ret_from = (struct nl_from){ 0 };
	return (ssize_t)got;
}

struct world {
	struct side side;
	struct address a;
};

static int setup(void **state)
{
	struct world *w = xzalloc(sizeof(*w));
	const struct nl_io io = { side_send, side_recv, &w->side };

	w->a = (struct address){ .device = "kube-ipvs0", .index = INDEX };
	nl_open_io(&w->a.nl, &io);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	nl_batch_fini(&w->side.answers);
	address_close(&w->a);
	free(w);
	return 0;
}

static int apply(struct world *w, enum op_kind kind, const char *ip)
{
	struct op op = op_of(kind, ip);
	struct op_result result = { 1 };

	address_apply(&w->a, &op, 1, &result);
	return result.code;
}

static bool foreign(const struct world *w, uint16_t type, int index, const char *ip)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct op op = op_of(OP_ADDR_ADD, ip);
	struct nlmsghdr *nlh;

	address_put_op(&batch, index, &op);
	nlh = (struct nlmsghdr *)batch.p;
	nlh->nlmsg_type = type;
	return address_foreign(&w->a, nlh);
}

static void own_changes_are_not_told(void **state)
{
	struct world *w = *state;

	assert_int_equal(apply(w, OP_ADDR_ADD, "fd00::1"), 0);
	assert_int_equal(apply(w, OP_ADDR_ADD, "10.96.0.10"), 0);
	assert_int_equal(apply(w, OP_ADDR_ADD, "10.96.0.9"), 0);
	assert_false(foreign(w, RTM_NEWADDR, INDEX, "fd00::1"));
	assert_false(foreign(w, RTM_NEWADDR, INDEX, "10.96.0.9"));
	assert_false(foreign(w, RTM_NEWADDR, INDEX, "10.96.0.10"));
	assert_int_equal(apply(w, OP_ADDR_DEL, "10.96.0.9"), 0);
	assert_false(foreign(w, RTM_DELADDR, INDEX, "10.96.0.9"));
}

static void others_changes_are_told(void **state)
{
	struct world *w = *state;

	assert_int_equal(apply(w, OP_ADDR_ADD, "fd00::1"), 0);
	assert_true(foreign(w, RTM_DELADDR, INDEX, "fd00::1"));
	assert_true(foreign(w, RTM_NEWADDR, INDEX, "fd00::2"));
	assert_false(foreign(w, RTM_NEWADDR, INDEX + 1, "fd00::2")); /* another device */
	assert_false(foreign(w, RTM_NEWADDR, INDEX, "fe80::1"));     /* the kernel's own */
}

static void codes_pass_unchanged(void **state)
{
	struct world *w = *state;

	w->side.first_error = -EEXIST;
	assert_int_equal(apply(w, OP_ADDR_ADD, "10.96.0.10"), -EEXIST);
	assert_false(foreign(w, RTM_NEWADDR, INDEX, "10.96.0.10")); /* it is there */
	w->side.first_error = -EADDRNOTAVAIL;
	assert_int_equal(apply(w, OP_ADDR_DEL, "10.96.0.10"), -EADDRNOTAVAIL);
	assert_false(foreign(w, RTM_DELADDR, INDEX, "10.96.0.10"));
	w->side.first_error = -ENOMEM;
	assert_int_equal(apply(w, OP_ADDR_ADD, "10.96.0.11"), -ENOMEM);
	assert_true(foreign(w, RTM_NEWADDR, INDEX, "10.96.0.11"));
}

static bool link_foreign(const struct world *w, uint16_t type, int index, const char *name)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	const struct ifinfomsg head = { .ifi_index = index };
	struct nlmsghdr *nlh = nl_batch_put(&batch, type, 0, &head, sizeof(head), 64);

	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	nl_batch_end(&batch, nlh);
	return address_foreign(&w->a, nlh);
}

static void links(void **state)
{
	struct world *w = *state;

	assert_true(link_foreign(w, RTM_DELLINK, INDEX, "kube-ipvs0"));
	assert_true(link_foreign(w, RTM_DELLINK, INDEX, "renamed"));
	assert_true(link_foreign(w, RTM_DELLINK, INDEX - 1, "kube-ipvs0")); /* the one before that which we just made */
	assert_true(link_foreign(w, RTM_NEWLINK, INDEX, "renamed"));
	assert_true(link_foreign(w, RTM_NEWLINK, INDEX + 1, "kube-ipvs0"));
	assert_false(link_foreign(w, RTM_NEWLINK, INDEX, "kube-ipvs0"));
	assert_false(link_foreign(w, RTM_NEWLINK, INDEX + 1, "eth0"));
	assert_false(link_foreign(w, RTM_DELLINK, INDEX + 1, "eth0"));
}

static void names_of_devices(void **state)
{
	struct address a;
	struct err err;

	assert_int_equal(address_open(&a, "", &err), -EINVAL);
	assert_int_equal(address_open(&a, "sixteen-letters-", &err), -EINVAL);
	assert_non_null(strstr(err.text, "sixteen-letters-"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
		TEST(own_changes_are_not_told),
		TEST(others_changes_are_told),
		TEST(codes_pass_unchanged),
		TEST(links),
		cmocka_unit_test(names_of_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
