/* Listens to rtnetlink and nf_tables and tells whether others changed what is ours. What "ours" means stands in address and
 * filter; an overrun means: look at everything. */
#include "kernel/events.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/epoll.h>

#define ALL (KERNEL_ADDRS | KERNEL_FILTER)
#define READ_MOST 4096 /* datagrams in one call: the rest keeps the descriptor readable */

/* Lets the kernel drop what our own socket caused before it fills the buffer: a first load makes many thousands. */
static void drop_own(struct nl_sock *nl, uint32_t port)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct nlmsghdr, nlmsg_pid)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(port), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
	};
	const struct sock_fprog prog = { ARRAY_SIZE(code), code };

	/* Only a help: the reader knows its own too. */
	(void)setsockopt(nl->fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog));
}

static int join(struct nl_sock *nl, int group)
{
	return setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0 ? -errno : 0;
}

static int listen_to(struct events *e, struct nl_sock *nl, int bus, const int *groups, size_t n, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };
	int code = nl_open(nl, bus, err);

	if (code)
		return code;
	for (size_t i = 0; i < n && !code; i++)
		code = join(nl, groups[i]);
	if (code)
		return err_set(err, code, "listen to changes (%d): %s", bus, strerror(-code));
	if (epoll_ctl(e->poll, EPOLL_CTL_ADD, nl->fd, &event) < 0)
		return err_set(err, -errno, "listen to changes: %m");
	return 0;
}

int events_open(struct events *e, const struct address *address, const struct filter *filter, struct err *err)
{
	static const int route[] = { RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR }, nft[] = { NFNLGRP_NFTABLES };
	int code;

	*e = (struct events){ .address = address, .filter = filter, .poll = epoll_create1(EPOLL_CLOEXEC) };
	if (e->poll < 0)
		return err_set(err, -errno, "epoll: %m");
	code = listen_to(e, &e->route, NETLINK_ROUTE, route, ARRAY_SIZE(route), err);
	if (!code)
		code = listen_to(e, &e->nft, NETLINK_NETFILTER, nft, ARRAY_SIZE(nft), err);
	if (code) {
		events_close(e);
		return code;
	}
	drop_own(&e->route, address->nl.port);
	drop_own(&e->nft, filter->nl.port);
	return 0;
}

void events_close(struct events *e)
{
	if (e->poll > 0)
		close(e->poll);
	nl_close(&e->route);
	nl_close(&e->nft);
	e->poll = -1;
}

static bool foreign(const struct events *e, const struct nl_sock *nl, const struct nlmsghdr *nlh)
{
	return nl == &e->route ? address_foreign(e->address, nlh) : filter_foreign(e->filter, nlh);
}

/* Bits of what came on one socket. */
static unsigned drain(struct events *e, struct nl_sock *nl, unsigned area)
{
	unsigned bits = 0;

	for (int i = 0; i < READ_MOST; i++) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)nl->buf;
		struct nl_from from = { 0 };
		ssize_t n = nl->io.recv(nl->io.ctx, nl->buf, NL_BUF_SIZE, false, &from);
		int left = (int)n;

		if (n == -EINTR)
			continue;
		if (n == -EAGAIN)
			break;
		if (n < 0 || from.cut)
			bits |= ALL; /* overrun */
		if (n < 0 && n != -ENOBUFS)
			break;
		if (n < 0 || from.port)
			continue;
		for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
			if (foreign(e, nl, nlh))
				bits |= area;
	}
	return bits;
}

unsigned events_read(struct events *e)
{
	return drain(e, &e->route, KERNEL_ADDRS) | drain(e, &e->nft, KERNEL_FILTER);
}
