/* The connections of one real server: which are listed, in which words, and which are not. */
#include "contract/contract.h"

#include <errno.h>
#include <string.h>

#define VS "203.0.113.10:80/tcp"
#define VS_PORT "203.0.113.10:81/tcp"
#define VS_OTHER "203.0.113.11:80/tcp"
#define VS_UDP "203.0.113.10:53/udp"
#define VS6 "[2001:db8:2::10]:80/tcp"
#define VS6_OTHER "[2001:db8:2::11]:80/tcp"
#define RS "192.0.2.11:8080"
#define RS_MUTE "192.0.2.11:8081"
#define RS_OTHER "192.0.2.12:8080"
#define RS_UDP "192.0.2.11:5353"
#define RS6 "[2001:db8:1::11]:8080"
#define RS6_OTHER "[2001:db8:1::12]:8080"
#define CLIENT "198.51.100.90:40001"
#define CLIENT6 "[2001:db8:3::90]:40001"
#define SOON_MS 5000
#define ALL 100 /* rows: more than there are */

struct look {
	int code;
	size_t rows;
	uint32_t n[FLOW_STATES], all;
	struct flow first;
};

static struct look look(struct contract *c, const char *vs_text, const char *rs_text, size_t max)
{
	struct vs_key vs = vs_of(vs_text);
	struct rs_key rs = rs_of(rs_text);
	struct kernel_flows flows = { 0 };
	struct look ret = { .code = c->k->v->list_flows(c->k, &vs, &rs, max, &flows, NULL) };

	ret.rows = flows.rows.n;
	if (ret.rows)
		ret.first = flows.rows.v[0];
	memcpy(ret.n, flows.n, sizeof(ret.n));
	for (int i = 0; i < FLOW_STATES; i++)
		ret.all += ret.n[i];
	kernel_flows_fini(&flows);
	return ret;
}

/* Will all that is listed be so many of this state? Packets take their time. */
static bool soon(struct contract *c, const char *vs, const char *rs, enum flow_state state, uint32_t n)
{
	for (int ms = 0; ms < SOON_MS; ms += 20) {
		struct look is = look(c, vs, rs, ALL);

		if (is.code == 0 && is.n[state] == n && is.all == n && is.rows == n)
			return true;
		hand_wait(c, 20);
	}
	return false;
}

static int ready(struct contract *c, const char *vs, const char *rs)
{
	struct ip ip = vs_of(vs).ip;
	struct op bind = { .kind = OP_ADDR_ADD, .vs.ip = ip };
	int code = c->k->v->prepare(c->k, NULL, NULL);

	if (!code)
		code = do_op(c, bind);
	if (!code || code == -EEXIST)
		code = do_vs(c, OP_VS_ADD, vs);
	return code ? code : do_rs(c, OP_RS_ADD, vs, rs, 1);
}

static bool is_client(const struct flow *flow, const char *text)
{
	struct rs_key key = rs_of(text);

	return ip_equal(&flow->client, &key.ip) && flow->port == key.port;
}

static bool only(struct contract *c, const char *vs, const char *rs, const char *client)
{
	struct look is = look(c, vs, rs, ALL);

	return is.all == 1 && is.rows == 1 && is_client(&is.first, client);
}

static void nothing_is_listed_without_connections(struct contract *c)
{
	struct look is = look(c, VS, RS, ALL);

	CHECK_INT(c, is.code, 0); /* no such virtual server */
	CHECK_INT(c, is.all + is.rows, 0);
	CHECK_INT(c, ready(c, VS, RS), 0);
	is = look(c, VS, RS, ALL);
	CHECK_INT(c, is.code, 0);
	CHECK_INT(c, is.all + is.rows, 0);
}

static void an_open_connection_is_listed(struct contract *c)
{
	struct look is;

	CHECK_INT(c, ready(c, VS, RS), 0);
	hand_connect(c, CLIENT, VS);
	CHECK(c, soon(c, VS, RS, FLOW_ESTABLISHED, 1));
	is = look(c, VS, RS, ALL);
	CHECK(c, is_client(&is.first, CLIENT));
	CHECK_INT(c, is.first.state, FLOW_ESTABLISHED);
	CHECK(c, is.first.left_s > 800 && is.first.left_s <= 900); /* by the clock of IPVS, not that of conntrack */
}

static void an_open_connection_of_ipv6_is_listed(struct contract *c)
{
	struct look is;

	CHECK_INT(c, ready(c, VS6, RS6), 0);
	CHECK_INT(c, ready(c, VS6_OTHER, RS6), 0);
	hand_connect(c, CLIENT6, VS6);
	CHECK(c, soon(c, VS6, RS6, FLOW_ESTABLISHED, 1));
	is = look(c, VS6, RS6, ALL);
	CHECK(c, is_client(&is.first, CLIENT6));
	CHECK(c, is.first.left_s > 800 && is.first.left_s <= 900);
	CHECK_INT(c, look(c, VS6, RS6_OTHER, ALL).all, 0);
	CHECK_INT(c, look(c, VS6_OTHER, RS6, ALL).all, 0);
	CHECK_INT(c, look(c, VS6, RS6, ALL).all, 1);
}

static void a_reset_connection_is_closed(struct contract *c)
{
	struct look is;

	CHECK_INT(c, ready(c, VS, RS), 0);
	hand_connect(c, CLIENT, VS);
	hand_reset(c, CLIENT);
	CHECK(c, soon(c, VS, RS, FLOW_CLOSE, 1));
	is = look(c, VS, RS, ALL);
	CHECK(c, is_client(&is.first, CLIENT) && is.first.left_s <= 10);
}

static void an_orderly_end_is_time_wait(struct contract *c)
{
	struct look is;

	CHECK_INT(c, ready(c, VS, RS), 0);
	hand_connect(c, CLIENT, VS);
	hand_close(c, CLIENT);
	CHECK(c, soon(c, VS, RS, FLOW_TIME_WAIT, 1));
	is = look(c, VS, RS, ALL);
	CHECK(c, is_client(&is.first, CLIENT) && is.first.left_s > 60 && is.first.left_s <= 120);
}

static void a_half_closed_connection_waits_for_the_rest(struct contract *c)
{
	struct look is;

	CHECK_INT(c, ready(c, VS, RS_MUTE), 0);
	hand_connect_mute(c, CLIENT, VS);
	CHECK(c, soon(c, VS, RS_MUTE, FLOW_ESTABLISHED, 1));
	hand_half_close(c, CLIENT);
	CHECK(c, soon(c, VS, RS_MUTE, FLOW_CLOSE_WAIT, 1));
	is = look(c, VS, RS_MUTE, ALL);
	CHECK(c, is.first.left_s > 30 && is.first.left_s <= 60);
}

static void a_flow_of_datagrams_has_no_state(struct contract *c)
{
	struct rs_key client = rs_of(CLIENT);
	struct look is;

	CHECK_INT(c, ready(c, VS_UDP, RS_UDP), 0);
	hand_datagram(c, CLIENT, VS_UDP);
	CHECK(c, soon(c, VS_UDP, RS_UDP, FLOW_OTHER, 1));
	is = look(c, VS_UDP, RS_UDP, ALL);
	CHECK(c, ip_equal(&is.first.client, &client.ip) && is.first.left_s == 0); /* no clock of IPVS */
}

static void connections_of_others_are_not_listed(struct contract *c)
{
	CHECK_INT(c, ready(c, VS, RS), 0);
	CHECK_INT(c, ready(c, VS_OTHER, RS), 0);
	CHECK_INT(c, ready(c, VS_PORT, RS), 0);
	hand_connect(c, "198.51.100.90:40001", VS);
	hand_connect(c, "198.51.100.90:40002", VS_OTHER);
	hand_connect(c, "198.51.100.90:40003", VS_PORT);
	hand_connect_past(c, "198.51.100.90:40004", RS);
	CHECK_INT(c, do_rs(c, OP_RS_ZERO, VS, RS, 0), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS_OTHER, 1), 0);
	hand_connect(c, "198.51.100.90:40005", VS);
	CHECK_INT(c, do_rs(c, OP_RS_ZERO, VS, RS_OTHER, 0), 0);
	CHECK_INT(c, do_rs(c, OP_RS_ADD, VS, RS_MUTE, 1), 0);
	hand_connect_mute(c, "198.51.100.90:40006", VS);
	CHECK(c, soon(c, VS, RS, FLOW_ESTABLISHED, 1));
	CHECK(c, only(c, VS, RS, "198.51.100.90:40001"));
	CHECK(c, only(c, VS_OTHER, RS, "198.51.100.90:40002"));
	CHECK(c, only(c, VS_PORT, RS, "198.51.100.90:40003"));
	CHECK(c, only(c, VS, RS_OTHER, "198.51.100.90:40005"));
	CHECK(c, only(c, VS, RS_MUTE, "198.51.100.90:40006"));
	CHECK_INT(c, look(c, VS_OTHER, RS_OTHER, ALL).all, 0);
}

static void connections_go_with_their_real_server(struct contract *c)
{
	CHECK_INT(c, ready(c, VS, RS), 0);
	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS_OTHER), 0); /* IPVS stays at work */
	hand_connect(c, CLIENT, VS);
	CHECK(c, soon(c, VS, RS, FLOW_ESTABLISHED, 1));
	CHECK_INT(c, do_rs(c, OP_RS_DEL, VS, RS, 0), 0);
	CHECK(c, soon(c, VS, RS, FLOW_ESTABLISHED, 0));
}

/* IPVS takes conntrack's entry along, which for itself would stay for days. */
static void a_connection_that_ipvs_forgets_is_listed_no_more(struct contract *c)
{
	CHECK_INT(c, ready(c, VS, RS), 0);
	hand_short_idle(c);
	hand_connect(c, CLIENT, VS);
	CHECK(c, soon(c, VS, RS, FLOW_ESTABLISHED, 1));
	hand_wait_idle(c);
	CHECK(c, soon(c, VS, RS, FLOW_ESTABLISHED, 0));
}

static void no_more_rows_than_asked_for_but_all_are_counted(struct contract *c)
{
	struct vs_key vs = vs_of(VS);
	struct rs_key rs = rs_of(RS);
	struct kernel_flows flows = { 0 };
	size_t rows;
	uint32_t n;

	CHECK_INT(c, ready(c, VS, RS), 0);
	hand_connect(c, "198.51.100.90:40001", VS);
	hand_connect(c, "198.51.100.90:40002", VS);
	hand_connect(c, "198.51.100.90:40003", VS);
	CHECK(c, soon(c, VS, RS, FLOW_ESTABLISHED, 3));
	CHECK_INT(c, look(c, VS, RS, 0).rows, 0);
	CHECK_INT(c, look(c, VS, RS, 0).all, 3);
	for (int i = 0; i < 2; i++) /* appends */
		CHECK_INT(c, c->k->v->list_flows(c->k, &vs, &rs, 2, &flows, NULL), 0);
	rows = flows.rows.n;
	n = flows.n[FLOW_ESTABLISHED];
	kernel_flows_fini(&flows);
	CHECK_INT(c, rows, 4);
	CHECK_INT(c, n, 6);
}

/* What only the fake kernel does at will. */
static void a_list_of_connections_fails_like_the_others(struct contract *c)
{
	size_t reads;

	if (!c->fake)
		return;
	CHECK_INT(c, ready(c, VS, RS), 0);
	hand_connect(c, CLIENT, VS);
	reads = fake_reads(c->fake);
	fake_interrupt(c->fake, 1);
	CHECK_INT(c, look(c, VS, RS, ALL).code, -EAGAIN);
	CHECK_INT(c, look(c, VS, RS, ALL).code, 0);
	CHECK_INT(c, fake_reads(c->fake) - reads, 2);
	fake_conntrack(c->fake, false);
	CHECK_INT(c, look(c, VS, RS, ALL).code, -EOPNOTSUPP);
	fake_fault_nth(c->fake, FAKE_DIE_BEFORE, 1, 0);
	CHECK_INT(c, do_rs(c, OP_RS_ZERO, VS, RS, 0), -ETIMEDOUT);
	CHECK_INT(c, look(c, VS, RS, ALL).code, -ETIMEDOUT);
}

const struct contract_test contract_flows[] = {
	CONTRACT_TEST_CLIENTS(nothing_is_listed_without_connections),
	CONTRACT_TEST_CLIENTS(an_open_connection_is_listed),
	CONTRACT_TEST_CLIENTS(an_open_connection_of_ipv6_is_listed),
	CONTRACT_TEST_CLIENTS(a_reset_connection_is_closed),
	CONTRACT_TEST_CLIENTS(an_orderly_end_is_time_wait),
	CONTRACT_TEST_CLIENTS(a_half_closed_connection_waits_for_the_rest),
	CONTRACT_TEST_CLIENTS(a_flow_of_datagrams_has_no_state),
	CONTRACT_TEST_CLIENTS(connections_of_others_are_not_listed),
	CONTRACT_TEST_CLIENTS(connections_go_with_their_real_server),
	CONTRACT_TEST_CLIENTS(a_connection_that_ipvs_forgets_is_listed_no_more),
	CONTRACT_TEST_CLIENTS(no_more_rows_than_asked_for_but_all_are_counted),
	CONTRACT_TEST(a_list_of_connections_fails_like_the_others),
	{ 0 },
};
