/* The packet filter: one nf_tables table with sets of guarded addresses, served keys and addresses that answer ping. */
#pragma once
#include "kernel/kernel.h"
#include "kernel/netlink.h"

struct filter {
	struct nl_sock nl;
	bool absent;      /* the kernel has no nf_tables loaded and we may not load it: the filter reads as "no table" */
	uint64_t wanted;  /* digest of the table without elements, as we write it */
	uint64_t shown;   /* as the kernel showed our table after we last wrote it; 0 = not written yet */
	uint64_t written; /* the same twice: how this kernel shows it; 0 = not known */
};

/* Asks whether the kernel has nf_tables (this loads the module) and whether we may use it. owned: filter_close(). */
MUST_CHECK int filter_open(struct filter *f, struct err *err);
void filter_close(struct filter *f);

/* As in kernel.h. */
MUST_CHECK int filter_list(struct filter *f, struct kernel_filter *ret, struct err *err);
MUST_CHECK int filter_prepare(struct filter *f, const struct kernel_filter_want *want, struct err *err);
void filter_apply(struct filter *f, const struct op *ops, size_t n, struct op_result *ret);

/* Is this notification of nf_tables a change that somebody else made to our table? */
bool filter_foreign(const struct filter *f, const struct nlmsghdr *nlh);
