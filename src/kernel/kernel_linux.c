/* The real side of the kernel port: opens IPVS, addresses, filter, connections and notifications, and says in one sentence what lacks.
 * Hands each call to the one whose matter it is. */
#include "kernel/kernel_linux.h"

#include "kernel/events.h"
#include "kernel/flows.h"
#include "kernel/ipvs.h"

#include <assert.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

struct kernel_linux {
	struct kernel port;
	struct ipvs ipvs;
	struct address address;
	struct filter filter;
	struct flows flows;
	struct events events;
	bool read_only;
};

static struct kernel_linux *self(struct kernel *k)
{
	return (struct kernel_linux *)k; /* port is the first member */
}

static int list_vs(struct kernel *k, struct kernel_vss *ret, struct err *err)
{
	return ipvs_list_vs(&self(k)->ipvs, ret, err);
}

static int list_rs(struct kernel *k, const struct vs_key *vs, struct kernel_rss *ret, struct err *err)
{
	return ipvs_list_rs(&self(k)->ipvs, vs, ret, err);
}

static int list_addrs(struct kernel *k, struct kernel_ips *ret, struct err *err)
{
	return address_list(&self(k)->address, ret, err);
}

static int list_filter(struct kernel *k, struct kernel_filter *ret, struct err *err)
{
	return filter_list(&self(k)->filter, ret, err);
}

/* Is a module there, loaded or built in? Asking it by netlink would load it. */
static bool module_there(const char *sys, const char *symbol)
{
	CLEANUP(free_p) char *line = NULL;
	size_t cap = 0, n = strlen(symbol);
	bool there = false;
	FILE *f;

	if (access(sys, F_OK) == 0)
		return true;
	f = fopen("/proc/kallsyms", "re"); /* a part that is built in without parameters shows nowhere else */
	if (!f)
		return false;
	while (!there && getline(&line, &cap, f) > 0) {
		const char *at = strstr(line, symbol);

		there = at && at > line && at[-1] == ' ' && (at[n] == '\n' || at[n] == '\t');
	}
	(void)fclose(f);
	return there;
}

static int list_flows(struct kernel *k, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret, struct err *err)
{
	if (self(k)->read_only && !module_there("/sys/module/nf_conntrack_netlink", "ctnetlink_dump_table"))
		return err_set(err, -EOPNOTSUPP, "the kernel tells no connections now (module nf_conntrack_netlink is not loaded)");
	return flows_list(&self(k)->flows, vs, rs, max, ret, err);
}

static int prepare(struct kernel *k, const struct kernel_filter_want *want, struct err *err)
{
	int code;

	assert(!self(k)->read_only);
	code = filter_prepare(&self(k)->filter, want, err);
	return code ? code : address_prepare(&self(k)->address, err);
}

/* All but those that are left on another device; if nobody can tell, none. */
static void unguard(struct kernel_linux *l, const struct op *ops, size_t n, struct op_result *ret)
{
	struct op *free_ops = xreallocarray(NULL, n, sizeof(*free_ops));
	struct op_result *results = xreallocarray(NULL, n, sizeof(*results));
	bool stray[KERNEL_OPS_MAX];
	struct err err;
	int code = address_strays(&l->address, ops, n, stray, &err);
	size_t n_free = 0, at = 0;

	for (size_t i = 0; i < n && !code; i++)
		if (!stray[i])
			free_ops[n_free++] = ops[i];
	if (n_free)
		filter_apply(&l->filter, free_ops, n_free, results);
	for (size_t i = 0; i < n; i++)
		ret[i] = code ? (struct op_result){ code } : stray[i] ? (struct op_result){ -EADDRINUSE } : results[at++];
	free(free_ops);
	free(results);
}

static void apply(struct kernel *k, const struct op *ops, size_t n, struct op_result *ret)
{
	assert(!self(k)->read_only && n <= KERNEL_OPS_MAX);
	if (!n)
		return;
	for (size_t i = 1; i < n; i++)
		assert(ops[i].kind == ops[0].kind);
	switch (ops[0].kind) {
	case OP_VS_ADD:
	case OP_VS_SET:
	case OP_RS_ADD:
	case OP_RS_RAISE:
	case OP_RS_ZERO:
	case OP_RS_DEL:
	case OP_VS_DEL:
		ipvs_apply(&self(k)->ipvs, ops, n, ret);
		return;
	case OP_ADDR_ADD:
	case OP_ADDR_DEL:
		address_apply(&self(k)->address, ops, n, ret);
		return;
	case OP_GUARD:
	case OP_SERVE:
	case OP_UNSERVE:
		filter_apply(&self(k)->filter, ops, n, ret);
		return;
	case OP_UNGUARD:
		unguard(self(k), ops, n, ret);
		return;
	}
}

static int event_fd(struct kernel *k)
{
	return self(k)->read_only ? -1 : self(k)->events.poll;
}

static unsigned events(struct kernel *k)
{
	return self(k)->read_only ? 0 : events_read(&self(k)->events);
}

static void linux_free(struct kernel *k)
{
	struct kernel_linux *l = self(k);

	if (!l->read_only)
		events_close(&l->events);
	flows_close(&l->flows);
	filter_close(&l->filter);
	address_close(&l->address);
	ipvs_close(&l->ipvs);
	free(l);
}

static const struct kernel_vtbl vtbl = {
	.list_vs = list_vs,
	.list_rs = list_rs,
	.list_addrs = list_addrs,
	.list_filter = list_filter,
	.list_flows = list_flows,
	.prepare = prepare,
	.apply = apply,
	.event_fd = event_fd,
	.events = events,
	.free = linux_free,
};

/* Does this process have CAP_NET_ADMIN in its own user namespace? */
static bool have_net_admin(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return syscall(SYS_capget, &head, data) == 0 && data[0].effective & 1u << CAP_NET_ADMIN;
}

static int open_ipvs(struct kernel_linux *l, struct err *err)
{
	int code;

	if (l->read_only && access("/proc/net/ip_vs", F_OK) < 0)
		return 0;
	code = ipvs_open(&l->ipvs, err);
	if (code == -EPERM) /* the capability is there, so it is one of a user namespace only */
		return err_set(err, code, "IPVS: the kernel refuses: it must be the initial user namespace, not that of a "
					  "rootless container");
	return code;
}

static int open_filter(struct kernel_linux *l, struct err *err)
{
	int code;

	if (l->read_only && !module_there("/sys/module/nf_tables", "nf_tables_newtable")) {
		l->filter.absent = true;
		return 0;
	}
	code = filter_open(&l->filter, err);
	if (code == -EPERM)
		return err_set(err, code, "nf_tables: needs CAP_NET_ADMIN in the user namespace that owns this network namespace");
	return code;
}

/* A link of another kind under the device's name: there is nothing that could be done until somebody removes it. */
static int have_own_device(struct kernel_linux *l, struct err *err)
{
	struct kernel_ips ips = { 0 };
	int code = address_list(&l->address, &ips, err);

	kernel_ips_fini(&ips);
	return code == -EEXIST ? code : 0; /* other trouble may pass: the first read has retries */
}

static int open_all(struct kernel_linux *l, const char *device, struct err *err)
{
	int code;

	if (!have_net_admin())
		return err_set(err, -EPERM, "needs CAP_NET_ADMIN (run it as root)");
	code = open_ipvs(l, err);
	if (!code)
		code = address_open(&l->address, device, err);
	if (!code)
		code = open_filter(l, err);
	if (!code)
		code = flows_open(&l->flows, err);
	if (!code && !l->read_only)
		code = events_open(&l->events, &l->address, &l->filter, err);
	if (!code && !l->read_only)
		code = have_own_device(l, err);
	return code;
}

int kernel_linux_open(const struct kernel_options *options, struct kernel **ret, struct err *err)
{
	struct kernel_linux *l = xzalloc(sizeof(*l));
	int code;

	l->port.v = &vtbl;
	l->read_only = options->read_only;
	code = open_all(l, options->device, err);
	if (code) {
		linux_free(&l->port);
		return code;
	}
	*ret = &l->port;
	return 0;
}

int kernel_linux_scheduler(struct kernel *k, const char *sched, struct err *err)
{
	assert(!self(k)->read_only);
	return ipvs_scheduler(&self(k)->ipvs, sched, err);
}
