/* The port to the kernel: what the daemon needs of it, with a real side (kernel_linux.h) and a fake one in the tests.
 * Synchronous and bounded: a call sends at most what it is given and waits a few seconds at most for answers.
 * A read is true only if it ended well: an interrupted, truncated or overrun one is asked again inside, some times,
 * then -EAGAIN. Errors of transport give -ETIMEDOUT. Nothing here decides anything or keeps state of the service table. */
#pragma once
#include "base/err.h"
#include "core/flow.h"
#include "core/op.h"

#define KERNEL_OPS_MAX 500 /* operations in one apply() */

/* Areas that somebody else changed (bits). */
enum kernel_area { KERNEL_ADDRS = 1, KERNEL_FILTER = 2 };

struct kernel_vss {
	VEC(struct vs_row) rows;  /* by address virtual servers only; firewall marks and other protocols are left out */
};
struct kernel_rss {
	VEC(struct rs_row) rows;
};
struct kernel_ips {
	VEC(struct ip) rows;
};
struct kernel_filter {
	bool intact;              /* table, chains and rules are as this version wants them */
	VEC(struct ip) guarded;
	VEC(struct vs_key) served;
	VEC(struct ip) pinged;    /* addresses whose ping is answered */
};
struct kernel_flows {
	VEC(struct flow) rows;
	uint32_t n[FLOW_STATES];  /* of all, also of those that are not in rows */
};
/* The filter that apply() is to restore when it must be written whole. Borrowed. */
struct kernel_filter_want {
	const struct ip *guarded;
	size_t n_guarded;
	const struct vs_key *served;
	size_t n_served;
};

struct kernel;
struct kernel_vtbl {
	/* All virtual servers. Appends to ret. */
	int (*list_vs)(struct kernel *k, struct kernel_vss *ret, struct err *err);

	/* The real servers of one virtual server with their counters, from a dump that begins after this call.
	 * Appends to ret. -ESRCH: there is no such virtual server (an empty answer is told from that). */
	int (*list_rs)(struct kernel *k, const struct vs_key *vs, struct kernel_rss *ret, struct err *err);

	/* The addresses on our device, link-local ones apart; none if there is no device. Appends to ret. */
	int (*list_addrs)(struct kernel *k, struct kernel_ips *ret, struct err *err);

	/* What the filter holds. Appends to ret. No table: intact = false and nothing else. */
	int (*list_filter)(struct kernel *k, struct kernel_filter *ret, struct err *err);

	/* The connections through one real server, as conntrack tells them; the kernel filters, and walks its whole table for it. Appends
	 * to ret at most max rows, the first that come; n counts all. Where the table changes much meanwhile, one may lack or come
	 * twice, and conntrack may have forgotten what IPVS still counts (UDP). None is no error, whatever is there.
	 * -EOPNOTSUPP: this kernel cannot tell (no nf_conntrack_netlink). */
	int (*list_flows)(struct kernel *k, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret,
			  struct err *err);

	/* Makes device and filter ready without opening anything: creates what lacks; with want non-NULL writes
	 * the whole filter anew in one transaction (guarded before served), whatever is there. */
	int (*prepare)(struct kernel *k, const struct kernel_filter_want *want, struct err *err);

	/* Does n ≤ KERNEL_OPS_MAX operations of one kind, in order, each on its own except the filter's, which are
	 * one transaction (all get the same result). ret has n places; every one is written. OP_UNGUARD of an address that is on
	 * another dummy device (ours was renamed) is left out with -EADDRINUSE: ports of the node would be open through it. */
	void (*apply)(struct kernel *k, const struct op *ops, size_t n, struct op_result *ret);

	/* A descriptor that polls readable when somebody else changed something, or -1. */
	int (*event_fd)(struct kernel *k);
	/* Reads what is there without blocking: bits of enum kernel_area; an overrun gives all of them. Our own
	 * changes are not told. */
	unsigned (*events)(struct kernel *k);

	void (*free)(struct kernel *k);
};
struct kernel {
	const struct kernel_vtbl *v;
};

void kernel_vss_fini(struct kernel_vss *p);
void kernel_rss_fini(struct kernel_rss *p);
void kernel_ips_fini(struct kernel_ips *p);
void kernel_filter_fini(struct kernel_filter *p);
void kernel_flows_fini(struct kernel_flows *p);
