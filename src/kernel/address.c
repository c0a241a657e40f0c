/* The dummy device and its addresses, by rtnetlink. Knows no service; what is bound is the caller's matter. */
#include "kernel/address.h"

#include <assert.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <time.h>

#define ROOM 256
#define PER_SEND 200
#define KIND "dummy"

int address_open(struct address *a, const char *device, struct err *err)
{
	*a = (struct address){ .device = device };
	if (!*device || strlen(device) >= IFNAMSIZ)
		return err_set(err, -EINVAL, "device \"%s\": not a name of a device", device);
	return nl_open(&a->nl, NETLINK_ROUTE, err);
}

void address_close(struct address *a)
{
	nl_close(&a->nl);
	free(a->own.v);
	*a = (struct address){ .nl = { .fd = -1 } };
}

/* The place of ip in own, or where it belongs. */
static size_t own_place(const struct address *a, const struct ip *ip, bool *ret_there)
{
	size_t low = 0, high = a->own.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ip_cmp(&a->own.v[mid], ip) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*ret_there = low < a->own.n && ip_equal(&a->own.v[low], ip);
	return low;
}

static void own_set(struct address *a, const struct ip *ip, bool bound)
{
	bool there;
	size_t at = own_place(a, ip, &there);
	struct ip *v;

	if (there == bound)
		return;
	if (bound)
		(void)vec_push(&a->own);
	v = a->own.v;
	if (bound) {
		memmove(&v[at + 1], &v[at], (a->own.n - 1 - at) * sizeof(*v));
		v[at] = *ip;
	} else {
		memmove(&v[at], &v[at + 1], (a->own.n - 1 - at) * sizeof(*v));
		a->own.n--;
	}
}

/* A link as an answer shows it. */
struct link {
	int index;
	char kind[16];
};

static int get_kind(const struct nlattr *linkinfo, char ret[16])
{
	static const struct nl_rule rules[] = { [IFLA_INFO_KIND] = { 1, true, false } };
	const struct nlattr *at[ARRAY_SIZE(rules)];

	if (nl_attrs_in(linkinfo, rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	if (at[IFLA_INFO_KIND] && nl_str(at[IFLA_INFO_KIND], ret, 16) < 0)
		strcpy(ret, "?"); /* too long to be ours */
	return 0;
}

static int link_row(void *ctx, const struct nlmsghdr *nlh)
{
	static const struct nl_rule rules[] = { [IFLA_LINKINFO] = { 0, true, false } };
	const struct nlattr *at[ARRAY_SIZE(rules)];
	struct link *link = ctx;
	struct ifinfomsg head;

	if (nlh->nlmsg_type != RTM_NEWLINK ||
	    nl_attrs_of(nlh, sizeof(head), rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	memcpy(&head, mnl_nlmsg_get_payload(nlh), sizeof(head));
	link->index = head.ifi_index;
	return at[IFLA_LINKINFO] ? get_kind(at[IFLA_LINKINFO], link->kind) : 0;
}

static void link_restart(void *ctx)
{
	*(struct link *)ctx = (struct link){ 0 };
}

/* Sends one request and reads what it answers. */
static int ask(struct address *a, struct nl_batch *batch, struct link *link, struct err *err)
{
	const struct nl_reader reader = { link_row, link_restart, link };

	return nl_read(&a->nl, batch, &reader, err);
}

/* Looks the device up by its name: a->index, 0 if there is none. -EEXIST: of another kind. */
static int device_find(struct address *a, struct err *err)
{
	const struct ifinfomsg head = { .ifi_family = AF_UNSPEC };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = nl_batch_put(&batch, RTM_GETLINK, NLM_F_ACK, &head, sizeof(head), ROOM);
	struct link link = { 0 };
	int code;

	mnl_attr_put_strz(nlh, IFLA_IFNAME, a->device);
	nl_batch_end(&batch, nlh);
	code = ask(a, &batch, &link, err);
	a->index = code ? 0 : link.index;
	if (code == -ENODEV)
		return 0;
	if (code) {
		err_wrap(err, "device %s", a->device);
		return code;
	}
	if (strcmp(link.kind, KIND) == 0)
		return 0;
	a->index = 0;
	return err_set(err, -EEXIST, "device %s exists but is no %s device: it is not ours", a->device, KIND);
}

/* Without link-local addresses, should somebody set it up. Fails where the kernel has no IPv6: nothing to prevent there. */
static void device_no_link_local(struct address *a)
{
	const struct ifinfomsg head = { .ifi_family = AF_UNSPEC, .ifi_index = a->index };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = nl_batch_put(&batch, RTM_NEWLINK, NLM_F_ACK, &head, sizeof(head), ROOM);
	struct nlattr *spec = mnl_attr_nest_start(nlh, IFLA_AF_SPEC);
	struct nlattr *inet6 = mnl_attr_nest_start(nlh, AF_INET6);
	struct link link = { 0 };

	mnl_attr_put_u8(nlh, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE);
	mnl_attr_nest_end(nlh, inet6);
	mnl_attr_nest_end(nlh, spec);
	nl_batch_end(&batch, nlh);
	(void)ask(a, &batch, &link, NULL);
}

static int device_make(struct address *a, struct err *err)
{
	const struct ifinfomsg head = { .ifi_family = AF_UNSPEC };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = nl_batch_put(&batch, RTM_NEWLINK, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, &head, sizeof(head), ROOM);
	struct nlattr *info;
	struct link link = { 0 };
	int code;

	mnl_attr_put_strz(nlh, IFLA_IFNAME, a->device);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, KIND);
	mnl_attr_nest_end(nlh, info);
	nl_batch_end(&batch, nlh);
	code = ask(a, &batch, &link, err);
	if (code == -EOPNOTSUPP)
		return err_set(err, code, "make device %s: this kernel has no %s devices (module dummy)", a->device, KIND);
	if (code && code != -EEXIST) {
		err_wrap(err, "make device %s", a->device);
		return code;
	}
	a->own.n = 0;
	code = device_find(a, err);
	if (!code && !a->index)
		return err_set(err, -ENODEV, "device %s vanished as soon as it was made", a->device);
	if (!code)
		device_no_link_local(a);
	return code;
}

int address_prepare(struct address *a, struct err *err)
{
	int code = device_find(a, err);

	return code || a->index ? code : device_make(a, err);
}

/* One address, and the device that it is on. 0: written; 1: another family, or link-local; -EBADMSG. */
static int get_any_address(const struct nlmsghdr *nlh, int *ret_index, struct ip *ret)
{
	static const struct nl_rule rules[] = {
		[IFA_ADDRESS] = { 4, true, false },
		[IFA_LOCAL] = { 4, true, false },
	};
	const struct nlattr *at[ARRAY_SIZE(rules)];
	struct ifaddrmsg head;
	struct ip ip;

	if (nl_attrs_of(nlh, sizeof(head), rules, ARRAY_SIZE(rules), at) < 0)
		return -EBADMSG;
	memcpy(&head, mnl_nlmsg_get_payload(nlh), sizeof(head));
	if (head.ifa_family != AF_INET && head.ifa_family != AF_INET6)
		return 1;
	if (nl_ip(at[IFA_LOCAL] ? at[IFA_LOCAL] : at[IFA_ADDRESS], head.ifa_family, &ip) < 0)
		return -EBADMSG;
	if (ip.family == AF_INET6 && ip_is_link_local(&ip))
		return 1; /* the kernel's own */
	*ret = ip;
	*ret_index = (int)head.ifa_index;
	return 0;
}

/* The same; 1 also for another device. */
static int get_address(const struct nlmsghdr *nlh, int index, struct ip *ret)
{
	int on, code = get_any_address(nlh, &on, ret);

	return code ? code : on != index;
}

struct reading {
	struct kernel_ips *ret;
	size_t start;
	int index;
	uint8_t family;
};

static int address_row(void *ctx, const struct nlmsghdr *nlh)
{
	struct reading *r = ctx;
	struct ip ip;
	int code;

	if (nlh->nlmsg_type != RTM_NEWADDR)
		return -EBADMSG;
	code = get_address(nlh, r->index, &ip);
	if (code == 0 && ip.family == r->family)
		*vec_push(&r->ret->rows) = ip;
	return code < 0 ? code : 0;
}

static void address_restart(void *ctx)
{
	struct reading *r = ctx;

	r->ret->rows.n = r->start;
}

static int list_family(struct address *a, uint8_t family, struct kernel_ips *ret, struct err *err)
{
	const struct ifaddrmsg head = { .ifa_family = family, .ifa_index = (unsigned)a->index };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct reading r = { ret, ret->rows.n, a->index, family };
	const struct nl_reader reader = { address_row, address_restart, &r };

	nl_batch_end(&batch, nl_batch_put(&batch, RTM_GETADDR, NLM_F_DUMP, &head, sizeof(head), 0));
	return nl_read(&a->nl, &batch, &reader, err);
}

int address_list(struct address *a, struct kernel_ips *ret, struct err *err)
{
	size_t start = ret->rows.n;
	int code = device_find(a, err);

	if (!code && a->index)
		code = list_family(a, AF_INET, ret, err);
	if (!code && a->index)
		code = list_family(a, AF_INET6, ret, err);
	if (code)
		ret->rows.n = start;
	if (code == -ENODEV) /* it went just now */
		return 0;
	if (code) {
		err_wrap(err, "list addresses");
		return code;
	}
	a->own.n = 0;
	for (size_t i = start; i < ret->rows.n; i++)
		own_set(a, &ret->rows.v[i], true);
	return 0;
}

void address_put_op(struct nl_batch *batch, int index, const struct op *op)
{
	const struct ip *ip = &op->vs.ip;
	bool add = op->kind == OP_ADDR_ADD;
	const struct ifaddrmsg head = {
		.ifa_family = ip->family,
		.ifa_prefixlen = (uint8_t)(ip_size(ip) * 8),
		.ifa_flags = add && ip->family == AF_INET6 ? IFA_F_NODAD : 0,
		.ifa_scope = RT_SCOPE_UNIVERSE,
		.ifa_index = (unsigned)index,
	};
	struct nlmsghdr *nlh = nl_batch_put(batch, add ? RTM_NEWADDR : RTM_DELADDR, add ? NLM_F_CREATE | NLM_F_EXCL : 0,
					    &head, sizeof(head), ROOM);

	assert(op->kind == OP_ADDR_ADD || op->kind == OP_ADDR_DEL);
	mnl_attr_put(nlh, IFA_LOCAL, ip_size(ip), ip->bytes);
	if (add || ip->family == AF_INET6)
		mnl_attr_put(nlh, IFA_ADDRESS, ip_size(ip), ip->bytes); /* without it any prefix length is deleted */
	nl_batch_end(batch, nlh);
}

static int local_row(void *ctx, const struct nlmsghdr *nlh)
{
	struct rtmsg head;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(head))
		return -EBADMSG;
	memcpy(&head, mnl_nlmsg_get_payload(nlh), sizeof(head));
	*(bool *)ctx = head.rtm_type == RTN_LOCAL;
	return 0;
}

static void local_restart(void *ctx)
{
	*(bool *)ctx = false;
}

static bool is_local(struct address *a, const struct ip *ip)
{
	const struct rtmsg head = { .rtm_family = ip->family, .rtm_dst_len = (uint8_t)(ip_size(ip) * 8) };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = nl_batch_put(&batch, RTM_GETROUTE, NLM_F_ACK, &head, sizeof(head), ROOM);
	bool local = false;
	const struct nl_reader reader = { local_row, local_restart, &local };

	mnl_attr_put(nlh, RTA_DST, ip_size(ip), ip->bytes);
	nl_batch_end(&batch, nlh);
	return nl_read(&a->nl, &batch, &reader, NULL) == 0 && local;
}

/* An IPv6 address is acknowledged before it is local: a worker of the kernel makes its route some moments later, in order. What
 * follows relies on it, so wait for the last one, but not for long. */
static void await_local(struct address *a, const struct op *ops, size_t n, const struct op_result *results)
{
	const struct op *last = NULL;

	for (size_t i = 0; i < n; i++)
		if (ops[i].kind == OP_ADDR_ADD && ops[i].vs.ip.family == AF_INET6 && results[i].code == 0)
			last = &ops[i];
	for (int try = 0; last && try < 8 && !is_local(a, &last->vs.ip); try++) {
		const struct timespec moment = { 0, 1000000L << try };

		(void)nanosleep(&moment, NULL);
	}
}

static void apply_once(struct address *a, const struct op *ops, size_t n, struct op_result *ret)
{
	CLEANUP(free_p) int *codes = xreallocarray(NULL, n, sizeof(*codes));
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };

	for (size_t i = 0; i < n; i++)
		address_put_op(&batch, a->index, &ops[i]);
	nl_apply(&a->nl, &batch, PER_SEND, codes);
	for (size_t i = 0; i < n; i++) {
		ret[i].code = codes[i];
		if (codes[i] == 0 || codes[i] == -EEXIST || codes[i] == -EADDRNOTAVAIL)
			own_set(a, &ops[i].vs.ip, ops[i].kind == OP_ADDR_ADD);
	}
}

/* Does again what failed because the device was gone. */
static void apply_again(struct address *a, const struct op *ops, size_t n, struct op_result *ret)
{
	for (size_t i = 0; i < n; i++)
		if (ret[i].code == -ENODEV)
			apply_once(a, &ops[i], 1, &ret[i]);
}

void address_apply(struct address *a, const struct op *ops, size_t n, struct op_result *ret)
{
	bool gone = false;

	/* The index stays right while the device lives; it is looked up only when there is none or it fails. */
	if (!a->index && address_prepare(a, NULL) < 0) {
		for (size_t i = 0; i < n; i++)
			ret[i].code = -ENODEV;
		return;
	}
	apply_once(a, ops, n, ret);
	for (size_t i = 0; i < n; i++)
		gone |= ret[i].code == -ENODEV;
	if (gone && address_prepare(a, NULL) == 0)
		apply_again(a, ops, n, ret);
	await_local(a, ops, n, ret);
}

/* ---- addresses on other devices ---- */

struct stray {
	struct ip ip;
	int index;
};
struct search {
	VEC(struct stray) found;
	int own;
};

static int stray_row(void *ctx, const struct nlmsghdr *nlh)
{
	struct search *s = ctx;
	struct stray stray;
	int code = nlh->nlmsg_type == RTM_NEWADDR ? get_any_address(nlh, &stray.index, &stray.ip) : -EBADMSG;

	if (code == 0 && stray.index != s->own)
		*vec_push(&s->found) = stray;
	return code < 0 ? code : 0;
}

static void stray_restart(void *ctx)
{
	((struct search *)ctx)->found.n = 0;
}

static int is_dummy(struct address *a, int index, bool *ret, struct err *err)
{
	const struct ifinfomsg head = { .ifi_family = AF_UNSPEC, .ifi_index = index };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct link link = { 0 };
	int code;

	nl_batch_end(&batch, nl_batch_put(&batch, RTM_GETLINK, NLM_F_ACK, &head, sizeof(head), 0));
	code = ask(a, &batch, &link, err);
	*ret = !code && strcmp(link.kind, KIND) == 0;
	return code == -ENODEV ? 0 : code;
}

static int mark_strays(struct address *a, const struct search *s, const struct op *ops, size_t n, bool *ret_stray, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < s->found.n && !ret_stray[i]; j++) {
			int code = ip_equal(&s->found.v[j].ip, &ops[i].vs.ip) ? is_dummy(a, s->found.v[j].index, &ret_stray[i], err) : 0;

			if (code)
				return code;
		}
	return 0;
}

int address_strays(struct address *a, const struct op *ops, size_t n, bool *ret_stray, struct err *err)
{
	const struct ifaddrmsg head = { .ifa_family = AF_UNSPEC };
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct search s = { .own = a->index };
	const struct nl_reader reader = { stray_row, stray_restart, &s };
	int code;

	memset(ret_stray, 0, n * sizeof(*ret_stray));
	nl_batch_end(&batch, nl_batch_put(&batch, RTM_GETADDR, NLM_F_DUMP, &head, sizeof(head), 0));
	code = nl_read(&a->nl, &batch, &reader, err);
	if (!code)
		code = mark_strays(a, &s, ops, n, ret_stray, err);
	free(s.found.v);
	return code;
}

/* A link of our name, or our index: did it come, go or change its name? Flags and counters don't matter. */
static bool link_foreign(const struct address *a, const struct nlmsghdr *nlh)
{
	static const struct nl_rule rules[] = { [IFLA_IFNAME] = { 1, true, false } };
	const struct nlattr *at[ARRAY_SIZE(rules)];
	struct ifinfomsg head;
	bool ours, named;

	if (nl_attrs_of(nlh, sizeof(head), rules, ARRAY_SIZE(rules), at) < 0)
		return true;
	memcpy(&head, mnl_nlmsg_get_payload(nlh), sizeof(head));
	ours = a->index && head.ifi_index == a->index;
	named = nl_is(at[IFLA_IFNAME], a->device);
	if (nlh->nlmsg_type == RTM_DELLINK)
		return ours || named; /* we never delete it; by its name too, since we may have made the next one meanwhile */
	return ours != named;
}

bool address_foreign(const struct address *a, const struct nlmsghdr *nlh)
{
	struct ip ip;
	bool there;
	int code;

	if (nlh->nlmsg_type == RTM_NEWLINK || nlh->nlmsg_type == RTM_DELLINK)
		return link_foreign(a, nlh);
	if (nlh->nlmsg_type != RTM_NEWADDR && nlh->nlmsg_type != RTM_DELADDR)
		return false;
	code = get_address(nlh, a->index, &ip);
	if (code)
		return code < 0;
	/* IPv6 notifications don't say whose request they come from, so the outcome is compared with what we believe. */
	(void)own_place(a, &ip, &there);
	return there != (nlh->nlmsg_type == RTM_NEWADDR);
}
