/* IPVS by generic netlink: how operations become messages and messages become rows.
 * Decides nothing and remembers nothing of the table. */
#include "kernel/ipvs.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/ip_vs.h>
#include <string.h>
#include <time.h>

#define ROOM 512       /* bytes of attributes in one request */
#define PER_SEND 200   /* messages in one datagram: more gains nothing */
#define FAMILY_TRIES 6 /* the first message after the module was loaded can fail */

static struct nlmsghdr *put(struct nl_batch *batch, uint16_t type, uint16_t flags, uint8_t cmd, uint8_t version)
{
	const struct genlmsghdr head = { .cmd = cmd, .version = version };

	return nl_batch_put(batch, type, flags, &head, sizeof(head), ROOM);
}

static void put_vs_key(struct nlmsghdr *nlh, const struct vs_key *vs)
{
	mnl_attr_put_u16(nlh, IPVS_SVC_ATTR_AF, vs->ip.family);
	mnl_attr_put_u16(nlh, IPVS_SVC_ATTR_PROTOCOL, vs->proto);
	mnl_attr_put(nlh, IPVS_SVC_ATTR_ADDR, sizeof(vs->ip.bytes), vs->ip.bytes);
	mnl_attr_put_u16(nlh, IPVS_SVC_ATTR_PORT, htons(vs->port));
}

/* plen: of persistence, by family; all ones = one client each. */
static void put_vs_attrs(struct nlmsghdr *nlh, const struct vs_attrs *attrs, uint32_t netmask)
{
	const struct ip_vs_flags flags = { attrs->flags & ~VS_FLAG_HASHED, ~0u };

	mnl_attr_put_strz(nlh, IPVS_SVC_ATTR_SCHED_NAME, attrs->sched);
	mnl_attr_put(nlh, IPVS_SVC_ATTR_FLAGS, sizeof(flags), &flags);
	mnl_attr_put_u32(nlh, IPVS_SVC_ATTR_TIMEOUT, attrs->timeout_s);
	mnl_attr_put_u32(nlh, IPVS_SVC_ATTR_NETMASK, netmask);
}

static void put_vs(struct nl_batch *batch, uint16_t family, uint8_t cmd, const struct op *op)
{
	struct nlmsghdr *nlh = put(batch, family, 0, cmd, IPVS_GENL_VERSION);
	struct nlattr *nest = mnl_attr_nest_start(nlh, IPVS_CMD_ATTR_SERVICE);

	put_vs_key(nlh, &op->vs);
	if (cmd != IPVS_CMD_DEL_SERVICE)
		put_vs_attrs(nlh, &op->attrs, op->vs.ip.family == AF_INET ? 0xffffffff : 128);
	mnl_attr_nest_end(nlh, nest);
	nl_batch_end(batch, nlh);
}

static void put_rs(struct nl_batch *batch, uint16_t family, uint8_t cmd, const struct op *op)
{
	struct nlmsghdr *nlh = put(batch, family, 0, cmd, IPVS_GENL_VERSION);
	struct nlattr *nest = mnl_attr_nest_start(nlh, IPVS_CMD_ATTR_SERVICE);

	put_vs_key(nlh, &op->vs);
	mnl_attr_nest_end(nlh, nest);
	nest = mnl_attr_nest_start(nlh, IPVS_CMD_ATTR_DEST);
	mnl_attr_put(nlh, IPVS_DEST_ATTR_ADDR, sizeof(op->rs.ip.bytes), op->rs.ip.bytes);
	mnl_attr_put_u16(nlh, IPVS_DEST_ATTR_PORT, htons(op->rs.port));
	mnl_attr_put_u16(nlh, IPVS_DEST_ATTR_ADDR_FAMILY, op->rs.ip.family);
	if (cmd != IPVS_CMD_DEL_DEST) {
		mnl_attr_put_u32(nlh, IPVS_DEST_ATTR_FWD_METHOD, IP_VS_CONN_F_MASQ);
		mnl_attr_put_u32(nlh, IPVS_DEST_ATTR_WEIGHT, (uint32_t)op->weight);
		mnl_attr_put_u32(nlh, IPVS_DEST_ATTR_U_THRESH, 0);
		mnl_attr_put_u32(nlh, IPVS_DEST_ATTR_L_THRESH, 0);
	}
	mnl_attr_nest_end(nlh, nest);
	nl_batch_end(batch, nlh);
}

void ipvs_put_op(struct nl_batch *batch, uint16_t family, const struct op *op)
{
	switch (op->kind) {
	case OP_VS_ADD:
		put_vs(batch, family, IPVS_CMD_NEW_SERVICE, op);
		return;
	case OP_VS_SET:
		put_vs(batch, family, IPVS_CMD_SET_SERVICE, op);
		return;
	case OP_VS_DEL:
		put_vs(batch, family, IPVS_CMD_DEL_SERVICE, op);
		return;
	case OP_RS_ADD:
		put_rs(batch, family, IPVS_CMD_NEW_DEST, op);
		return;
	case OP_RS_RAISE:
	case OP_RS_ZERO:
		put_rs(batch, family, IPVS_CMD_SET_DEST, op);
		return;
	case OP_RS_DEL:
		put_rs(batch, family, IPVS_CMD_DEL_DEST, op);
		return;
	case OP_GUARD:
	case OP_ADDR_ADD:
	case OP_SERVE:
	case OP_UNSERVE:
	case OP_ADDR_DEL:
	case OP_UNGUARD:
		break;
	}
	assert(!"an operation of IPVS");
}

void ipvs_apply(struct ipvs *ipvs, const struct op *ops, size_t n, struct op_result *ret)
{
	CLEANUP(free_p) int *codes = xreallocarray(NULL, n, sizeof(*codes));
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };

	for (size_t i = 0; i < n; i++)
		ipvs_put_op(&batch, ipvs->family, &ops[i]);
	nl_apply(&ipvs->nl, &batch, PER_SEND, codes);
	for (size_t i = 0; i < n; i++)
		ret[i].code = codes[i];
}

static int get_nest(const struct nlmsghdr *nlh, size_t type, const struct nlattr **ret)
{
	static const struct nl_rule rules[] = {
		[IPVS_CMD_ATTR_SERVICE] = { 4, true, false },
		[IPVS_CMD_ATTR_DEST] = { 4, true, false },
	};
	const struct nlattr *attrs[ARRAY_SIZE(rules)];

	if (nl_attrs_of(nlh, sizeof(struct genlmsghdr), rules, ARRAY_SIZE(rules), attrs) < 0 || !attrs[type])
		return -EBADMSG;
	*ret = attrs[type];
	return 0;
}

int ipvs_get_vs(const struct nlmsghdr *nlh, struct vs_row *ret)
{
	static const struct nl_rule rules[] = {
		[IPVS_SVC_ATTR_AF] = { 2, true, true },
		[IPVS_SVC_ATTR_PROTOCOL] = { 2, true, false },
		[IPVS_SVC_ATTR_ADDR] = { 4, true, false },
		[IPVS_SVC_ATTR_PORT] = { 2, true, false },
		[IPVS_SVC_ATTR_FWMARK] = { 4, true, false },
		[IPVS_SVC_ATTR_SCHED_NAME] = { 1, true, true },
		[IPVS_SVC_ATTR_FLAGS] = { sizeof(struct ip_vs_flags), true, true },
		[IPVS_SVC_ATTR_TIMEOUT] = { 4, true, true },
	};
	const struct nlattr *nest, *at[ARRAY_SIZE(rules)];
	struct vs_row row = { 0 };
	uint16_t af, proto;

	if (get_nest(nlh, IPVS_CMD_ATTR_SERVICE, &nest) < 0 || nl_attrs_in(nest, rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	af = nl_u16(at[IPVS_SVC_ATTR_AF]);
	proto = nl_u16(at[IPVS_SVC_ATTR_PROTOCOL]);
	if (at[IPVS_SVC_ATTR_FWMARK] || (af != AF_INET && af != AF_INET6))
		return 1;
	if (!at[IPVS_SVC_ATTR_PROTOCOL] || !at[IPVS_SVC_ATTR_ADDR] || !at[IPVS_SVC_ATTR_PORT])
		return -EBADMSG;
	/* Port 0 (any port; only with persistence) is nothing that we make, nor can a key name it. */
	if ((proto != PROTO_TCP && proto != PROTO_UDP && proto != PROTO_SCTP) || !nl_u16(at[IPVS_SVC_ATTR_PORT]))
		return 1;
	row.key.proto = (uint8_t)proto;
	row.key.port = ntohs(nl_u16(at[IPVS_SVC_ATTR_PORT]));
	row.attrs.flags = nl_u32(at[IPVS_SVC_ATTR_FLAGS]); /* the first field; the mask follows */
	row.attrs.timeout_s = nl_u32(at[IPVS_SVC_ATTR_TIMEOUT]);
	if (nl_ip(at[IPVS_SVC_ATTR_ADDR], (uint8_t)af, &row.key.ip) < 0 ||
	    nl_str(at[IPVS_SVC_ATTR_SCHED_NAME], row.attrs.sched, sizeof(row.attrs.sched)) < 0)
		return -EBADMSG;
	*ret = row;
	return 0;
}

int ipvs_get_rs(const struct nlmsghdr *nlh, uint8_t family, struct rs_row *ret)
{
	static const struct nl_rule rules[] = {
		[IPVS_DEST_ATTR_ADDR] = { 4, true, true },
		[IPVS_DEST_ATTR_PORT] = { 2, true, true },
		[IPVS_DEST_ATTR_WEIGHT] = { 4, true, true },
		[IPVS_DEST_ATTR_ACTIVE_CONNS] = { 4, true, true },
		[IPVS_DEST_ATTR_INACT_CONNS] = { 4, true, true },
		[IPVS_DEST_ATTR_PERSIST_CONNS] = { 4, true, true },
		[IPVS_DEST_ATTR_ADDR_FAMILY] = { 2, true, false },
	};
	const struct nlattr *nest, *at[ARRAY_SIZE(rules)];
	struct rs_row row = { 0 };

	if (get_nest(nlh, IPVS_CMD_ATTR_DEST, &nest) < 0 || nl_attrs_in(nest, rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	if (at[IPVS_DEST_ATTR_ADDR_FAMILY] && nl_u16(at[IPVS_DEST_ATTR_ADDR_FAMILY]) != family)
		return 1; /* a tunnel's end */
	row.key.port = ntohs(nl_u16(at[IPVS_DEST_ATTR_PORT]));
	row.weight = (int32_t)nl_u32(at[IPVS_DEST_ATTR_WEIGHT]);
	row.active = nl_u32(at[IPVS_DEST_ATTR_ACTIVE_CONNS]);
	row.inactive = nl_u32(at[IPVS_DEST_ATTR_INACT_CONNS]);
	row.persist = nl_u32(at[IPVS_DEST_ATTR_PERSIST_CONNS]);
	if (nl_ip(at[IPVS_DEST_ATTR_ADDR], family, &row.key.ip) < 0)
		return -EBADMSG;
	*ret = row;
	return 0;
}

/* A list that is being read: rows from start on are void after a disturbed try. */
struct vs_reading {
	struct kernel_vss *ret;
	size_t start;
};

static int vs_read_row(void *ctx, const struct nlmsghdr *nlh)
{
	struct vs_reading *r = ctx;
	struct vs_row row;
	int code = ipvs_get_vs(nlh, &row);

	if (code == 0)
		*vec_push(&r->ret->rows) = row;
	return code < 0 ? code : 0;
}

static void vs_restart(void *ctx)
{
	struct vs_reading *r = ctx;

	r->ret->rows.n = r->start;
}

int ipvs_list_vs(struct ipvs *ipvs, struct kernel_vss *ret, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	struct vs_reading r = { ret, ret->rows.n };
	const struct nl_reader reader = { vs_read_row, vs_restart, &r };
	int code;

	if (!ipvs->family)
		return 0;
	nl_batch_end(&ask, put(&ask, ipvs->family, NLM_F_DUMP, IPVS_CMD_GET_SERVICE, IPVS_GENL_VERSION));
	code = nl_read(&ipvs->nl, &ask, &reader, err);
	if (code) {
		vs_restart(&r);
		err_wrap(err, "list virtual servers");
	}
	return code;
}

struct rs_reading {
	struct kernel_rss *ret;
	size_t start;
	uint8_t family;
	bool any;
};

static int rs_read_row(void *ctx, const struct nlmsghdr *nlh)
{
	struct rs_reading *r = ctx;
	struct rs_row row;
	int code = ipvs_get_rs(nlh, r->family, &row);

	r->any = true;
	if (code == 0)
		*vec_push(&r->ret->rows) = row;
	return code < 0 ? code : 0;
}

static void rs_restart(void *ctx)
{
	struct rs_reading *r = ctx;

	r->ret->rows.n = r->start;
	r->any = false;
}

static int ignore_row(void *ctx, const struct nlmsghdr *nlh)
{
	return 0;
}

static void ignore_restart(void *ctx)
{
}

static const struct nl_reader ignore = { ignore_row, ignore_restart, NULL };

/* A message that names vs: the dump of its real servers, or itself. */
static int ask_vs(struct ipvs *ipvs, uint8_t cmd, uint16_t flags, const struct vs_key *vs,
		  const struct nl_reader *reader, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	struct nlmsghdr *nlh = put(&ask, ipvs->family, flags, cmd, IPVS_GENL_VERSION);
	struct nlattr *nest = mnl_attr_nest_start(nlh, IPVS_CMD_ATTR_SERVICE);

	put_vs_key(nlh, vs);
	mnl_attr_nest_end(nlh, nest);
	nl_batch_end(&ask, nlh);
	return nl_read(&ipvs->nl, &ask, reader, err);
}

int ipvs_list_rs(struct ipvs *ipvs, const struct vs_key *vs, struct kernel_rss *ret, struct err *err)
{
	struct rs_reading r = { ret, ret->rows.n, vs->ip.family, false };
	const struct nl_reader reader = { rs_read_row, rs_restart, &r };
	char text[VS_TEXT];
	int code;

	if (!ipvs->family)
		return err_set(err, -ESRCH, "%s: there is no IPVS here", vs_format(vs, text));
	code = ask_vs(ipvs, IPVS_CMD_GET_DEST, NLM_F_DUMP, vs, &reader, err);
	/* The dump of a virtual server that does not exist succeeds, with no rows. */
	if (!code && !r.any)
		code = ask_vs(ipvs, IPVS_CMD_GET_SERVICE, NLM_F_ACK, vs, &ignore, err);
	if (code) {
		rs_restart(&r);
		err_wrap(err, "list real servers of %s", vs_format(vs, text));
	}
	return code;
}

int ipvs_scheduler(struct ipvs *ipvs, const char *sched, struct err *err)
{
	/* The kernel looks for the scheduler first and refuses the prefix length 0 afterwards: nothing is ever made.
	 * The address is of the discard prefix. */
	static const struct vs_key key = { { AF_INET6, { 0x01, 0x00 } }, PROTO_TCP, 1 };
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	struct vs_attrs attrs = { 0 };
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	int code;

	if (!*sched || strlen(sched) >= sizeof(attrs.sched))
		return err_set(err, -ENOENT, "scheduler %s: no such name is possible", sched);
	strcpy(attrs.sched, sched);
	nlh = put(&ask, ipvs->family, NLM_F_ACK, IPVS_CMD_NEW_SERVICE, IPVS_GENL_VERSION);
	nest = mnl_attr_nest_start(nlh, IPVS_CMD_ATTR_SERVICE);
	put_vs_key(nlh, &key);
	put_vs_attrs(nlh, &attrs, 0);
	mnl_attr_nest_end(nlh, nest);
	nl_batch_end(&ask, nlh);
	code = nl_read(&ipvs->nl, &ask, &ignore, err);
	if (code == -EINVAL)
		return 0;
	if (code == -ENOENT)
		return err_set(err, code, "this kernel has no scheduler %s (module ip_vs_%s)", sched, sched);
	if (code == 0)
		return err_set(err, -EPROTO, "scheduler %s: the kernel made the virtual server that only asks for it", sched);
	err_wrap(err, "scheduler %s", sched);
	return code;
}

int ipvs_get_family(const struct nlmsghdr *nlh, uint16_t *ret)
{
	static const struct nl_rule rules[] = { [CTRL_ATTR_FAMILY_ID] = { 2, true, true } };
	const struct nlattr *at[ARRAY_SIZE(rules)];

	if (nl_attrs_of(nlh, sizeof(struct genlmsghdr), rules, ARRAY_SIZE(rules), at) < 0 ||
	    nl_u16(at[CTRL_ATTR_FAMILY_ID]) < NLMSG_MIN_TYPE)
		return -EBADMSG;
	*ret = nl_u16(at[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

static int family_row(void *ctx, const struct nlmsghdr *nlh)
{
	return ipvs_get_family(nlh, ctx);
}

static int family_ask(struct nl_sock *nl, uint16_t *ret, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	const struct nl_reader reader = { family_row, ignore_restart, ret };
	struct nlmsghdr *nlh = put(&ask, GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY, 1);

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, IPVS_GENL_NAME);
	nl_batch_end(&ask, nlh);
	return nl_read(nl, &ask, &reader, err);
}

/* Some tries, a moment apart: right after the module was loaded the family can be missing once. */
static int family_resolve(struct nl_sock *nl, uint16_t *ret, struct err *err)
{
	int code = 0;

	for (int try = 0; try < FAMILY_TRIES; try++) {
		const struct timespec moment = { 0, 10000000L << try };

		code = family_ask(nl, ret, err);
		if (code != -ENOENT)
			return code;
		if (try + 1 < FAMILY_TRIES)
			(void)nanosleep(&moment, NULL);
	}
	return err_set(err, code, "this kernel has no IPVS (module ip_vs)");
}

int ipvs_open(struct ipvs *ipvs, struct err *err)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	int code = nl_open(&ipvs->nl, NETLINK_GENERIC, err);

	if (code)
		return code;
	code = family_resolve(&ipvs->nl, &ipvs->family, err);
	if (!code) {
		nl_batch_end(&ask, put(&ask, ipvs->family, NLM_F_ACK, IPVS_CMD_GET_INFO, IPVS_GENL_VERSION));
		code = nl_read(&ipvs->nl, &ask, &ignore, err);
	}
	if (code) {
		err_wrap(err, "IPVS");
		ipvs_close(ipvs);
	}
	return code;
}

void ipvs_close(struct ipvs *ipvs)
{
	nl_close(&ipvs->nl);
	ipvs->family = 0;
}
