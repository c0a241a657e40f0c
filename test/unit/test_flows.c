/* Connections of a real server: the question as the kernel reads it, and rows, whole, cut and of others. */
#include "kernel/flows.h"

#include "test/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_conntrack_sctp.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <string.h>

#define ROW_TYPE (NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW)

/* What a row of the kernel holds. */
struct row {
	const char *client, *vs, *rs, *node; /* ADDRESS:PORT; node: to whom the real server answers */
	uint8_t family, proto;
	int state;                           /* < 0: not told */
	int thin;                            /* this attribute of the message has one byte */
	bool portless;
};
static const struct row v4 = { "198.51.100.90:40000", "10.96.0.10:80", "10.1.0.5:8080", "10.2.0.1:50000", AF_INET, PROTO_TCP,
			       TCP_CONNTRACK_ESTABLISHED, -1, false };
static const struct row v6 = { "[2001:db8:3::90]:40000", "[fd00::10]:80", "[fd00:1::5]:8080", "[fd00:2::1]:50000", AF_INET6, PROTO_TCP,
			       TCP_CONNTRACK_ESTABLISHED, -1, false };

static void put_tuple(struct nlmsghdr *nlh, const struct row *row, uint16_t type, const char *src, const char *dst)
{
	struct rs_key from = rs_of(src), to = rs_of(dst);
	bool is_v4 = row->family == AF_INET;
	struct nlattr *nest, *part;

	if (row->thin == type) {
		mnl_attr_put_u8(nlh, type, 1);
		return;
	}
	nest = mnl_attr_nest_start(nlh, type);
	part = mnl_attr_nest_start(nlh, CTA_TUPLE_IP);
	mnl_attr_put(nlh, is_v4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC, ip_size(&from.ip), from.ip.bytes);
	mnl_attr_put(nlh, is_v4 ? CTA_IP_V4_DST : CTA_IP_V6_DST, ip_size(&to.ip), to.ip.bytes);
	mnl_attr_nest_end(nlh, part);
	part = mnl_attr_nest_start(nlh, CTA_TUPLE_PROTO);
	mnl_attr_put_u8(nlh, CTA_PROTO_NUM, row->proto);
	if (!row->portless) {
		mnl_attr_put_u16(nlh, CTA_PROTO_SRC_PORT, htons(from.port));
		mnl_attr_put_u16(nlh, CTA_PROTO_DST_PORT, htons(to.port));
	}
	mnl_attr_nest_end(nlh, part);
	mnl_attr_nest_end(nlh, nest);
}

static void put_state(struct nlmsghdr *nlh, const struct row *row)
{
	struct nlattr *nest, *part;

	if (row->state < 0)
		return;
	nest = mnl_attr_nest_start(nlh, CTA_PROTOINFO);
	part = mnl_attr_nest_start(nlh, row->proto == PROTO_SCTP ? CTA_PROTOINFO_SCTP : CTA_PROTOINFO_TCP);
	mnl_attr_put_u8(nlh, CTA_PROTOINFO_TCP_STATE, (uint8_t)row->state); /* of SCTP: the same number */
	mnl_attr_nest_end(nlh, part);
	mnl_attr_nest_end(nlh, nest);
}

static struct nlmsghdr *put_row(struct nl_batch *batch, const struct row *row)
{
	const struct nfgenmsg head = { .nfgen_family = row->family };
	struct nlmsghdr *nlh = nl_batch_put(batch, ROW_TYPE, 0, &head, sizeof(head), 512);

	put_tuple(nlh, row, CTA_TUPLE_ORIG, row->client, row->vs);
	put_tuple(nlh, row, CTA_TUPLE_REPLY, row->rs, row->node);
	put_state(nlh, row);
	if (row->thin == CTA_TIMEOUT)
		mnl_attr_put_u8(nlh, CTA_TIMEOUT, 1);
	else
		mnl_attr_put_u32(nlh, CTA_TIMEOUT, htonl(431999));
	nl_batch_end(batch, nlh);
	return nlh;
}

static int get(const struct nlmsghdr *nlh, const struct row *row, struct flow *ret)
{
	struct rs_key at = rs_of(row->vs), rs = rs_of(row->rs);
	const struct vs_key vs = { at.ip, row->proto, at.port };

	return flows_get(nlh, &vs, &rs, ret);
}

/* Reads row as an answer to the question about what of. */
static int get_of(const struct row *row, const struct row *of, struct flow *ret)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };

	return get(put_row(&batch, row), of, ret);
}

static void row_is_read(void **state)
{
	static const struct row *const rows[] = { &v4, &v6 };
	struct flow flow;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rs_key client = rs_of(rows[i]->client);

		assert_int_equal(get_of(rows[i], rows[i], &flow), 0);
		assert_true(ip_equal(&flow.client, &client.ip));
		assert_int_equal(flow.port, 40000);
		assert_int_equal(flow.state, FLOW_ESTABLISHED);
		assert_int_equal(flow.left_s, 431999);
	}
}

static void states(void **state)
{
	static const struct {
		uint8_t proto;
		int state;
		enum flow_state want;
	} cases[] = {
		{ PROTO_TCP, TCP_CONNTRACK_NONE, FLOW_OTHER },
		{ PROTO_TCP, TCP_CONNTRACK_SYN_SENT, FLOW_SYN },
		{ PROTO_TCP, TCP_CONNTRACK_SYN_RECV, FLOW_SYN },
		{ PROTO_TCP, TCP_CONNTRACK_SYN_SENT2, FLOW_SYN },
		{ PROTO_TCP, TCP_CONNTRACK_ESTABLISHED, FLOW_ESTABLISHED },
		{ PROTO_TCP, TCP_CONNTRACK_FIN_WAIT, FLOW_FIN_WAIT },
		{ PROTO_TCP, TCP_CONNTRACK_CLOSE_WAIT, FLOW_CLOSE_WAIT },
		{ PROTO_TCP, TCP_CONNTRACK_LAST_ACK, FLOW_LAST_ACK },
		{ PROTO_TCP, TCP_CONNTRACK_TIME_WAIT, FLOW_TIME_WAIT },
		{ PROTO_TCP, TCP_CONNTRACK_CLOSE, FLOW_CLOSE },
		{ PROTO_TCP, TCP_CONNTRACK_MAX, FLOW_OTHER },
		{ PROTO_TCP, 255, FLOW_OTHER },
		{ PROTO_TCP, -1, FLOW_OTHER },
		{ PROTO_UDP, -1, FLOW_OTHER },
		{ PROTO_UDP, TCP_CONNTRACK_ESTABLISHED, FLOW_OTHER }, /* told of TCP */
		{ PROTO_SCTP, SCTP_CONNTRACK_COOKIE_WAIT, FLOW_SYN },
		{ PROTO_SCTP, SCTP_CONNTRACK_COOKIE_ECHOED, FLOW_SYN },
		{ PROTO_SCTP, SCTP_CONNTRACK_ESTABLISHED, FLOW_ESTABLISHED },
		{ PROTO_SCTP, SCTP_CONNTRACK_SHUTDOWN_SENT, FLOW_FIN_WAIT },
		{ PROTO_SCTP, SCTP_CONNTRACK_SHUTDOWN_RECD, FLOW_FIN_WAIT },
		{ PROTO_SCTP, SCTP_CONNTRACK_SHUTDOWN_ACK_SENT, FLOW_LAST_ACK },
		{ PROTO_SCTP, SCTP_CONNTRACK_CLOSED, FLOW_CLOSE },
		{ PROTO_SCTP, SCTP_CONNTRACK_HEARTBEAT_SENT, FLOW_OTHER },
		{ PROTO_SCTP, 255, FLOW_OTHER },
	};
	struct flow flow;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct row row = v4;

		row.proto = cases[i].proto;
		row.state = cases[i].state;
		assert_int_equal(get_of(&row, &row, &flow), 0);
		assert_int_equal(flow.state, cases[i].want);
	}
}

static void words(void **state)
{
	assert_string_equal(flow_state_word(FLOW_SYN), "syn");
	assert_string_equal(flow_state_word(FLOW_TIME_WAIT), "time-wait");
	assert_string_equal(flow_state_word(FLOW_OTHER), "other");
	assert_string_equal(flow_state_word(FLOW_STATES), "?");
}

/* The filter of the kernel is not trusted: each part that it should have compared is another one's here. */
static void rows_of_others(void **state)
{
	struct row rows[8];
	struct flow flow;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		rows[i] = v4;
	rows[0].vs = "10.96.0.11:80";
	rows[1].vs = "10.96.0.10:81";
	rows[2].rs = "10.1.0.6:8080";
	rows[3].rs = "10.1.0.5:8081";
	rows[4].proto = PROTO_UDP;
	rows[5].proto = 1;
	rows[5].portless = true;
	rows[6] = v6;
	rows[7].vs = v4.rs; /* past IPVS */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(get_of(&rows[i], &v4, &flow), 1);
	rows[0] = v6;
	rows[0].vs = "[fd00::11]:80";
	rows[1] = v6;
	rows[1].rs = "[fd00:1::6]:8080";
	assert_int_equal(get_of(&rows[0], &v6, &flow), 1);
	assert_int_equal(get_of(&rows[1], &v6, &flow), 1);
}

static void rows_cut_anywhere(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = put_row(&batch, &v6);
	uint32_t whole = nlh->nlmsg_len, before_state;
	struct flow flow;

	/* The last two attributes need not be there. */
	before_state = whole - (uint32_t)(MNL_ATTR_HDRLEN + 4) - (uint32_t)(3 * MNL_ATTR_HDRLEN + 4);
	for (uint32_t n = sizeof(*nlh); n < before_state; n++) {
		nlh->nlmsg_len = n;
		assert_int_equal(get(nlh, &v6, &flow), -EBADMSG);
	}
	for (uint32_t n = before_state; n < whole; n++) {
		int code;

		nlh->nlmsg_len = n;
		code = get(nlh, &v6, &flow);
		assert_true(code == 0 || code == -EBADMSG);
	}
}

/* Each length field of each attribute in turn is made a lie; nothing outside may be read (the sanitizers look), and no word be invented. */
static void rows_with_wrong_lengths(void **state)
{
	static const uint16_t lies[] = { 0, 1, 3, 4, 5, 7, 0x7fff, 0xffff };
	struct flow flow;

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++)
		for (size_t at = NLMSG_HDRLEN + sizeof(struct nfgenmsg);; at += 4) {
			CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
			struct nlmsghdr *nlh = put_row(&batch, &v4);
			CLEANUP(free_p) char *exact = xmalloc(nlh->nlmsg_len); /* its end is the memory's end */
			int code;

			if (at + 2 > nlh->nlmsg_len)
				break;
			memcpy((char *)nlh + at, &lies[i], sizeof(lies[i]));
			memcpy(exact, nlh, nlh->nlmsg_len);
			code = get((struct nlmsghdr *)exact, &v4, &flow);
			assert_true(code == 0 || code == 1 || code == -EBADMSG);
			assert_true(code || flow.state < FLOW_STATES);
		}
}

static void rows_that_are_thin_or_of_another_kind(void **state)
{
	static const int thin[] = { CTA_TUPLE_ORIG, CTA_TUPLE_REPLY, CTA_TIMEOUT };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = put_row(&batch, &v4);
	struct row row = v4;
	struct flow flow;

	for (size_t i = 0; i < ARRAY_SIZE(thin); i++) {
		row.thin = thin[i];
		assert_int_equal(get_of(&row, &v4, &flow), -EBADMSG);
	}
	row = v4; /* addresses of the other family's size */
	row.client = v6.client;
	assert_int_equal(get_of(&row, &v4, &flow), 0); /* longer than needed is cut, as everywhere */
	row = v6;
	row.client = v4.client;
	assert_int_equal(get_of(&row, &v6, &flow), -EBADMSG);
	nlh->nlmsg_type = NFNL_SUBSYS_NFTABLES << 8;
	assert_int_equal(get(nlh, &v4, &flow), -EBADMSG);
}

/* ---- the question ---- */

static const struct nlattr *in(const struct nlattr *nest, uint16_t type)
{
	const struct nlattr *attr;

	assert_non_null(nest);
	mnl_attr_for_each_nested(attr, nest)
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

static void asks(const struct row *row, uint32_t orig_flags, uint32_t reply_flags)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct rs_key at = rs_of(row->vs), rs = rs_of(row->rs);
	const struct vs_key vs = { at.ip, row->proto, at.port };
	const struct nlattr *attr, *top[CTA_MAX + 1] = { NULL }, *part;
	const struct nlmsghdr *nlh;

	flows_put(&batch, &vs, &rs);
	nlh = (const struct nlmsghdr *)batch.p;
	assert_int_equal(nlh->nlmsg_type, NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET);
	assert_int_equal(nlh->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	assert_int_equal(((const struct nfgenmsg *)mnl_nlmsg_get_payload(nlh))->nfgen_family, row->family);
	mnl_attr_for_each(attr, nlh, sizeof(struct nfgenmsg))
		top[mnl_attr_get_type(attr)] = attr;
	assert_true(top[CTA_FILTER]->nla_type & NLA_F_NESTED); /* the kernel insists */
	assert_int_equal(mnl_attr_get_u32(in(top[CTA_FILTER], CTA_FILTER_ORIG_FLAGS)), orig_flags);
	assert_int_equal(mnl_attr_get_u32(in(top[CTA_FILTER], CTA_FILTER_REPLY_FLAGS)), reply_flags);
	part = in(in(top[CTA_TUPLE_ORIG], CTA_TUPLE_IP), row->family == AF_INET ? CTA_IP_V4_DST : CTA_IP_V6_DST);
	assert_memory_equal(mnl_attr_get_payload(part), vs.ip.bytes, ip_size(&vs.ip));
	part = in(in(top[CTA_TUPLE_REPLY], CTA_TUPLE_IP), row->family == AF_INET ? CTA_IP_V4_SRC : CTA_IP_V6_SRC);
	assert_memory_equal(mnl_attr_get_payload(part), rs.ip.bytes, ip_size(&rs.ip));
	part = in(top[CTA_TUPLE_ORIG], CTA_TUPLE_PROTO);
	assert_int_equal(mnl_attr_get_u8(in(part, CTA_PROTO_NUM)), row->proto);
	assert_int_equal(mnl_attr_get_u16(in(part, CTA_PROTO_DST_PORT)), htons(vs.port));
	assert_int_equal(mnl_attr_get_u16(in(in(top[CTA_TUPLE_REPLY], CTA_TUPLE_PROTO), CTA_PROTO_SRC_PORT)), htons(rs.port));
}

static void question(void **state)
{
	asks(&v4, 0x2a, 0x19);
	asks(&v6, 0x28, 0x18); /* not by address */
}

/* ---- the list, with the test in the kernel's place ---- */

struct script {
	struct nl_batch answer[2];
	size_t asked, given;
	uint32_t seq;
};

static ssize_t script_send(void *ctx, const void *p, size_t n)
{
	struct script *s = ctx;

	s->seq = ((const struct nlmsghdr *)p)->nlmsg_seq;
	s->asked++;
	return (ssize_t)n;
}

static ssize_t script_recv(void *ctx, void *p, size_t n, bool wait, struct nl_from *ret_from)
{
	struct script *s = ctx;
	struct nl_batch *answer = &s->answer[s->given];
	struct nlmsghdr *nlh = (struct nlmsghdr *)answer->p;
	int left = (int)answer->n;

	if (s->given >= s->asked)
		return -EAGAIN;
	s->given++;
	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		nlh->nlmsg_seq = s->seq;
	assert_true(answer->n <= n);
	memcpy(p, answer->p, answer->n);
	*ret_from = (struct nl_from){ 0 };
	return (ssize_t)answer->n;
}

/* The end of a dump: 0, or what went wrong. */
static void put_end(struct nl_batch *batch, int code)
{
	nl_batch_end(batch, nl_batch_put(batch, NLMSG_DONE, NLM_F_MULTI, &code, sizeof(code), 0));
}

static int list(struct script *s, size_t max, struct kernel_flows *ret, struct err *err)
{
	const struct nl_io io = { script_send, script_recv, s };
	struct rs_key at = rs_of(v4.vs), rs = rs_of(v4.rs);
	const struct vs_key vs = { at.ip, v4.proto, at.port };
	struct flows flows = { 0 };
	int code;

	nl_open_io(&flows.nl, &io);
	code = flows_list(&flows, &vs, &rs, max, ret, err);
	if (code == -EOPNOTSUPP) { /* not asked again, unless the module is there now (on the machine that runs this) */
		assert_int_equal(flows.absent, true);
		if (access("/sys/module/nf_conntrack_netlink", F_OK) < 0)
			assert_int_equal(flows_list(&flows, &vs, &rs, max, ret, err), -EOPNOTSUPP);
		assert_int_equal(s->asked, 1);
	}
	flows_close(&flows);
	for (size_t i = 0; i < ARRAY_SIZE(s->answer); i++)
		nl_batch_fini(&s->answer[i]);
	return code;
}

static void interrupted_list_is_read_anew(void **state)
{
	struct row other = v4, closed = v4;
	struct kernel_flows flows = { .n = { [FLOW_CLOSE] = 5 } };
	struct script s = { 0 };

	other.rs = "10.1.0.6:8080";
	closed.state = TCP_CONNTRACK_CLOSE;
	*vec_push(&flows.rows) = (struct flow){ .port = 7 };
	put_row(&s.answer[0], &v4)->nlmsg_flags |= NLM_F_DUMP_INTR;
	put_end(&s.answer[0], 0);
	put_row(&s.answer[1], &v4);
	put_row(&s.answer[1], &other);
	put_row(&s.answer[1], &v4);
	put_row(&s.answer[1], &closed);
	put_end(&s.answer[1], 0);
	assert_int_equal(list(&s, 2, &flows, NULL), 0);
	assert_int_equal(s.asked, 2);
	assert_int_equal(flows.rows.n, 3);
	assert_int_equal(flows.rows.v[0].port, 7); /* what was there stays */
	assert_int_equal(flows.n[FLOW_ESTABLISHED], 2);
	assert_int_equal(flows.n[FLOW_CLOSE], 6);
	kernel_flows_fini(&flows);
	assert_null(flows.rows.v);
}

static void failed_list_leaves_nothing(void **state)
{
	static const struct {
		int told, want;
	} cases[] = { { -EINVAL, -EOPNOTSUPP }, { -EOPNOTSUPP, -EOPNOTSUPP }, { -EPERM, -EPERM }, { -ENOMEM, -ENOMEM } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kernel_flows flows = { 0 };
		struct err err = { 0 };
		struct script s = { 0 };

		put_row(&s.answer[0], &v4);
		put_end(&s.answer[0], cases[i].told);
		assert_int_equal(list(&s, 10, &flows, &err), cases[i].want);
		assert_int_equal(flows.rows.n, 0);
		assert_int_equal(flows.n[FLOW_ESTABLISHED], 0);
		assert_true(*err.text);
		kernel_flows_fini(&flows);
	}
}

static void row_that_is_not_understood_fails_the_list(void **state)
{
	struct kernel_flows flows = { 0 };
	struct script s = { 0 };
	struct row thin = v4;

	thin.thin = CTA_TUPLE_REPLY;
	put_row(&s.answer[0], &v4);
	put_row(&s.answer[0], &thin);
	put_end(&s.answer[0], 0);
	assert_int_equal(list(&s, 10, &flows, NULL), -EBADMSG);
	assert_int_equal(flows.rows.n, 0);
	kernel_flows_fini(&flows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(row_is_read),
		cmocka_unit_test(states),
		cmocka_unit_test(words),
		cmocka_unit_test(rows_of_others),
		cmocka_unit_test(rows_cut_anywhere),
		cmocka_unit_test(rows_with_wrong_lengths),
		cmocka_unit_test(rows_that_are_thin_or_of_another_kind),
		cmocka_unit_test(question),
		cmocka_unit_test(interrupted_list_is_read_anew),
		cmocka_unit_test(failed_list_leaves_nothing),
		cmocka_unit_test(row_that_is_not_understood_fails_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
