/* The real side of the kernel port: IPVS by generic netlink, addresses by rtnetlink, the filter by nf_tables. */
#pragma once
#include "kernel/kernel.h"

struct kernel_options {
	const char *device; /* "kube-ipvs0" */
	bool read_only;     /* for `plan`: reads only; loads no module, creates nothing; no IPVS in the kernel = an empty table */
};

/* Opens the sockets. Refuses in one sentence that names what lacks: no ip_vs, no nf_tables, no CAP_NET_ADMIN
 * (-EPERM), a user namespace. Writes nothing. owned: (*ret)->v->free(*ret). */
MUST_CHECK int kernel_linux_open(const struct kernel_options *options, struct kernel **ret, struct err *err);

/* 0 if the kernel has this scheduler (asks it to load the module; changes no table), -ENOENT with a sentence if not. */
MUST_CHECK int kernel_linux_scheduler(struct kernel *k, const char *sched, struct err *err);
