/* The table of the filter, written as a table: which sets, chains and rules there are, and how each becomes a message.
 * Sends and reads nothing. Changing anything here changes the digest by which a running table is recognised. */
#include "kernel/filter_rules.h"

#include <arpa/inet.h>
#include <assert.h>
#include <linux/icmp.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#define CHAIN_INPUT "ipvs-filter"
#define CHAIN_OUTPUT "ipvs-filter-out"
#define CHAIN_GUARD "guard"
#define CHAIN_GUARD_OUT "guard-out"
/* After conntrack (-200), before the firewalls of the host (0), whose verdicts still count for what we accept, and before IPVS
 * takes its packets (98). */
#define PRIORITY_INPUT (-10)
/* For the node's own connections, again before IPVS (-98). What IPVS itself refuses there by ICMP while connect() holds the
 * socket is no more than a hint to TCP, and the client waits a second; a reset is not. Only TCP: a datagram refused here
 * fails with EPERM instead of "connection refused", and comes by the input hook anyway. */
#define PRIORITY_OUTPUT (-110)
#define ROOM 2048
#define KEYS_BYTES 60000 /* of elements in one message; an attribute ends at 64 kB */

static const struct {
	const char *name;
	uint16_t len;
} sets_info[SET_COUNT] = {
#define X(id, name, len) { name, len },
	FILTER_SETS(X)
#undef X
};

const char *filter_set_name(enum filter_set_id id)
{
	return sets_info[id].name;
}

size_t filter_set_len(enum filter_set_id id)
{
	return sets_info[id].len;
}

/* nft's numbers of types, six bits each in a concatenation, so that it can print the elements. */
static uint32_t set_type(enum filter_set_id id)
{
	const uint32_t ipv4 = 7, ipv6 = 8, proto = 12, service = 13;

	switch (sets_info[id].len) {
	case 4:
		return ipv4;
	case 16:
		return ipv6;
	case 12:
		return ipv4 << 12 | proto << 6 | service;
	default:
		return ipv6 << 12 | proto << 6 | service;
	}
}

/* One step of a rule. set, number and the like by kind. */
enum step_kind {
	STEP_END,
	STEP_NFPROTO,  /* number */
	STEP_L4PROTO,  /* number */
	STEP_TO,       /* destination address in set */
	STEP_TO_KEY,   /* destination address, protocol, port in set */
	STEP_BYTE,     /* (byte at offset of the transport header & mask) in low..high */
	STEP_CT,       /* conntrack state among bits */
	STEP_ACCEPT,
	STEP_GUARD,    /* goto the chain of what comes in */
	STEP_GUARD_OUT, /* goto the chain of what goes out */
	STEP_RESET,    /* refuse with a TCP reset */
	STEP_REJECT,   /* refuse with ICMP port unreachable */
	STEP_REJECT_PROTOCOL, /* refuse with ICMP protocol unreachable (IPv4) */
};
struct step {
	enum step_kind kind;
	uint32_t number; /* also set, bits, mask */
	uint8_t offset, low, high;
};
#define NFPROTO(p) { STEP_NFPROTO, p, 0, 0, 0 }
#define L4PROTO(p) { STEP_L4PROTO, p, 0, 0, 0 }
#define TO(set) { STEP_TO, set, 0, 0, 0 }
#define TO_KEY(set) { STEP_TO_KEY, set, 0, 0, 0 }
#define BYTE(offset, mask, low, high) { STEP_BYTE, mask, offset, low, high }
#define CT(bits) { STEP_CT, bits, 0, 0, 0 }
#define ACCEPT { STEP_ACCEPT, 0, 0, 0, 0 }
#define GUARD { STEP_GUARD, 0, 0, 0, 0 }
#define GUARD_OUT { STEP_GUARD_OUT, 0, 0, 0, 0 }
#define RESET { STEP_RESET, 0, 0, 0, 0 }
#define REJECT { STEP_REJECT, 0, 0, 0, 0 }
#define REJECT_PROTOCOL { STEP_REJECT_PROTOCOL, 0, 0, 0, 0 }

#define TCP_FLAGS 13 /* offset */
#define TCP_SYN 0x02
#define TCP_SYN_RST_ACK 0x16
#define SCTP_CHUNK 12 /* offset of the first chunk's type */
#define SCTP_INIT 1
#define ICMP4 L4PROTO(IPPROTO_ICMP)
#define ICMP6 L4PROTO(IPPROTO_ICMPV6)
#define CT_KNOWN (NF_CT_STATE_BIT(IP_CT_ESTABLISHED) | NF_CT_STATE_BIT(IP_CT_RELATED))

/* Fragments need no rule: conntrack, which this table makes the kernel use, puts them together before the input hook. */
static const struct {
	const char *chain, *comment;
	struct step steps[6];
} rules[] = {
	{ CHAIN_INPUT, "", { NFPROTO(NFPROTO_IPV4), TO(SET_GUARDED4), GUARD } },
	{ CHAIN_INPUT, "", { NFPROTO(NFPROTO_IPV6), TO(SET_GUARDED6), GUARD } },
	{ CHAIN_OUTPUT, "", { NFPROTO(NFPROTO_IPV4), TO(SET_GUARDED4), GUARD_OUT } },
	{ CHAIN_OUTPUT, "", { NFPROTO(NFPROTO_IPV6), TO(SET_GUARDED6), GUARD_OUT } },
	{ CHAIN_GUARD_OUT, "served", { NFPROTO(NFPROTO_IPV4), TO_KEY(SET_SERVED4), ACCEPT } },
	{ CHAIN_GUARD_OUT, "served", { NFPROTO(NFPROTO_IPV6), TO_KEY(SET_SERVED6), ACCEPT } },
	{ CHAIN_GUARD_OUT, "new, not served", { L4PROTO(IPPROTO_TCP), BYTE(TCP_FLAGS, TCP_SYN_RST_ACK, TCP_SYN, TCP_SYN), RESET } },

	{ CHAIN_GUARD, "served", { NFPROTO(NFPROTO_IPV4), TO_KEY(SET_SERVED4), ACCEPT } },
	{ CHAIN_GUARD, "served", { NFPROTO(NFPROTO_IPV6), TO_KEY(SET_SERVED6), ACCEPT } },
	/* By flags, not by conntrack: also a SYN that reuses the ports of an old connection, which IPVS would feed to its
	 * draining server. Every other packet passes: one of a living connection whose conntrack entry was lost must not be
	 * cut, and strays are reset by the local stack. */
	{ CHAIN_GUARD, "new, not served", { L4PROTO(IPPROTO_TCP), BYTE(TCP_FLAGS, TCP_SYN_RST_ACK, TCP_SYN, TCP_SYN), RESET } },
	{ CHAIN_GUARD, "", { L4PROTO(IPPROTO_TCP), ACCEPT } },

	{ CHAIN_GUARD, "ping", { NFPROTO(NFPROTO_IPV4), ICMP4, TO(SET_PINGED4), BYTE(0, 0xff, 8, 8), ACCEPT } },
	{ CHAIN_GUARD, "ping", { NFPROTO(NFPROTO_IPV6), ICMP6, TO(SET_PINGED6), BYTE(0, 0xff, 128, 128), ACCEPT } },
	{ CHAIN_GUARD, "ping, not served", { NFPROTO(NFPROTO_IPV4), ICMP4, BYTE(0, 0xff, 8, 8), REJECT } },
	{ CHAIN_GUARD, "ping, not served", { NFPROTO(NFPROTO_IPV6), ICMP6, BYTE(0, 0xff, 128, 128), REJECT } },
	/* Errors, path MTU among them, belong to connections that are IPVS's matter. */
	{ CHAIN_GUARD, "unreachable, too big", { NFPROTO(NFPROTO_IPV4), ICMP4, BYTE(0, 0xff, 3, 3), ACCEPT } },
	{ CHAIN_GUARD, "time exceeded, bad header", { NFPROTO(NFPROTO_IPV4), ICMP4, BYTE(0, 0xff, 11, 12), ACCEPT } },
	{ CHAIN_GUARD, "errors, too big", { NFPROTO(NFPROTO_IPV6), ICMP6, BYTE(0, 0xff, 1, 4), ACCEPT } },
	{ CHAIN_GUARD, "neighbour discovery", { NFPROTO(NFPROTO_IPV6), ICMP6, BYTE(0, 0xff, 133, 137), ACCEPT } },

	/* As for TCP: a new association on the ports of an old one. INIT is always the only chunk of its packet. An SCTP client gives
	 * up at once on "protocol unreachable", for which nf_tables has no IPv6 twin; "port unreachable" is a hint to it. */
	{ CHAIN_GUARD, "new, not served", { NFPROTO(NFPROTO_IPV4), L4PROTO(IPPROTO_SCTP),
					    BYTE(SCTP_CHUNK, 0xff, SCTP_INIT, SCTP_INIT), REJECT_PROTOCOL } },
	{ CHAIN_GUARD, "new, not served", { L4PROTO(IPPROTO_SCTP), BYTE(SCTP_CHUNK, 0xff, SCTP_INIT, SCTP_INIT), REJECT } },
	/* Not "refuse new": what conntrack was told not to track is never new. */
	{ CHAIN_GUARD, "", { CT(CT_KNOWN), ACCEPT } },
	{ CHAIN_GUARD, "not served", { REJECT } },
};

struct nlmsghdr *filter_put(struct nl_batch *batch, uint8_t type, uint16_t flags, size_t room)
{
	const struct nfgenmsg head = { .nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0 };

	return nl_batch_put(batch, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), flags, &head, sizeof(head), room);
}

static void put_mark(struct nl_batch *batch, uint16_t type)
{
	const struct nfgenmsg head = { .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES) };

	nl_batch_end(batch, nl_batch_put(batch, type, 0, &head, sizeof(head), 0));
}

void filter_put_begin(struct nl_batch *batch)
{
	put_mark(batch, NFNL_MSG_BATCH_BEGIN);
}

void filter_put_end(struct nl_batch *batch)
{
	put_mark(batch, NFNL_MSG_BATCH_END);
}

static void put_be32(struct nlmsghdr *nlh, uint16_t type, uint32_t value)
{
	mnl_attr_put_u32(nlh, type, htonl(value));
}

/* A comment as nft shows it: type 0, length, text. */
static void put_comment(struct nlmsghdr *nlh, uint16_t attr, const char *text)
{
	uint8_t data[64] = { 0, (uint8_t)(strlen(text) + 1) };

	assert(strlen(text) + 3 <= sizeof(data));
	strcpy((char *)data + 2, text);
	mnl_attr_put(nlh, attr, strlen(text) + 3, data);
}

void filter_put_table(struct nl_batch *batch)
{
	struct nlmsghdr *nlh = filter_put(batch, NFT_MSG_NEWTABLE, NLM_F_CREATE, ROOM);

	mnl_attr_put_strz(nlh, NFTA_TABLE_NAME, FILTER_TABLE);
	put_comment(nlh, NFTA_TABLE_USERDATA, "managed by sluice");
	nl_batch_end(batch, nlh);
}

void filter_put_table_gone(struct nl_batch *batch)
{
	struct nlmsghdr *nlh = filter_put(batch, NFT_MSG_DELTABLE, 0, ROOM);

	mnl_attr_put_strz(nlh, NFTA_TABLE_NAME, FILTER_TABLE);
	nl_batch_end(batch, nlh);
}

static void put_set(struct nl_batch *batch, enum filter_set_id id)
{
	struct nlmsghdr *nlh = filter_put(batch, NFT_MSG_NEWSET, NLM_F_CREATE, ROOM);

	mnl_attr_put_strz(nlh, NFTA_SET_TABLE, FILTER_TABLE);
	mnl_attr_put_strz(nlh, NFTA_SET_NAME, sets_info[id].name);
	put_be32(nlh, NFTA_SET_KEY_TYPE, set_type(id));
	put_be32(nlh, NFTA_SET_KEY_LEN, sets_info[id].len);
	put_be32(nlh, NFTA_SET_ID, (uint32_t)id + 1);
	nl_batch_end(batch, nlh);
}

/* hook < 0: a chain that only others go to. */
static void put_chain(struct nl_batch *batch, const char *name, int hook, int priority)
{
	struct nlmsghdr *nlh = filter_put(batch, NFT_MSG_NEWCHAIN, NLM_F_CREATE, ROOM);
	struct nlattr *nest;

	mnl_attr_put_strz(nlh, NFTA_CHAIN_TABLE, FILTER_TABLE);
	mnl_attr_put_strz(nlh, NFTA_CHAIN_NAME, name);
	if (hook >= 0) {
		nest = mnl_attr_nest_start(nlh, NFTA_CHAIN_HOOK);
		put_be32(nlh, NFTA_HOOK_HOOKNUM, (uint32_t)hook);
		put_be32(nlh, NFTA_HOOK_PRIORITY, (uint32_t)priority);
		mnl_attr_nest_end(nlh, nest);
		put_be32(nlh, NFTA_CHAIN_POLICY, NF_ACCEPT);
		mnl_attr_put_strz(nlh, NFTA_CHAIN_TYPE, "filter");
	}
	nl_batch_end(batch, nlh);
}

/* An expression: begins the element and its data; expr_end() ends both. */
struct expr {
	struct nlattr *elem, *data;
};

static struct expr expr_start(struct nlmsghdr *nlh, const char *name)
{
	struct expr e = { .elem = mnl_attr_nest_start(nlh, NFTA_LIST_ELEM) };

	mnl_attr_put_strz(nlh, NFTA_EXPR_NAME, name);
	e.data = mnl_attr_nest_start(nlh, NFTA_EXPR_DATA);
	return e;
}

static void expr_end(struct nlmsghdr *nlh, struct expr e)
{
	mnl_attr_nest_end(nlh, e.data);
	mnl_attr_nest_end(nlh, e.elem);
}

static void put_data(struct nlmsghdr *nlh, uint16_t type, const void *p, size_t n)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, type);

	mnl_attr_put(nlh, NFTA_DATA_VALUE, n, p);
	mnl_attr_nest_end(nlh, nest);
}

static void expr_meta(struct nlmsghdr *nlh, uint32_t key, uint32_t reg)
{
	struct expr e = expr_start(nlh, "meta");

	put_be32(nlh, NFTA_META_KEY, key);
	put_be32(nlh, NFTA_META_DREG, reg);
	expr_end(nlh, e);
}

static void expr_payload(struct nlmsghdr *nlh, uint32_t base, uint32_t offset, uint32_t len, uint32_t reg)
{
	struct expr e = expr_start(nlh, "payload");

	put_be32(nlh, NFTA_PAYLOAD_DREG, reg);
	put_be32(nlh, NFTA_PAYLOAD_BASE, base);
	put_be32(nlh, NFTA_PAYLOAD_OFFSET, offset);
	put_be32(nlh, NFTA_PAYLOAD_LEN, len);
	expr_end(nlh, e);
}

/* The first register against n bytes. */
static void expr_cmp(struct nlmsghdr *nlh, uint32_t op, const void *p, size_t n)
{
	struct expr e = expr_start(nlh, "cmp");

	put_be32(nlh, NFTA_CMP_SREG, NFT_REG_1);
	put_be32(nlh, NFTA_CMP_OP, op);
	put_data(nlh, NFTA_CMP_DATA, p, n);
	expr_end(nlh, e);
}

static void expr_mask(struct nlmsghdr *nlh, const void *mask, uint32_t n)
{
	static const uint8_t zero[16];
	struct expr e = expr_start(nlh, "bitwise");

	put_be32(nlh, NFTA_BITWISE_SREG, NFT_REG_1);
	put_be32(nlh, NFTA_BITWISE_DREG, NFT_REG_1);
	put_be32(nlh, NFTA_BITWISE_LEN, n);
	put_data(nlh, NFTA_BITWISE_MASK, mask, n);
	put_data(nlh, NFTA_BITWISE_XOR, zero, n);
	expr_end(nlh, e);
}

static void expr_lookup(struct nlmsghdr *nlh, uint32_t set)
{
	struct expr e = expr_start(nlh, "lookup");

	mnl_attr_put_strz(nlh, NFTA_LOOKUP_SET, sets_info[set].name);
	put_be32(nlh, NFTA_LOOKUP_SREG, NFT_REG_1);
	expr_end(nlh, e);
}

static void expr_verdict(struct nlmsghdr *nlh, int verdict, const char *chain)
{
	struct expr e = expr_start(nlh, "immediate");
	struct nlattr *data, *nest;

	put_be32(nlh, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
	data = mnl_attr_nest_start(nlh, NFTA_IMMEDIATE_DATA);
	nest = mnl_attr_nest_start(nlh, NFTA_DATA_VERDICT);
	put_be32(nlh, NFTA_VERDICT_CODE, (uint32_t)verdict);
	if (chain)
		mnl_attr_put_strz(nlh, NFTA_VERDICT_CHAIN, chain);
	mnl_attr_nest_end(nlh, nest);
	mnl_attr_nest_end(nlh, data);
	expr_end(nlh, e);
}

/* Counted, so that an operator sees what was refused. */
static void expr_reject(struct nlmsghdr *nlh, uint32_t type, uint8_t code)
{
	struct expr e = expr_start(nlh, "counter");

	expr_end(nlh, e);
	e = expr_start(nlh, "reject");
	put_be32(nlh, NFTA_REJECT_TYPE, type);
	if (type != NFT_REJECT_TCP_RST)
		mnl_attr_put_u8(nlh, NFTA_REJECT_ICMP_CODE, code);
	expr_end(nlh, e);
}

static void step_meta(struct nlmsghdr *nlh, uint32_t key, uint32_t number)
{
	uint8_t value = (uint8_t)number;

	expr_meta(nlh, key, NFT_REG_1);
	expr_cmp(nlh, NFT_CMP_EQ, &value, 1);
}

/* Loads what a set's key is made of. Registers as the kernel shows them: where 16 bytes begin it has the old names. */
static void step_lookup(struct nlmsghdr *nlh, uint32_t set)
{
	uint16_t len = sets_info[set].len;
	bool v4 = len == 4 || len == 12;

	expr_payload(nlh, NFT_PAYLOAD_NETWORK_HEADER, v4 ? 16 : 24, v4 ? 4 : 16, NFT_REG_1);
	if (len == 12 || len == 24) {
		expr_meta(nlh, NFT_META_L4PROTO, v4 ? NFT_REG32_01 : NFT_REG_2);
		expr_payload(nlh, NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2, v4 ? NFT_REG32_02 : NFT_REG32_05);
	}
	expr_lookup(nlh, set);
}

static void step_byte(struct nlmsghdr *nlh, const struct step *step)
{
	uint8_t mask = (uint8_t)step->number;

	expr_payload(nlh, NFT_PAYLOAD_TRANSPORT_HEADER, step->offset, 1, NFT_REG_1);
	if (mask != 0xff)
		expr_mask(nlh, &mask, 1);
	if (step->low == step->high) {
		expr_cmp(nlh, NFT_CMP_EQ, &step->low, 1);
	} else {
		expr_cmp(nlh, NFT_CMP_GTE, &step->low, 1);
		expr_cmp(nlh, NFT_CMP_LTE, &step->high, 1);
	}
}

static void step_ct(struct nlmsghdr *nlh, uint32_t bits)
{
	static const uint32_t none;
	struct expr e = expr_start(nlh, "ct");

	put_be32(nlh, NFTA_CT_KEY, NFT_CT_STATE);
	put_be32(nlh, NFTA_CT_DREG, NFT_REG_1);
	expr_end(nlh, e);
	expr_mask(nlh, &bits, sizeof(bits)); /* the state is in host byte order */
	expr_cmp(nlh, NFT_CMP_NEQ, &none, sizeof(none));
}

static void put_step(struct nlmsghdr *nlh, const struct step *step)
{
	switch (step->kind) {
	case STEP_END:
		return;
	case STEP_NFPROTO:
		step_meta(nlh, NFT_META_NFPROTO, step->number);
		return;
	case STEP_L4PROTO:
		step_meta(nlh, NFT_META_L4PROTO, step->number);
		return;
	case STEP_TO:
	case STEP_TO_KEY:
		step_lookup(nlh, step->number);
		return;
	case STEP_BYTE:
		step_byte(nlh, step);
		return;
	case STEP_CT:
		step_ct(nlh, step->number);
		return;
	case STEP_ACCEPT:
		expr_verdict(nlh, NF_ACCEPT, NULL);
		return;
	case STEP_GUARD:
		expr_verdict(nlh, NFT_GOTO, CHAIN_GUARD);
		return;
	case STEP_GUARD_OUT:
		expr_verdict(nlh, NFT_GOTO, CHAIN_GUARD_OUT);
		return;
	case STEP_RESET:
		expr_reject(nlh, NFT_REJECT_TCP_RST, 0);
		return;
	case STEP_REJECT:
		expr_reject(nlh, NFT_REJECT_ICMPX_UNREACH, NFT_REJECT_ICMPX_PORT_UNREACH);
		return;
	case STEP_REJECT_PROTOCOL:
		expr_reject(nlh, NFT_REJECT_ICMP_UNREACH, ICMP_PROT_UNREACH);
		return;
	}
}

static void put_rule(struct nl_batch *batch, size_t i)
{
	struct nlmsghdr *nlh = filter_put(batch, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, ROOM);
	struct nlattr *nest;

	mnl_attr_put_strz(nlh, NFTA_RULE_TABLE, FILTER_TABLE);
	mnl_attr_put_strz(nlh, NFTA_RULE_CHAIN, rules[i].chain);
	nest = mnl_attr_nest_start(nlh, NFTA_RULE_EXPRESSIONS);
	for (const struct step *step = rules[i].steps; step->kind != STEP_END; step++)
		put_step(nlh, step);
	mnl_attr_nest_end(nlh, nest);
	if (*rules[i].comment)
		put_comment(nlh, NFTA_RULE_USERDATA, rules[i].comment);
	nl_batch_end(batch, nlh);
}

static void put_no_rules(struct nl_batch *batch, const char *chain)
{
	struct nlmsghdr *nlh = filter_put(batch, NFT_MSG_DELRULE, 0, ROOM);

	mnl_attr_put_strz(nlh, NFTA_RULE_TABLE, FILTER_TABLE);
	mnl_attr_put_strz(nlh, NFTA_RULE_CHAIN, chain);
	nl_batch_end(batch, nlh);
}

void filter_put_content(struct nl_batch *batch, bool renew)
{
	static const char *const chains[] = { CHAIN_GUARD, CHAIN_GUARD_OUT, CHAIN_INPUT, CHAIN_OUTPUT };

	for (int id = 0; id < SET_COUNT; id++)
		put_set(batch, (enum filter_set_id)id);
	put_chain(batch, CHAIN_GUARD, -1, 0);
	put_chain(batch, CHAIN_GUARD_OUT, -1, 0);
	put_chain(batch, CHAIN_INPUT, NF_INET_LOCAL_IN, PRIORITY_INPUT);
	put_chain(batch, CHAIN_OUTPUT, NF_INET_LOCAL_OUT, PRIORITY_OUTPUT);
	for (size_t i = 0; renew && i < ARRAY_SIZE(chains); i++)
		put_no_rules(batch, chains[i]);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		put_rule(batch, i);
}

static size_t put_keys_some(struct nl_batch *batch, bool add, enum filter_set_id id, const struct filter_key *keys, size_t n)
{
	size_t len = sets_info[id].len, most = KEYS_BYTES / (len + 3 * sizeof(struct nlattr));
	struct nlmsghdr *nlh = filter_put(batch, add ? NFT_MSG_NEWSETELEM : NFT_MSG_DELSETELEM, add ? NLM_F_CREATE : 0,
					  KEYS_BYTES + ROOM);
	struct nlattr *list, *elem;

	n = n < most ? n : most;
	mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_TABLE, FILTER_TABLE);
	mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_SET, sets_info[id].name);
	list = mnl_attr_nest_start(nlh, NFTA_SET_ELEM_LIST_ELEMENTS);
	for (size_t i = 0; i < n; i++) {
		elem = mnl_attr_nest_start(nlh, NFTA_LIST_ELEM);
		put_data(nlh, NFTA_SET_ELEM_KEY, keys[i].bytes, len);
		mnl_attr_nest_end(nlh, elem);
	}
	mnl_attr_nest_end(nlh, list);
	nl_batch_end(batch, nlh);
	return n;
}

void filter_put_keys(struct nl_batch *batch, bool add, const struct filter_sets *sets)
{
	for (int id = 0; id < SET_COUNT; id++)
		for (size_t i = 0; i < sets->of[id].rows.n;)
			i += put_keys_some(batch, add, (enum filter_set_id)id, &sets->of[id].rows.v[i], sets->of[id].rows.n - i);
}

void filter_sets_add_ip(struct filter_sets *sets, enum filter_set_id v4, const struct ip *ip)
{
	struct filter_key key = { 0 };

	memcpy(key.bytes, ip->bytes, ip_size(ip));
	*vec_push(&sets->of[v4 + (ip->family == AF_INET6)].rows) = key;
}

void filter_sets_add_vs(struct filter_sets *sets, enum filter_set_id v4, const struct vs_key *vs)
{
	uint16_t port_be = htons(vs->port);
	size_t n = ip_size(&vs->ip);
	struct filter_key key = { 0 };

	memcpy(key.bytes, vs->ip.bytes, n);
	key.bytes[n] = vs->proto;
	memcpy(key.bytes + n + 4, &port_be, sizeof(port_be));
	*vec_push(&sets->of[v4 + (vs->ip.family == AF_INET6)].rows) = key;
}

static int key_cmp(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct filter_key));
}

/* Which keys (both sorted) are there too, or are not. */
static void keep(struct filter_keys *keys, const struct filter_keys *there, bool common)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < keys->rows.n; i++) {
		while (j < there->rows.n && key_cmp(&there->rows.v[j], &keys->rows.v[i]) < 0)
			j++;
		if ((j < there->rows.n && key_cmp(&there->rows.v[j], &keys->rows.v[i]) == 0) == common)
			keys->rows.v[n++] = keys->rows.v[i];
	}
	keys->rows.n = n;
}

void filter_sets_keep(struct filter_sets *sets, const struct filter_sets *there, bool common)
{
	for (int id = 0; id < SET_COUNT; id++)
		keep(&sets->of[id], &there->of[id], common);
}

void filter_sets_tidy(struct filter_sets *sets)
{
	for (int id = 0; id < SET_COUNT; id++) {
		struct filter_key *v = sets->of[id].rows.v;
		size_t n = 0;

		if (!sets->of[id].rows.n)
			continue;
		qsort(v, sets->of[id].rows.n, sizeof(*v), key_cmp);
		for (size_t i = 1; i < sets->of[id].rows.n; i++)
			if (key_cmp(&v[n], &v[i]) != 0)
				v[++n] = v[i];
		sets->of[id].rows.n = n + 1;
	}
}

void filter_sets_fini(struct filter_sets *sets)
{
	for (int id = 0; id < SET_COUNT; id++)
		free(sets->of[id].rows.v);
	*sets = (struct filter_sets){ 0 };
}

struct ip filter_key_ip(const struct filter_key *key, enum filter_set_id id)
{
	size_t len = sets_info[id].len;
	struct ip ip = { .family = len == 4 || len == 12 ? AF_INET : AF_INET6 };

	memcpy(ip.bytes, key->bytes, ip_size(&ip));
	return ip;
}

struct vs_key filter_key_vs(const struct filter_key *key, enum filter_set_id id)
{
	struct vs_key vs = { .ip = filter_key_ip(key, id) };
	size_t n = ip_size(&vs.ip);
	uint16_t port_be;

	vs.proto = key->bytes[n];
	memcpy(&port_be, key->bytes + n + 4, sizeof(port_be));
	vs.port = ntohs(port_be);
	return vs;
}
