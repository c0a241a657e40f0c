/* Our device and the service addresses on it, by rtnetlink. */
#pragma once
#include "kernel/kernel.h"
#include "kernel/netlink.h"

struct address {
	struct nl_sock nl;
	const char *device; /* borrowed */
	int index;          /* of the device when we last looked; 0 = none */
	VEC(struct ip) own; /* sorted: what we believe is bound, to tell our own notifications from others' */
};

/* owned: address_close(). device is borrowed for as long. */
MUST_CHECK int address_open(struct address *a, const char *device, struct err *err);
void address_close(struct address *a);

/* Makes the device if there is none: a dummy, left down, without link-local addresses. -EEXIST: a link of another kind
 * has that name. */
MUST_CHECK int address_prepare(struct address *a, struct err *err);
MUST_CHECK int address_list(struct address *a, struct kernel_ips *ret, struct err *err); /* as in kernel.h */
/* As in kernel.h. A device that vanished is made again, once. */
void address_apply(struct address *a, const struct op *ops, size_t n, struct op_result *ret);

/* Which of the addresses of these operations are on another dummy device: one of ours that was renamed. On an error nobody knows. */
MUST_CHECK int address_strays(struct address *a, const struct op *ops, size_t n, bool *ret_stray, struct err *err);

/* Is this notification of rtnetlink a change that somebody else made to our device or to what is bound there? */
bool address_foreign(const struct address *a, const struct nlmsghdr *nlh);

/* The piece, for the tests. op is OP_ADDR_*. */
void address_put_op(struct nl_batch *batch, int index, const struct op *op);
