/* The foreign hand of the tests: the fake kernel's, or the tools that an operator has. */
#include "contract/contract.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEVICE "kube-ipvs0"

/* A shell command. What the hand is told to do is right: it has to work. */
static void run(const char *fmt, ...) PRINTF(1, 2);
static void run(const char *fmt, ...)
{
	char command[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	if (system(command) == 0)
		return;
	(void)fprintf(stderr, "this did not work: %s\n", command);
	abort();
}

static void must(int rc)
{
	if (rc < 0)
		abort();
}

/* "-t 10.96.0.10:80" of ipvsadm. */
static const char *service(const char *vs, char ret[64])
{
	struct vs_key key = vs_of(vs);
	const char *option = key.proto == PROTO_UDP ? "-u" : key.proto == PROTO_SCTP ? "--sctp-service" : "-t";

	(void)snprintf(ret, 64, "%s %.*s", option, (int)strcspn(vs, "/"), vs);
	return ret;
}

void hand_vs_add(struct contract *c, const char *vs, const char *sched)
{
	struct vs_attrs attrs = { 0 };
	struct vs_key key = vs_of(vs);
	char text[64];

	(void)snprintf(attrs.sched, sizeof(attrs.sched), "%s", sched);
	if (c->fake)
		must(fake_vs_add(c->fake, &key, &attrs));
	else
		run("ipvsadm -A %s -s %s", service(vs, text), sched);
}

void hand_vs_del(struct contract *c, const char *vs)
{
	struct vs_key key = vs_of(vs);
	char text[64];

	if (c->fake)
		must(fake_vs_del(c->fake, &key));
	else
		run("ipvsadm -D %s", service(vs, text));
}

void hand_vs_flush(struct contract *c)
{
	if (c->fake)
		fake_vs_flush(c->fake);
	else
		run("ipvsadm -C");
}

void hand_rs_add(struct contract *c, const char *vs, const char *rs, int32_t weight)
{
	struct vs_key key = vs_of(vs);
	struct rs_key rs_key = rs_of(rs);
	char text[64];

	if (c->fake)
		must(fake_rs_add(c->fake, &key, &rs_key, weight));
	else
		run("ipvsadm -a %s -r %s -m -w %d", service(vs, text), rs, weight);
}

void hand_rs_set(struct contract *c, const char *vs, const char *rs, int32_t weight)
{
	struct vs_key key = vs_of(vs);
	struct rs_key rs_key = rs_of(rs);
	char text[64];

	if (c->fake)
		must(fake_rs_set(c->fake, &key, &rs_key, weight));
	else
		run("ipvsadm -e %s -r %s -m -w %d", service(vs, text), rs, weight);
}

void hand_rs_del(struct contract *c, const char *vs, const char *rs)
{
	struct vs_key key = vs_of(vs);
	struct rs_key rs_key = rs_of(rs);
	char text[64];

	if (c->fake)
		must(fake_rs_del(c->fake, &key, &rs_key));
	else
		run("ipvsadm -d %s -r %s", service(vs, text), rs);
}

void hand_fwmark_add(struct contract *c, unsigned mark)
{
	if (c->fake)
		fake_fwmark_add(c->fake, mark);
	else
		run("ipvsadm -A -f %u -s rr", mark);
}

void hand_addr_add(struct contract *c, const char *text)
{
	struct ip ip = ip_of(text);

	if (c->fake)
		must(fake_addr_add(c->fake, &ip));
	else
		run("ip addr add %s/%d dev " DEVICE, text, (int)ip_size(&ip) * 8);
}

void hand_addr_del(struct contract *c, const char *text)
{
	struct ip ip = ip_of(text);

	if (c->fake)
		must(fake_addr_del(c->fake, &ip));
	else
		run("ip addr del %s/%d dev " DEVICE, text, (int)ip_size(&ip) * 8);
}

void hand_addr_flush(struct contract *c)
{
	if (c->fake)
		fake_addr_flush(c->fake);
	else
		run("ip addr flush dev " DEVICE);
}

void hand_device_del(struct contract *c)
{
	if (c->fake)
		fake_device_del(c->fake);
	else
		run("ip link del " DEVICE);
}

void hand_stray_add(struct contract *c, const char *text)
{
	struct ip ip = ip_of(text);

	if (c->fake)
		fake_stray_add(c->fake, &ip);
	else
		run("ip link show stray0 >/dev/null 2>&1 || ip link add stray0 type dummy; ip addr add %s/%d dev stray0", text, (int)ip_size(&ip) * 8);
}

void hand_filter_flush(struct contract *c)
{
	if (c->fake)
		fake_filter_flush(c->fake);
	else
		run("nft flush ruleset");
}

void hand_filter_damage(struct contract *c)
{
	if (c->fake)
		fake_filter_damage(c->fake);
	else
		run("nft flush chain inet sluice ipvs-filter");
}

void hand_unguard(struct contract *c, const char *text)
{
	struct ip ip = ip_of(text);

	if (c->fake)
		must(fake_unguard(c->fake, &ip));
	else
		run("nft delete element inet sluice ipvs-ips%s '{ %s }'", ip_size(&ip) == 4 ? "" : "-v6", text);
}

static int take_generation(const struct nlattr *attr, void *ret)
{
	if (mnl_attr_get_type(attr) == NFTA_GEN_ID && mnl_attr_get_payload_len(attr) == sizeof(uint32_t))
		*(uint32_t *)ret = ntohl(mnl_attr_get_u32(attr));
	return MNL_CB_OK;
}

static int generation_row(const struct nlmsghdr *nlh, void *ret)
{
	return mnl_attr_parse(nlh, sizeof(struct nfgenmsg), take_generation, ret);
}

static uint32_t real_generation(void)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_NETFILTER);
	char buf[8192];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	uint32_t ret = 0;
	ssize_t n;

	nlh->nlmsg_type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETGEN;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct nfgenmsg));
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 || mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0 ||
	    (n = mnl_socket_recvfrom(nl, buf, sizeof(buf))) < 0 || mnl_cb_run(buf, (size_t)n, 0, 0, generation_row, &ret) < 0)
		abort();
	(void)mnl_socket_close(nl);
	return ret;
}

uint32_t hand_generation(struct contract *c)
{
	const struct fake_logged *log;
	uint32_t n = 0;

	if (!c->fake)
		return real_generation();
	for (size_t i = fake_log(c->fake, &log); i-- > 0;) {
		enum op_kind kind = log[i].op.kind;

		n += log[i].done && (!kind || kind == OP_GUARD || kind == OP_UNGUARD || kind == OP_SERVE || kind == OP_UNSERVE);
	}
	return n;
}
