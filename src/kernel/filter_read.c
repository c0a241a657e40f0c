/* Reads the filter's table back: elements, and a digest of all the rest. The digest is over a normal form, because the
 * kernel shows an expression not byte by byte as it was sent: defaults that are 0 are added, flags of nesting are not. */
#include "kernel/filter_read.h"

#include "base/hash.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#define TYPE_MAX 32 /* attributes above this are not looked at in an expression */

/* What was seen so far: a sum over objects, each with its place in its chain, so the order of objects in a dump is free. */
struct seeing {
	struct filter_sight sight, start; /* start: before this dump */
	char chain[32]; /* of the last rule */
	uint32_t place; /* of the last rule in its chain */
	uint64_t sum;
};

static void restart(void *ctx)
{
	struct seeing *s = ctx;

	*s = (struct seeing){ .sight = s->start, .start = s->start };
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return n == 0;
}

static uint64_t hash_text(uint64_t hash, const char *s)
{
	return hash_bytes(hash, s, strlen(s) + 1);
}

/* An attribute's type, length and bytes; absent and all zero are the same. */
static uint64_t hash_leaf(uint64_t hash, const struct nlattr *attr)
{
	uint16_t head[2];

	if (!attr || all_zero(mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr)))
		return hash;
	head[0] = mnl_attr_get_type(attr);
	head[1] = mnl_attr_get_payload_len(attr);
	hash = hash_bytes(hash, head, sizeof(head));
	return hash_bytes(hash, mnl_attr_get_payload(attr), head[1]);
}

static bool is_nest(const char *expr, int depth, size_t type)
{
	if (depth == 1)
		return type == NFTA_DATA_VERDICT;
	if (depth > 1)
		return false;
	return (strcmp(expr, "cmp") == 0 && type == NFTA_CMP_DATA) ||
	       (strcmp(expr, "bitwise") == 0 && (type == NFTA_BITWISE_MASK || type == NFTA_BITWISE_XOR)) ||
	       (strcmp(expr, "immediate") == 0 && type == NFTA_IMMEDIATE_DATA);
}

/* The attributes in nest, by rising type. */
static int hash_nest(uint64_t *hash, const char *expr, int depth, const struct nlattr *nest)
{
	const struct nlattr *at[TYPE_MAX];
	struct nl_rule any[TYPE_MAX];
	uint16_t type;

	for (size_t i = 0; i < TYPE_MAX; i++)
		any[i] = (struct nl_rule){ 0, true, false };
	if (nl_attrs_in(nest, any, TYPE_MAX, at) < 0)
		return -EBADMSG;
	for (type = 0; type < TYPE_MAX; type++) {
		if (at[type] && is_nest(expr, depth, type)) {
			*hash = hash_bytes(*hash, &type, sizeof(type));
			if (hash_nest(hash, expr, depth + 1, at[type]) < 0)
				return -EBADMSG;
		} else {
			*hash = hash_leaf(*hash, at[type]);
		}
	}
	return 0;
}

static int hash_expr(uint64_t *hash, const struct nlattr *elem)
{
	static const struct nl_rule rules[] = {
		[NFTA_EXPR_NAME] = { 1, true, true },
		[NFTA_EXPR_DATA] = { 0, true, false },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];
	char name[32];

	if (nl_attrs_in(elem, rules, ARRAY_SIZE(rules), at) < 0 || nl_str(at[NFTA_EXPR_NAME], name, sizeof(name)) < 0)
		return -EBADMSG;
	*hash = hash_text(*hash, name);
	if (!at[NFTA_EXPR_DATA] || strcmp(name, "counter") == 0)
		return 0; /* what was counted is no part of it */
	return hash_nest(hash, name, 0, at[NFTA_EXPR_DATA]);
}

/* Calls row for each element of a list; -EBADMSG if the list is broken. */
static int each(const struct nlattr *list, int (*row)(void *ctx, const struct nlattr *elem), void *ctx)
{
	const char *p = mnl_attr_get_payload(list), *end = p + mnl_attr_get_payload_len(list);
	const struct nlattr *attr;
	int code = 0;

	for (; !code && end - p >= (ptrdiff_t)sizeof(*attr); p += MNL_ALIGN(attr->nla_len)) {
		attr = (const struct nlattr *)p;
		if (attr->nla_len < sizeof(*attr) || attr->nla_len > end - p)
			return -EBADMSG;
		if (mnl_attr_get_type(attr) == NFTA_LIST_ELEM)
			code = row(ctx, attr);
	}
	return code;
}

static int hash_expr_row(void *ctx, const struct nlattr *elem)
{
	return hash_expr(ctx, elem);
}

static int see_table(struct seeing *s, const struct nlmsghdr *nlh)
{
	static const struct nl_rule rules[] = {
		[NFTA_TABLE_NAME] = { 1, true, true },
		[NFTA_TABLE_FLAGS] = { 4, true, false },
		[NFTA_TABLE_USERDATA] = { 0, true, false },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];

	if (nl_attrs_of(nlh, sizeof(struct nfgenmsg), rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	if (!nl_is(at[NFTA_TABLE_NAME], FILTER_TABLE))
		return 0;
	s->sight.table = true;
	s->sum += hash_leaf(hash_leaf(hash_text(HASH_START, "table"), at[NFTA_TABLE_FLAGS]), at[NFTA_TABLE_USERDATA]);
	return 0;
}

static int hash_hook(uint64_t *hash, const struct nlattr *hook)
{
	static const struct nl_rule rules[] = {
		[NFTA_HOOK_HOOKNUM] = { 4, true, true },
		[NFTA_HOOK_PRIORITY] = { 4, true, true },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];

	if (nl_attrs_in(hook, rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	*hash = hash_leaf(hash_leaf(*hash, at[NFTA_HOOK_HOOKNUM]), at[NFTA_HOOK_PRIORITY]);
	return 0;
}

static int see_chain(struct seeing *s, const struct nlmsghdr *nlh)
{
	static const struct nl_rule rules[] = {
		[NFTA_CHAIN_TABLE] = { 1, true, true },
		[NFTA_CHAIN_NAME] = { 1, true, true },
		[NFTA_CHAIN_HOOK] = { 0, true, false },
		[NFTA_CHAIN_POLICY] = { 4, true, false },
		[NFTA_CHAIN_TYPE] = { 1, true, false },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];
	uint64_t hash = hash_text(HASH_START, "chain");

	if (nl_attrs_of(nlh, sizeof(struct nfgenmsg), rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	if (!nl_is(at[NFTA_CHAIN_TABLE], FILTER_TABLE))
		return 0;
	hash = hash_leaf(hash, at[NFTA_CHAIN_NAME]);
	if (at[NFTA_CHAIN_HOOK]) {
		if (hash_hook(&hash, at[NFTA_CHAIN_HOOK]) < 0)
			return -EBADMSG;
		hash = hash_leaf(hash_leaf(hash, at[NFTA_CHAIN_POLICY]), at[NFTA_CHAIN_TYPE]);
	}
	s->sum += hash;
	return 0;
}

static int see_rule(struct seeing *s, const struct nlmsghdr *nlh)
{
	static const struct nl_rule rules[] = {
		[NFTA_RULE_TABLE] = { 1, true, true },
		[NFTA_RULE_CHAIN] = { 1, true, true },
		[NFTA_RULE_EXPRESSIONS] = { 0, true, false },
		[NFTA_RULE_USERDATA] = { 0, true, false },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];
	uint64_t hash = hash_text(HASH_START, "rule");

	if (nl_attrs_of(nlh, sizeof(struct nfgenmsg), rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	if (!nl_is(at[NFTA_RULE_TABLE], FILTER_TABLE))
		return 0;
	s->place = nl_is(at[NFTA_RULE_CHAIN], s->chain) ? s->place + 1 : 0;
	if (nl_str(at[NFTA_RULE_CHAIN], s->chain, sizeof(s->chain)) < 0)
		strcpy(s->chain, "?"); /* too long to be one of ours */
	hash = hash_bytes(hash_text(hash, s->chain), &s->place, sizeof(s->place));
	if (at[NFTA_RULE_EXPRESSIONS] && each(at[NFTA_RULE_EXPRESSIONS], hash_expr_row, &hash) < 0)
		return -EBADMSG;
	s->sum += hash_leaf(hash, at[NFTA_RULE_USERDATA]);
	return 0;
}

static int see_set(struct seeing *s, const struct nlmsghdr *nlh)
{
	static const struct nl_rule rules[] = {
		[NFTA_SET_TABLE] = { 1, true, true },
		[NFTA_SET_NAME] = { 1, true, true },
		[NFTA_SET_FLAGS] = { 4, true, false },
		[NFTA_SET_KEY_TYPE] = { 4, true, false },
		[NFTA_SET_KEY_LEN] = { 4, true, true },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];
	uint64_t hash = hash_text(HASH_START, "set");

	if (nl_attrs_of(nlh, sizeof(struct nfgenmsg), rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	if (!nl_is(at[NFTA_SET_TABLE], FILTER_TABLE))
		return 0;
	for (size_t i = NFTA_SET_NAME; i <= NFTA_SET_KEY_LEN; i++)
		hash = hash_leaf(hash, at[i]);
	s->sum += hash;
	for (int id = 0; id < SET_COUNT; id++)
		if (nl_is(at[NFTA_SET_NAME], filter_set_name((enum filter_set_id)id)) && nl_u32(at[NFTA_SET_FLAGS]) == 0 &&
		    ntohl(nl_u32(at[NFTA_SET_KEY_LEN])) == filter_set_len((enum filter_set_id)id))
			s->sight.sets[id] = true;
	return 0;
}

static int see(void *ctx, const struct nlmsghdr *nlh)
{
	struct nfgenmsg head;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(head))
		return -EBADMSG;
	memcpy(&head, mnl_nlmsg_get_payload(nlh), sizeof(head));
	if (head.nfgen_family != NFPROTO_INET || nlh->nlmsg_type >> 8 != NFNL_SUBSYS_NFTABLES)
		return 0;
	switch (nlh->nlmsg_type & 0xff) {
	case NFT_MSG_NEWTABLE:
		return see_table(ctx, nlh);
	case NFT_MSG_NEWCHAIN:
		return see_chain(ctx, nlh);
	case NFT_MSG_NEWRULE:
		return see_rule(ctx, nlh);
	case NFT_MSG_NEWSET:
		return see_set(ctx, nlh);
	default:
		return 0;
	}
}

/* One of the four kinds of object. Adds to sight and to sum. */
static int see_kind(struct nl_sock *nl, uint8_t type, uint16_t flags, struct filter_sight *sight, uint64_t *sum, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	struct nlmsghdr *nlh = filter_put(&ask, type, flags, 256);
	struct seeing s = { .sight = *sight, .start = *sight };
	const struct nl_reader reader = { see, restart, &s };
	int code;

	if (type != NFT_MSG_GETCHAIN) /* chains can't be asked for by table: all of the family come */
		mnl_attr_put_strz(nlh, NFTA_TABLE_NAME, FILTER_TABLE); /* the same number in each kind */
	nl_batch_end(&ask, nlh);
	code = nl_read(nl, &ask, &reader, err);
	if (code)
		return code;
	*sight = s.sight;
	*sum += s.sum;
	return 0;
}

int filter_see(struct nl_sock *nl, struct filter_sight *ret, struct err *err)
{
	struct filter_sight sight = { 0 };
	int code = see_kind(nl, NFT_MSG_GETTABLE, NLM_F_ACK, &sight, &sight.digest, err);

	if (!code)
		code = see_kind(nl, NFT_MSG_GETSET, NLM_F_DUMP, &sight, &sight.digest, err);
	if (!code)
		code = see_kind(nl, NFT_MSG_GETCHAIN, NLM_F_DUMP, &sight, &sight.digest, err);
	if (!code)
		code = see_kind(nl, NFT_MSG_GETRULE, NLM_F_DUMP, &sight, &sight.digest, err);
	if (code && code != -ENOENT)
		return code;
	/* Deleted meanwhile is the same as not there. */
	*ret = code ? (struct filter_sight){ 0 } : sight;
	return 0;
}

uint64_t filter_digest(const struct nl_batch *batch)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)batch->p;
	struct seeing s = { 0 };
	int left = (int)batch->n;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		if (see(&s, nlh) < 0)
			abort(); /* our own messages */
	return s.sum;
}

struct key_reading {
	struct filter_keys *ret;
	size_t start, len;
};

static void key_restart(void *ctx)
{
	struct key_reading *r = ctx;

	r->ret->rows.n = r->start;
}

static int key_row(void *ctx, const struct nlattr *elem)
{
	static const struct nl_rule elem_rules[] = { [NFTA_SET_ELEM_KEY] = { 4, true, false } };
	static const struct nl_rule data_rules[] = { [NFTA_DATA_VALUE] = { 0, true, true } };
	const struct nlattr *at[ARRAY_SIZE(elem_rules)], *data[ARRAY_SIZE(data_rules)];
	struct key_reading *r = ctx;
	struct filter_key key = { 0 };

	if (nl_attrs_in(elem, elem_rules, ARRAY_SIZE(elem_rules), at) < 0)
		return -EBADMSG;
	if (!at[NFTA_SET_ELEM_KEY])
		return 0; /* a catch-all: not ours */
	if (nl_attrs_in(at[NFTA_SET_ELEM_KEY], data_rules, ARRAY_SIZE(data_rules), data) < 0 ||
	    mnl_attr_get_payload_len(data[NFTA_DATA_VALUE]) < r->len)
		return -EBADMSG;
	memcpy(key.bytes, mnl_attr_get_payload(data[NFTA_DATA_VALUE]), r->len);
	*vec_push(&r->ret->rows) = key;
	return 0;
}

static int key_list(void *ctx, const struct nlmsghdr *nlh)
{
	static const struct nl_rule rules[] = { [NFTA_SET_ELEM_LIST_ELEMENTS] = { 0, true, false } };
	const struct nlattr *at[ARRAY_SIZE(rules)];

	if (nl_attrs_of(nlh, sizeof(struct nfgenmsg), rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	return at[NFTA_SET_ELEM_LIST_ELEMENTS] ? each(at[NFTA_SET_ELEM_LIST_ELEMENTS], key_row, ctx) : 0;
}

int filter_read_keys(struct nl_sock *nl, enum filter_set_id id, struct filter_keys *ret, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	struct nlmsghdr *nlh = filter_put(&ask, NFT_MSG_GETSETELEM, NLM_F_DUMP, 256);
	struct key_reading r = { ret, ret->rows.n, filter_set_len(id) };
	const struct nl_reader reader = { key_list, key_restart, &r };
	int code;

	mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_TABLE, FILTER_TABLE);
	mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_SET, filter_set_name(id));
	nl_batch_end(&ask, nlh);
	code = nl_read(nl, &ask, &reader, err);
	if (code) {
		key_restart(&r);
		err_wrap(err, "set %s", filter_set_name(id));
	}
	return code;
}
