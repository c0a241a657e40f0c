/* Connections by ctnetlink: the question that lets the kernel filter, and rows into values. What the filter let pass is looked at once
 * more here. Knows nothing of what the connections are asked for. */
#include "kernel/flows.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_conntrack_sctp.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <stdio.h>
#include <string.h>

#define MODULE "/sys/module/nf_conntrack_netlink"
#define ROOM 256 /* bytes of attributes in the question */
#define ESTABLISHED "/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established"
#define ESTABLISHED_S 432000      /* its default */
#define IPVS_ESTABLISHED_S 900u   /* IPVS' own (ip_vs_proto_tcp.c; ipvsadm --set changes it): what ends there ends in conntrack too */

/* Which parts of a tuple the filter compares. The kernel keeps these numbers in net/netfilter/nf_internals.h (since 5.8). */
#define BY_IP_SRC (1u << 0)
#define BY_IP_DST (1u << 1)
#define BY_PROTO (1u << 3)
#define BY_PORT_SRC (1u << 4)
#define BY_PORT_DST (1u << 5)

/* One side of a tuple; a filter that names one side needs no other. */
static void put_side(struct nlmsghdr *nlh, uint16_t tuple, bool src, const struct ip *ip, uint8_t proto, uint16_t port)
{
	const uint16_t v4 = src ? CTA_IP_V4_SRC : CTA_IP_V4_DST, v6 = src ? CTA_IP_V6_SRC : CTA_IP_V6_DST;
	struct nlattr *nest = mnl_attr_nest_start(nlh, tuple), *part = mnl_attr_nest_start(nlh, CTA_TUPLE_IP);

	mnl_attr_put(nlh, ip->family == AF_INET ? v4 : v6, ip_size(ip), ip->bytes);
	mnl_attr_nest_end(nlh, part);
	part = mnl_attr_nest_start(nlh, CTA_TUPLE_PROTO);
	mnl_attr_put_u8(nlh, CTA_PROTO_NUM, proto);
	mnl_attr_put_u16(nlh, src ? CTA_PROTO_SRC_PORT : CTA_PROTO_DST_PORT, htons(port));
	mnl_attr_nest_end(nlh, part);
	mnl_attr_nest_end(nlh, nest);
}

void flows_put(struct nl_batch *batch, const struct vs_key *vs, const struct rs_key *rs)
{
	const struct nfgenmsg head = { .nfgen_family = vs->ip.family, .version = NFNETLINK_V0 };
	struct nlmsghdr *nlh = nl_batch_put(batch, NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET, NLM_F_DUMP, &head, sizeof(head), ROOM);
	/* ctnetlink_filter_match_tuple() takes the sense of ipv6_addr_cmp() the wrong way round: asked for an IPv6 address it leaves out
	 * exactly that one (seen on 6.1 and 7.2.13; 6.12.117 is mended). So for IPv6 it is asked for protocol and ports only. Of SCTP it
	 * compares no ports. */
	const bool by_ip = vs->ip.family == AF_INET;
	struct nlattr *nest;

	put_side(nlh, CTA_TUPLE_ORIG, false, &vs->ip, vs->proto, vs->port);
	put_side(nlh, CTA_TUPLE_REPLY, true, &rs->ip, vs->proto, rs->port);
	nest = mnl_attr_nest_start(nlh, CTA_FILTER); /* its flags are in host byte order */
	mnl_attr_put_u32(nlh, CTA_FILTER_ORIG_FLAGS, (by_ip ? BY_IP_DST : 0) | BY_PROTO | BY_PORT_DST);
	mnl_attr_put_u32(nlh, CTA_FILTER_REPLY_FLAGS, (by_ip ? BY_IP_SRC : 0) | BY_PROTO | BY_PORT_SRC);
	mnl_attr_nest_end(nlh, nest);
	nl_batch_end(batch, nlh);
}

static enum flow_state tcp_state(uint8_t state)
{
	static const uint8_t states[] = {
		[TCP_CONNTRACK_NONE] = FLOW_OTHER,
		[TCP_CONNTRACK_SYN_SENT] = FLOW_SYN,
		[TCP_CONNTRACK_SYN_RECV] = FLOW_SYN,
		[TCP_CONNTRACK_ESTABLISHED] = FLOW_ESTABLISHED,
		[TCP_CONNTRACK_FIN_WAIT] = FLOW_FIN_WAIT,
		[TCP_CONNTRACK_CLOSE_WAIT] = FLOW_CLOSE_WAIT,
		[TCP_CONNTRACK_LAST_ACK] = FLOW_LAST_ACK,
		[TCP_CONNTRACK_TIME_WAIT] = FLOW_TIME_WAIT,
		[TCP_CONNTRACK_CLOSE] = FLOW_CLOSE,
		[TCP_CONNTRACK_SYN_SENT2] = FLOW_SYN,
	};

	return state < ARRAY_SIZE(states) ? states[state] : FLOW_OTHER;
}

static enum flow_state sctp_state(uint8_t state)
{
	static const uint8_t states[] = {
		[SCTP_CONNTRACK_NONE] = FLOW_OTHER,
		[SCTP_CONNTRACK_CLOSED] = FLOW_CLOSE,
		[SCTP_CONNTRACK_COOKIE_WAIT] = FLOW_SYN,
		[SCTP_CONNTRACK_COOKIE_ECHOED] = FLOW_SYN,
		[SCTP_CONNTRACK_ESTABLISHED] = FLOW_ESTABLISHED,
		[SCTP_CONNTRACK_SHUTDOWN_SENT] = FLOW_FIN_WAIT,
		[SCTP_CONNTRACK_SHUTDOWN_RECD] = FLOW_FIN_WAIT,
		[SCTP_CONNTRACK_SHUTDOWN_ACK_SENT] = FLOW_LAST_ACK,
	};

	return state < ARRAY_SIZE(states) ? states[state] : FLOW_OTHER;
}

/* info: CTA_PROTOINFO, or NULL. A state that is not told is "other". */
static int get_state(const struct nlattr *info, uint8_t proto, uint8_t *ret)
{
	static const struct nl_rule rules[] = {
		[CTA_PROTOINFO_TCP] = { 4, true, false },
		[CTA_PROTOINFO_SCTP] = { 4, true, false },
	};
	static const struct nl_rule state_rules[] = { [CTA_PROTOINFO_TCP_STATE] = { 1, true, false } };
	const struct nlattr *at[ARRAY_SIZE(rules)], *state[ARRAY_SIZE(state_rules)], *nest;

	_Static_assert((int)CTA_PROTOINFO_TCP_STATE == (int)CTA_PROTOINFO_SCTP_STATE, "one table for both");
	*ret = FLOW_OTHER;
	if (!info)
		return 0;
	if (nl_attrs_in(info, rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	nest = proto == PROTO_TCP ? at[CTA_PROTOINFO_TCP] : proto == PROTO_SCTP ? at[CTA_PROTOINFO_SCTP] : NULL;
	if (!nest)
		return 0;
	if (nl_attrs_in(nest, state_rules, ARRAY_SIZE(state_rules), state) < 0)
		return -EBADMSG;
	if (state[CTA_PROTOINFO_TCP_STATE]) {
		uint8_t value = nl_u8(state[CTA_PROTOINFO_TCP_STATE]);

		*ret = (uint8_t)(proto == PROTO_TCP ? tcp_state(value) : sctp_state(value));
	}
	return 0;
}

/* One direction of a connection. Ports are 0 where the protocol has none. */
struct tuple {
	struct ip src, dst;
	uint8_t proto;
	uint16_t src_port, dst_port;
};

static int get_ips(const struct nlattr *nest, uint8_t family, struct tuple *ret)
{
	static const struct nl_rule rules[] = {
		[CTA_IP_V4_SRC] = { 4, true, false },
		[CTA_IP_V4_DST] = { 4, true, false },
		[CTA_IP_V6_SRC] = { 16, true, false },
		[CTA_IP_V6_DST] = { 16, true, false },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];
	const bool v4 = family == AF_INET;

	if (nl_attrs_in(nest, rules, ARRAY_SIZE(rules), at) < 0 ||
	    nl_ip(at[v4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC], family, &ret->src) < 0 ||
	    nl_ip(at[v4 ? CTA_IP_V4_DST : CTA_IP_V6_DST], family, &ret->dst) < 0)
		return -EBADMSG;
	return 0;
}

static int get_tuple(const struct nlattr *nest, uint8_t family, struct tuple *ret)
{
	static const struct nl_rule rules[] = {
		[CTA_TUPLE_IP] = { 4, true, true },
		[CTA_TUPLE_PROTO] = { 4, true, true },
	};
	static const struct nl_rule proto_rules[] = {
		[CTA_PROTO_NUM] = { 1, true, true },
		[CTA_PROTO_SRC_PORT] = { 2, true, false },
		[CTA_PROTO_DST_PORT] = { 2, true, false },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)], *proto[ARRAY_SIZE(proto_rules)];

	if (nl_attrs_in(nest, rules, ARRAY_SIZE(rules), at) < 0 || get_ips(at[CTA_TUPLE_IP], family, ret) < 0 ||
	    nl_attrs_in(at[CTA_TUPLE_PROTO], proto_rules, ARRAY_SIZE(proto_rules), proto) < 0)
		return -EBADMSG;
	ret->proto = nl_u8(proto[CTA_PROTO_NUM]);
	ret->src_port = ntohs(nl_u16(proto[CTA_PROTO_SRC_PORT]));
	ret->dst_port = ntohs(nl_u16(proto[CTA_PROTO_DST_PORT]));
	return 0;
}

/* From a client to the virtual server, answered by the real server. */
static bool leads_through(const struct tuple *orig, const struct tuple *reply, const struct vs_key *vs, const struct rs_key *rs)
{
	return orig->proto == vs->proto && orig->dst_port == vs->port && ip_equal(&orig->dst, &vs->ip) && reply->proto == vs->proto &&
	       reply->src_port == rs->port && ip_equal(&reply->src, &rs->ip);
}

int flows_get(const struct nlmsghdr *nlh, const struct vs_key *vs, const struct rs_key *rs, struct flow *ret)
{
	static const struct nl_rule rules[] = {
		[CTA_TUPLE_ORIG] = { 4, true, true },
		[CTA_TUPLE_REPLY] = { 4, true, true },
		[CTA_PROTOINFO] = { 4, true, false },
		[CTA_TIMEOUT] = { 4, true, false },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];
	struct tuple orig = { 0 }, reply = { 0 };
	struct nfgenmsg head;
	struct flow flow = { 0 };

	if (nlh->nlmsg_type != (NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW) ||
	    nl_attrs_of(nlh, sizeof(head), rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	memcpy(&head, mnl_nlmsg_get_payload(nlh), sizeof(head));
	if (head.nfgen_family != vs->ip.family)
		return 1;
	if (get_tuple(at[CTA_TUPLE_ORIG], head.nfgen_family, &orig) < 0 || get_tuple(at[CTA_TUPLE_REPLY], head.nfgen_family, &reply) < 0 ||
	    get_state(at[CTA_PROTOINFO], orig.proto, &flow.state) < 0)
		return -EBADMSG;
	if (!leads_through(&orig, &reply, vs, rs))
		return 1;
	flow.client = orig.src;
	flow.port = orig.src_port;
	flow.left_s = ntohl(nl_u32(at[CTA_TIMEOUT]));
	*ret = flow;
	return 0;
}

/* A list that is being read: what came after the start is void after a disturbed try. */
struct reading {
	const struct vs_key *vs;
	const struct rs_key *rs;
	struct kernel_flows *ret;
	size_t start, max;
	uint32_t n[FLOW_STATES]; /* of this try */
	uint32_t established_s;  /* what conntrack gives an idle connection */
};

static uint32_t established_timeout(void)
{
	FILE *f = fopen(ESTABLISHED, "re");
	unsigned seconds;

	if (!f || fscanf(f, "%u", &seconds) != 1)
		seconds = ESTABLISHED_S;
	if (f)
		(void)fclose(f);
	return seconds;
}

/* Of an open connection conntrack's clock tells how long it has been idle; IPVS forgets it earlier. */
static uint32_t ipvs_left(uint32_t left_s, uint32_t established_s)
{
	uint32_t idle_s = left_s < established_s ? established_s - left_s : 0, left = idle_s < IPVS_ESTABLISHED_S ? IPVS_ESTABLISHED_S - idle_s : 0;

	return left < left_s ? left : left_s;
}

static int row(void *ctx, const struct nlmsghdr *nlh)
{
	struct reading *r = ctx;
	struct flow flow;
	int code = flows_get(nlh, r->vs, r->rs, &flow);

	if (code)
		return code < 0 ? code : 0;
	if (r->vs->proto != PROTO_TCP)
		flow.left_s = 0; /* other clocks than those of IPVS, and nobody tells which */
	else if (flow.state == FLOW_ESTABLISHED)
		flow.left_s = ipvs_left(flow.left_s, r->established_s);
	r->n[flow.state]++;
	if (r->ret->rows.n - r->start < r->max)
		*vec_push(&r->ret->rows) = flow;
	return 0;
}

static void restart(void *ctx)
{
	struct reading *r = ctx;

	r->ret->rows.n = r->start;
	memset(r->n, 0, sizeof(r->n));
}

static int says_absent(struct err *err)
{
	return err_set(err, -EOPNOTSUPP, "this kernel does not tell its connections (module nf_conntrack_netlink)");
}

int flows_list(struct flows *flows, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	struct reading r = { .vs = vs, .rs = rs, .ret = ret, .start = ret->rows.n, .max = max, .established_s = max ? established_timeout() : 0 };
	const struct nl_reader reader = { row, restart, &r };
	char vs_text[VS_TEXT], rs_text[RS_TEXT];
	int code;

	if (vs->ip.family != rs->ip.family)
		return err_set(err, -EINVAL, "list connections: the families differ");
	if (flows->absent && access(MODULE, F_OK) < 0)
		return says_absent(err);
	flows_put(&ask, vs, rs);
	code = nl_read(&flows->nl, &ask, &reader, err);
	if (code)
		restart(&r);
	flows->absent = code == -EINVAL || code == -EOPNOTSUPP; /* the first is nfnetlink's own word for a subsystem that is not there */
	if (flows->absent)
		return says_absent(err);
	if (code)
		err_wrap(err, "list connections of %s through %s", vs_format(vs, vs_text), rs_format(rs, rs_text));
	for (int i = 0; i < FLOW_STATES; i++)
		ret->n[i] += r.n[i]; /* none after a failure */
	return code;
}

int flows_open(struct flows *flows, struct err *err)
{
	int code = nl_open(&flows->nl, NETLINK_NETFILTER, err);

	flows->absent = false;
	if (code)
		err_wrap(err, "conntrack");
	return code;
}

void flows_close(struct flows *flows)
{
	nl_close(&flows->nl);
}
