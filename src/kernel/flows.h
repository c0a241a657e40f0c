/* The connections of a real server, asked of conntrack (nfnetlink) with a filter that the kernel applies. */
#pragma once
#include "kernel/kernel.h"
#include "kernel/netlink.h"

struct flows {
	struct nl_sock nl;
	bool absent; /* the kernel had no such module when it was asked: each question more would start modprobe again */
};

/* Opens the socket. Asks nothing: no module is loaded before the first flows_list(). owned: flows_close(). */
MUST_CHECK int flows_open(struct flows *flows, struct err *err);
void flows_close(struct flows *flows);

/* As in kernel.h. */
MUST_CHECK int flows_list(struct flows *flows, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret,
			  struct err *err);

/* The pieces, for the tests: the question, and one row of the answer. */
void flows_put(struct nl_batch *batch, const struct vs_key *vs, const struct rs_key *rs);
/* 0: *ret is written; 1: not a connection through this real server; -EBADMSG. */
MUST_CHECK int flows_get(const struct nlmsghdr *nlh, const struct vs_key *vs, const struct rs_key *rs, struct flow *ret);
