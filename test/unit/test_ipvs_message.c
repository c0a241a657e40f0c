/* IPVS: operations as messages, byte by byte where the kernel looks, and messages as rows. */
#include "kernel/ipvs.h"

#include "test/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/ip_vs.h>
#include <string.h>

#define FAMILY 30

/* All attributes of a nest by number, read here without the code under test. */
struct flat {
	const struct nlattr *at[32];
};

static int flat_one(const struct nlattr *attr, void *ctx)
{
	struct flat *f = ctx;

	assert_true(mnl_attr_get_type(attr) < ARRAY_SIZE(f->at));
	assert_null(f->at[mnl_attr_get_type(attr)]);
	f->at[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

static struct flat flat(const struct nlattr *nest)
{
	struct flat f = { 0 };

	assert_non_null(nest);
	assert_int_equal(mnl_attr_parse_nested(nest, flat_one, &f), MNL_CB_OK);
	return f;
}

static struct flat message(const struct nl_batch *batch, uint8_t cmd)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)batch->p;
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(nlh);
	struct flat f = { 0 };

	assert_int_equal(nlh->nlmsg_type, FAMILY);
	assert_int_equal(nlh->nlmsg_flags, NLM_F_REQUEST);
	assert_int_equal(head->cmd, cmd);
	assert_int_equal(head->version, 1);
	assert_int_equal(mnl_attr_parse(nlh, sizeof(*head), flat_one, &f), MNL_CB_OK);
	return f;
}

static void assert_bytes(const struct nlattr *attr, const void *p, size_t n)
{
	assert_non_null(attr);
	assert_int_equal(mnl_attr_get_payload_len(attr), n);
	assert_memory_equal(mnl_attr_get_payload(attr), p, n);
}

static struct op op_of(enum op_kind kind, const char *vs, const char *rs)
{
	struct op op = { .kind = kind, .weight = 3, .attrs = { .sched = "wlc", .flags = 1, .timeout_s = 10800 } };

	assert_int_equal(vs_parse(vs, &op.vs), 0);
	if (rs)
		assert_int_equal(rs_parse(rs, &op.rs), 0);
	return op;
}

static void vs_add_ipv4(void **state)
{
	static const uint8_t addr[16] = { 10, 96, 0, 10 };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct op op = op_of(OP_VS_ADD, "10.96.0.10:80/udp", NULL);
	struct ip_vs_flags flags = { 1, 0xffffffff };
	struct flat f;

	ipvs_put_op(&batch, FAMILY, &op);
	f = flat(message(&batch, IPVS_CMD_NEW_SERVICE).at[IPVS_CMD_ATTR_SERVICE]);
	assert_int_equal(mnl_attr_get_u16(f.at[IPVS_SVC_ATTR_AF]), AF_INET);
	assert_int_equal(mnl_attr_get_u16(f.at[IPVS_SVC_ATTR_PROTOCOL]), 17);
	assert_bytes(f.at[IPVS_SVC_ATTR_ADDR], addr, 16);
	assert_int_equal(mnl_attr_get_u16(f.at[IPVS_SVC_ATTR_PORT]), htons(80));
	assert_bytes(f.at[IPVS_SVC_ATTR_SCHED_NAME], "wlc", 4);
	assert_bytes(f.at[IPVS_SVC_ATTR_FLAGS], &flags, sizeof(flags));
	assert_int_equal(mnl_attr_get_u32(f.at[IPVS_SVC_ATTR_TIMEOUT]), 10800);
	assert_int_equal(mnl_attr_get_u32(f.at[IPVS_SVC_ATTR_NETMASK]), 0xffffffff);
	assert_null(f.at[IPVS_SVC_ATTR_FWMARK]);
	assert_null(f.at[IPVS_SVC_ATTR_PE_NAME]);
}

static void vs_set_ipv6(void **state)
{
	static const uint8_t addr[16] = { 0xfd, [15] = 1 };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct op op = op_of(OP_VS_SET, "[fd00::1]:443/tcp", NULL);
	struct ip_vs_flags flags = { 0x10, 0xffffffff };
	struct flat f;

	op.attrs.flags = 0x10 | VS_FLAG_HASHED; /* the kernel's own mark is not sent back */
	ipvs_put_op(&batch, FAMILY, &op);
	f = flat(message(&batch, IPVS_CMD_SET_SERVICE).at[IPVS_CMD_ATTR_SERVICE]);
	assert_int_equal(mnl_attr_get_u16(f.at[IPVS_SVC_ATTR_AF]), AF_INET6);
	assert_bytes(f.at[IPVS_SVC_ATTR_ADDR], addr, 16);
	assert_bytes(f.at[IPVS_SVC_ATTR_FLAGS], &flags, sizeof(flags));
	assert_int_equal(mnl_attr_get_u32(f.at[IPVS_SVC_ATTR_NETMASK]), 128);
}

static void vs_del_has_the_key_alone(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct op op = op_of(OP_VS_DEL, "10.96.0.10:80/sctp", NULL);
	struct flat f;

	ipvs_put_op(&batch, FAMILY, &op);
	f = flat(message(&batch, IPVS_CMD_DEL_SERVICE).at[IPVS_CMD_ATTR_SERVICE]);
	assert_int_equal(mnl_attr_get_u16(f.at[IPVS_SVC_ATTR_PROTOCOL]), 132);
	assert_null(f.at[IPVS_SVC_ATTR_SCHED_NAME]);
	assert_null(f.at[IPVS_SVC_ATTR_FLAGS]);
}

static void rs_messages(void **state)
{
	static const struct {
		enum op_kind kind;
		uint8_t cmd;
	} cases[] = {
		{ OP_RS_ADD, IPVS_CMD_NEW_DEST },
		{ OP_RS_RAISE, IPVS_CMD_SET_DEST },
		{ OP_RS_ZERO, IPVS_CMD_SET_DEST },
		{ OP_RS_DEL, IPVS_CMD_DEL_DEST },
	};
	static const uint8_t addr[16] = { 10, 1, 0, 5 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
		struct op op = op_of(cases[i].kind, "10.96.0.10:80/tcp", "10.1.0.5:8080");
		struct flat m, f;

		op.weight = cases[i].kind == OP_RS_ZERO ? 0 : 100000;
		ipvs_put_op(&batch, FAMILY, &op);
		m = message(&batch, cases[i].cmd);
		f = flat(m.at[IPVS_CMD_ATTR_SERVICE]);
		assert_int_equal(mnl_attr_get_u16(f.at[IPVS_SVC_ATTR_PORT]), htons(80));
		f = flat(m.at[IPVS_CMD_ATTR_DEST]);
		assert_bytes(f.at[IPVS_DEST_ATTR_ADDR], addr, 16);
		assert_int_equal(mnl_attr_get_u16(f.at[IPVS_DEST_ATTR_PORT]), htons(8080));
		assert_int_equal(mnl_attr_get_u16(f.at[IPVS_DEST_ATTR_ADDR_FAMILY]), AF_INET);
		assert_null(f.at[IPVS_DEST_ATTR_TUN_TYPE]);
		if (cases[i].kind == OP_RS_DEL) {
			assert_null(f.at[IPVS_DEST_ATTR_WEIGHT]);
			continue;
		}
		assert_int_equal(mnl_attr_get_u32(f.at[IPVS_DEST_ATTR_WEIGHT]), op.weight);
		assert_int_equal(mnl_attr_get_u32(f.at[IPVS_DEST_ATTR_FWD_METHOD]), 0);
		assert_int_equal(mnl_attr_get_u32(f.at[IPVS_DEST_ATTR_U_THRESH]), 0);
		assert_int_equal(mnl_attr_get_u32(f.at[IPVS_DEST_ATTR_L_THRESH]), 0);
	}
}

/* A row as the kernel sends it; skip: this attribute lacks; thin: it is a byte long. */
static const struct nlmsghdr *vs_row_message(struct nl_batch *batch, uint16_t proto, int skip, int thin)
{
	static const uint8_t addr[16] = { 10, 96, 0, 10 };
	const struct genlmsghdr head = { .cmd = IPVS_CMD_NEW_SERVICE, .version = 1 };
	const struct ip_vs_flags flags = { 3, 0xffffffff };
	const uint16_t af = AF_INET, port = htons(80);
	const uint32_t timeout = 50, mask = 0xffffffff;
	const struct {
		int type;
		const void *p;
		size_t n;
	} attrs[] = {
		{ IPVS_SVC_ATTR_AF, &af, 2 },          { IPVS_SVC_ATTR_PROTOCOL, &proto, 2 },
		{ IPVS_SVC_ATTR_ADDR, addr, 16 },      { IPVS_SVC_ATTR_PORT, &port, 2 },
		{ IPVS_SVC_ATTR_SCHED_NAME, "rr", 3 }, { IPVS_SVC_ATTR_FLAGS, &flags, sizeof(flags) },
		{ IPVS_SVC_ATTR_TIMEOUT, &timeout, 4 }, { IPVS_SVC_ATTR_NETMASK, &mask, 4 },
	};
	struct nlmsghdr *nlh = nl_batch_put(batch, FAMILY, 0, &head, sizeof(head), 512);
	struct nlattr *nest = mnl_attr_nest_start(nlh, IPVS_CMD_ATTR_SERVICE);

	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++)
		if (attrs[i].type != skip)
			mnl_attr_put(nlh, (uint16_t)attrs[i].type, attrs[i].type == thin ? 1 : attrs[i].n, attrs[i].p);
	mnl_attr_nest_end(nlh, nest);
	nl_batch_end(batch, nlh);
	return nlh;
}

static void vs_row_is_read(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	const struct vs_attrs attrs = { .sched = "rr", .flags = 3, .timeout_s = 50 };
	struct vs_row row = { 0 };
	char text[VS_TEXT];

	assert_int_equal(ipvs_get_vs(vs_row_message(&batch, PROTO_TCP, -1, -1), &row), 0);
	assert_string_equal(vs_format(&row.key, text), "10.96.0.10:80/tcp");
	assert_memory_equal(&row.attrs, &attrs, sizeof(attrs));
}

static void vs_row_of_another_protocol_is_left_out(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct vs_row row;

	assert_int_equal(ipvs_get_vs(vs_row_message(&batch, 51, -1, -1), &row), 1);
}

static void vs_row_with_a_firewall_mark_is_left_out(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	const struct genlmsghdr head = { .cmd = IPVS_CMD_NEW_SERVICE, .version = 1 };
	struct nlmsghdr *nlh = nl_batch_put(&batch, FAMILY, 0, &head, sizeof(head), 512);
	struct nlattr *nest = mnl_attr_nest_start(nlh, IPVS_CMD_ATTR_SERVICE);
	const struct ip_vs_flags flags = { 0, 0 };
	struct vs_row row;

	mnl_attr_put_u16(nlh, IPVS_SVC_ATTR_AF, AF_INET);
	mnl_attr_put_u32(nlh, IPVS_SVC_ATTR_FWMARK, 7);
	mnl_attr_put_strz(nlh, IPVS_SVC_ATTR_SCHED_NAME, "rr");
	mnl_attr_put(nlh, IPVS_SVC_ATTR_FLAGS, sizeof(flags), &flags);
	mnl_attr_put_u32(nlh, IPVS_SVC_ATTR_TIMEOUT, 0);
	mnl_attr_nest_end(nlh, nest);
	nl_batch_end(&batch, nlh);
	assert_int_equal(ipvs_get_vs(nlh, &row), 1);
}

static void vs_row_that_lacks_or_cuts_something(void **state)
{
	static const int needed[] = { IPVS_SVC_ATTR_AF, IPVS_SVC_ATTR_PROTOCOL, IPVS_SVC_ATTR_ADDR, IPVS_SVC_ATTR_PORT,
				      IPVS_SVC_ATTR_SCHED_NAME, IPVS_SVC_ATTR_FLAGS, IPVS_SVC_ATTR_TIMEOUT };
	struct vs_row row;

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 }, thin = { 0 };

		assert_int_equal(ipvs_get_vs(vs_row_message(&batch, PROTO_TCP, needed[i], -1), &row), -EBADMSG);
		if (needed[i] != IPVS_SVC_ATTR_SCHED_NAME)
			assert_int_equal(ipvs_get_vs(vs_row_message(&thin, PROTO_TCP, -1, needed[i]), &row), -EBADMSG);
	}
}

static const struct nlmsghdr *rs_row_message(struct nl_batch *batch, uint16_t af, size_t addr_size)
{
	static const uint8_t addr[16] = { 0xfd, [15] = 9 };
	const struct genlmsghdr head = { .cmd = IPVS_CMD_NEW_DEST, .version = 1 };
	struct nlmsghdr *nlh = nl_batch_put(batch, FAMILY, 0, &head, sizeof(head), 512);
	struct nlattr *nest = mnl_attr_nest_start(nlh, IPVS_CMD_ATTR_DEST);

	mnl_attr_put(nlh, IPVS_DEST_ATTR_ADDR, addr_size, addr);
	mnl_attr_put_u16(nlh, IPVS_DEST_ATTR_PORT, htons(8080));
	mnl_attr_put_u32(nlh, IPVS_DEST_ATTR_WEIGHT, 70000);
	mnl_attr_put_u32(nlh, IPVS_DEST_ATTR_ACTIVE_CONNS, 4);
	mnl_attr_put_u32(nlh, IPVS_DEST_ATTR_INACT_CONNS, 5);
	mnl_attr_put_u32(nlh, IPVS_DEST_ATTR_PERSIST_CONNS, 6);
	if (af)
		mnl_attr_put_u16(nlh, IPVS_DEST_ATTR_ADDR_FAMILY, af);
	mnl_attr_nest_end(nlh, nest);
	nl_batch_end(batch, nlh);
	return nlh;
}

static void rs_row_is_read(void **state)
{
	static const uint16_t families[] = { AF_INET6, 0 }; /* old kernels don't tell it */
	char text[RS_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
		struct rs_row row = { 0 };

		assert_int_equal(ipvs_get_rs(rs_row_message(&batch, families[i], 16), AF_INET6, &row), 0);
		assert_string_equal(rs_format(&row.key, text), "[fd00::9]:8080");
		assert_int_equal(row.weight, 70000);
		assert_int_equal(row.active, 4);
		assert_int_equal(row.inactive, 5);
		assert_int_equal(row.persist, 6);
	}
}

static void rs_row_of_another_family_is_left_out(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct rs_row row;

	assert_int_equal(ipvs_get_rs(rs_row_message(&batch, AF_INET6, 16), AF_INET, &row), 1);
}

static void rs_row_with_half_an_address(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct rs_row row;

	assert_int_equal(ipvs_get_rs(rs_row_message(&batch, AF_INET6, 4), AF_INET6, &row), -EBADMSG);
}

static void rows_cut_anywhere(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = (struct nlmsghdr *)rs_row_message(&batch, AF_INET6, 16);
	uint32_t whole = nlh->nlmsg_len;
	struct rs_row row;

	for (uint32_t n = sizeof(*nlh); n < whole; n++) {
		nlh->nlmsg_len = n;
		assert_int_equal(ipvs_get_rs(nlh, AF_INET6, &row), -EBADMSG);
	}
}

static void family_number(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	const struct genlmsghdr head = { .cmd = CTRL_CMD_NEWFAMILY };
	struct nlmsghdr *nlh = nl_batch_put(&batch, GENL_ID_CTRL, 0, &head, sizeof(head), 64);
	uint16_t family = 0;

	assert_int_equal(ipvs_get_family(nlh, &family), -EBADMSG);
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, 37);
	assert_int_equal(ipvs_get_family(nlh, &family), 0);
	assert_int_equal(family, 37);
	nl_batch_end(&batch, nlh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vs_add_ipv4),
		cmocka_unit_test(vs_set_ipv6),
		cmocka_unit_test(vs_del_has_the_key_alone),
		cmocka_unit_test(rs_messages),
		cmocka_unit_test(vs_row_is_read),
		cmocka_unit_test(vs_row_of_another_protocol_is_left_out),
		cmocka_unit_test(vs_row_with_a_firewall_mark_is_left_out),
		cmocka_unit_test(vs_row_that_lacks_or_cuts_something),
		cmocka_unit_test(rs_row_is_read),
		cmocka_unit_test(rs_row_of_another_family_is_left_out),
		cmocka_unit_test(rs_row_with_half_an_address),
		cmocka_unit_test(rows_cut_anywhere),
		cmocka_unit_test(family_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
