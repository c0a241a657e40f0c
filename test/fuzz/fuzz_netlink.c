/* Any bytes as a message of netlink, to all that read one. */
#include "fuzz.h"

#include "kernel/address.h"
#include "kernel/filter.h"
#include "kernel/flows.h"
#include "kernel/ipvs.h"

#include <assert.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void read_ipvs(const struct nlmsghdr *nlh)
{
	struct vs_row vs;
	struct rs_row rs;
	uint16_t family;

	if (ipvs_get_vs(nlh, &vs) == 0)
		assert(vs.key.port && ip_size(&vs.key.ip) && memchr(vs.attrs.sched, 0, sizeof(vs.attrs.sched)));
	if (ipvs_get_rs(nlh, AF_INET, &rs) == 0)
		assert(rs.key.ip.family == AF_INET);
	if (ipvs_get_rs(nlh, AF_INET6, &rs) == 0)
		assert(rs.key.ip.family == AF_INET6);
	if (ipvs_get_family(nlh, &family) == 0)
		assert(family);
}

static void read_flow(struct nlmsghdr *nlh)
{
	static const struct { const char *vs, *rs; } of[] = { { "10.96.0.10:80/tcp", "10.1.0.5:8080" }, { "[fd00::10]:53/udp", "[fd00::5]:53" } };
	struct flow flow;

	nlh->nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW;
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct vs_key vs;
		struct rs_key rs;

		if (vs_parse(of[i].vs, &vs) < 0 || rs_parse(of[i].rs, &rs) < 0)
			abort();
		if (flows_get(nlh, &vs, &rs, &flow) == 0)
			assert(flow.state < FLOW_STATES && flow.client.family == vs.ip.family);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct address address = { .device = "kube-ipvs0", .index = 7 };
	const struct filter filter = { .wanted = 0 };
	struct nlmsghdr *nlh;

	if (n < sizeof(*nlh) || n > 65536)
		return 0;
	nlh = malloc(n); /* of exactly this size; aligned as a buffer of netlink is */
	if (!nlh)
		abort();
	memcpy(nlh, data, n);
	nlh->nlmsg_len = (uint32_t)n;
	read_ipvs(nlh);
	(void)address_foreign(&address, nlh);
	(void)filter_foreign(&filter, nlh);
	read_flow(nlh);
	free(nlh);
	return 0;
}
