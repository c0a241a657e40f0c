/* IPVS by generic netlink: messages and rows. */
#pragma once
#include "kernel/kernel.h"
#include "kernel/netlink.h"

struct ipvs {
	struct nl_sock nl;
	uint16_t family; /* message type of the IPVS family; 0 = the kernel has none, the table reads as empty */
};

/* Asks for the family (this loads the module) and whether we may use it. -ENOENT, -EPERM with a sentence.
 * owned: ipvs_close(). */
MUST_CHECK int ipvs_open(struct ipvs *ipvs, struct err *err);
void ipvs_close(struct ipvs *ipvs);

/* As in kernel.h. */
MUST_CHECK int ipvs_list_vs(struct ipvs *ipvs, struct kernel_vss *ret, struct err *err);
MUST_CHECK int ipvs_list_rs(struct ipvs *ipvs, const struct vs_key *vs, struct kernel_rss *ret, struct err *err);
void ipvs_apply(struct ipvs *ipvs, const struct op *ops, size_t n, struct op_result *ret);
MUST_CHECK int ipvs_scheduler(struct ipvs *ipvs, const char *sched, struct err *err);

/* The pieces, for the tests. op is OP_VS_* or OP_RS_*. */
void ipvs_put_op(struct nl_batch *batch, uint16_t family, const struct op *op);
/* 0: *ret is written; 1: not an entry of ours (firewall mark, other protocol, other family); -EBADMSG. */
MUST_CHECK int ipvs_get_vs(const struct nlmsghdr *nlh, struct vs_row *ret);
MUST_CHECK int ipvs_get_rs(const struct nlmsghdr *nlh, uint8_t family, struct rs_row *ret);
/* Resolves the family by an answer of CTRL_CMD_GETFAMILY. */
MUST_CHECK int ipvs_get_family(const struct nlmsghdr *nlh, uint16_t *ret);
