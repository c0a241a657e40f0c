/* The real side of the kernel port under packets: what the guard lets through and what it refuses, operation by operation, and
 * what it takes to notice and to repair a change by others. Links no daemon. */
#include "check.h"
#include "world.h"

#include "kernel/kernel_linux.h"
#include "kernel/sysctl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST_PORT 22222  /* of the node's own servers, on all addresses */
#define POD_PORT 8080    /* of the backends' servers */
#define VIP_PORT 80
#define WAIT_MS 1500
#define REFUSED_MS 700   /* sooner than a first retransmission */

static const uint8_t protos[] = { PROTO_TCP, PROTO_UDP, PROTO_SCTP };
static const int families[] = { AF_INET, AF_INET6 };

struct scene {
	struct world *w;
	struct kernel *k;
};

union addr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static socklen_t addr_of(const struct ip *ip, uint16_t port, union addr *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->sa.sa_family = ip->family;
	if (ip->family == AF_INET) {
		ret->in.sin_port = htons(port);
		memcpy(&ret->in.sin_addr, ip->bytes, 4);
		return sizeof(ret->in);
	}
	ret->in6.sin6_port = htons(port);
	memcpy(&ret->in6.sin6_addr, ip->bytes, 16);
	return sizeof(ret->in6);
}

/* A server's sockets: listeners and connections in one poll, everything is sent back. */
struct echo {
	struct pollfd fds[256];
	size_t n;
};

static void echo_listen(struct echo *e, uint8_t proto, uint16_t port)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int fd = socket(AF_INET6, (proto == PROTO_UDP ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK, proto);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof(any)) < 0 || (proto != PROTO_UDP && listen(fd, 64) < 0))
		_exit(3);
	e->fds[e->n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

static bool echo_once(struct echo *e, size_t i)
{
	union addr from;
	socklen_t size = sizeof(from);
	char buf[8192];
	ssize_t n;

	if (i < 3 && i != 1) {
		int fd = accept4(e->fds[i].fd, NULL, NULL, SOCK_NONBLOCK);

		if (fd >= 0 && e->n < ARRAY_SIZE(e->fds))
			e->fds[e->n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		return true;
	}
	n = recvfrom(e->fds[i].fd, buf, sizeof(buf), 0, &from.sa, &size);
	if (i == 1 && n >= 0)
		(void)sendto(e->fds[i].fd, buf, (size_t)n, 0, &from.sa, size);
	else if (n > 0)
		(void)send(e->fds[i].fd, buf, (size_t)n, MSG_NOSIGNAL);
	return i == 1 || n > 0 || (n < 0 && errno == EAGAIN);
}

static void echo_serve(uint16_t port, int ready)
{
	static struct echo e;

	for (size_t i = 0; i < ARRAY_SIZE(protos); i++)
		echo_listen(&e, protos[i], port);
	(void)close(ready);
	while (poll(e.fds, e.n, -1) >= 0)
		for (size_t i = 0; i < e.n; i++)
			if (e.fds[i].revents && !echo_once(&e, i)) {
				(void)close(e.fds[i].fd);
				e.fds[i] = e.fds[--e.n];
			}
	_exit(0);
}

/* TCP, UDP and SCTP on one port of a place, until the test ends. */
static void serve(const struct world *w, enum place place, uint16_t port)
{
	int ends[2];
	char c;
	pid_t pid;

	need(pipe2(ends, O_CLOEXEC) == 0, "pipe: %s", strerror(errno));
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		world_enter(w, place);
		echo_serve(port, ends[1]);
	}
	(void)close(ends[1]);
	(void)read(ends[0], &c, 1);
	(void)close(ends[0]);
	need(kill(pid, 0) == 0, "a server ended");
}

static int wait_for(int fd, short what)
{
	struct pollfd p = { .fd = fd, .events = what };
	socklen_t size = sizeof(int);
	int code = 0;

	if (poll(&p, 1, WAIT_MS) <= 0)
		return ETIMEDOUT;
	(void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size);
	return code;
}

/* Sends size bytes and waits for something to come back: 0 or an errno. */
static int talk(int fd, size_t size)
{
	static const char data[8192];
	char buf[8192];
	int code;

	if (send(fd, data, size, MSG_NOSIGNAL) < 0)
		return errno;
	code = wait_for(fd, POLLIN);
	if (!code && recv(fd, buf, sizeof(buf), 0) < 0)
		code = errno;
	return code;
}

/* A socket that wants to reach a service; port: of the client, 0 = any. */
static int reach(const struct scene *s, enum place from, uint8_t proto, const struct ip *ip, uint16_t to, uint16_t port, int *ret_code)
{
	struct ip any = { .family = ip->family };
	union addr addr;
	socklen_t size;
	int on = 1, fd;

	world_enter(s->w, from);
	fd = socket(ip->family, (proto == PROTO_UDP ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, proto);
	world_enter(s->w, NODE);
	need(fd >= 0, "socket: %s", strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	size = addr_of(&any, port, &addr);
	need(!port || bind(fd, &addr.sa, size) == 0, "bind to port %u: %s", port, strerror(errno));
	size = addr_of(ip, to, &addr);
	*ret_code = connect(fd, &addr.sa, size) == 0 ? 0 : errno;
	if (*ret_code == EINPROGRESS)
		*ret_code = wait_for(fd, POLLOUT);
	return fd;
}

/* One exchange; ends with a reset, so nothing is left in TIME_WAIT. */
static int probe(const struct scene *s, enum place from, uint8_t proto, const struct ip *ip, uint16_t to, size_t size)
{
	const struct linger reset = { 1, 0 };
	int code, fd = reach(s, from, proto, ip, to, 0, &code);

	if (!code)
		code = talk(fd, size);
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	(void)close(fd);
	return code;
}

static void answered(const struct scene *s, enum place from, uint8_t proto, const struct ip *ip, uint16_t to)
{
	char text[IP_TEXT];
	int code = probe(s, from, proto, ip, to, 8);

	need(code == 0, "%s:%u/%s from %d is not answered: %s", ip_format(ip, text), to, proto_name(proto), from, strerror(code));
}

/* At once, not by silence. */
static void refused(const struct scene *s, enum place from, uint8_t proto, const struct ip *ip, uint16_t to)
{
	char text[IP_TEXT];
	int64_t start = now_us();
	int code = probe(s, from, proto, ip, to, 8);

	/* SCTP over IPv6 gets an ICMP message too, but takes it for a hint. */
	if (proto == PROTO_SCTP && ip->family == AF_INET6 && code == ETIMEDOUT)
		return;
	need(code == (proto == PROTO_SCTP ? ENOPROTOOPT : ECONNREFUSED), "%s:%u/%s from %d is not refused: %s",
	     ip_format(ip, text), to, proto_name(proto), from, strerror(code));
	need(now_us() - start < REFUSED_MS * 1000, "%s:%u/%s from %d was refused after %lld us", ip_format(ip, text), to,
	     proto_name(proto), from, (long long)(now_us() - start));
}

static bool pings(const struct scene *s, enum place from, const struct ip *ip)
{
	char text[IP_TEXT];

	return world_run(s->w, from, "exec ping -c 1 -W 1 -n %s >/dev/null 2>&1", ip_format(ip, text)) == 0;
}

static struct op op_on(enum op_kind kind, const struct ip *vip, uint8_t proto)
{
	struct op op = { .kind = kind, .vs = { .ip = *vip, .proto = proto, .port = proto ? VIP_PORT : 0 } };

	strcpy(op.attrs.sched, "rr");
	op.rs.ip = world_address(BACKEND1, vip->family);
	op.rs.port = POD_PORT;
	op.weight = kind == OP_RS_ADD || kind == OP_RS_RAISE;
	return op;
}

static void apply(const struct scene *s, const struct op *op)
{
	struct op_result result = { 1 };

	s->k->v->apply(s->k, op, 1, &result);
	need(result.code == 0, "%s: %s", op_word(op->kind), strerror(-result.code));
}

static void apply_all_protos(const struct scene *s, enum op_kind kind, const struct ip *vip)
{
	for (size_t i = 0; i < ARRAY_SIZE(protos); i++) {
		struct op op = op_on(kind, vip, protos[i]);

		op.last_on_ip = i + 1 == ARRAY_SIZE(protos);
		apply(s, &op);
	}
}

static void apply_address(const struct scene *s, enum op_kind kind, const struct ip *vip)
{
	struct op op = op_on(kind, vip, 0);

	apply(s, &op);
}

static struct scene scene_new(void)
{
	const struct kernel_options options = { .device = "kube-ipvs0" };
	const struct sysctl_options sysctls = { .root = "/proc/sys" };
	struct scene s = { .w = world_new() };
	struct err err;

	/* The kernel sends one client no more than one ICMP refusal a second; here one client asks for many. */
	world_must(s.w, NODE, "sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0");
	serve(s.w, NODE, HOST_PORT);
	serve(s.w, BACKEND1, POD_PORT);
	world_enter(s.w, NODE);
	need(kernel_linux_open(&options, &s.k, &err) == 0, "%s", err.text);
	need(sysctl_apply(&sysctls, NULL, NULL, &err) == 0, "%s", err.text);
	need(s.k->v->prepare(s.k, NULL, &err) == 0, "%s", err.text);
	return s;
}

/* Nothing of the host is reachable through the address, from anywhere. */
static void host_is_hidden(const struct scene *s, const struct ip *vip)
{
	static const enum place places[] = { CLIENT, BACKEND2, NODE };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		for (size_t p = 0; p < ARRAY_SIZE(protos); p++)
			refused(s, places[i], protos[p], vip, HOST_PORT);
}

static void up_and_down(const struct scene *s, int family)
{
	const struct ip vip = world_vip(family, 10), node = world_address(NODE, family);

	apply_address(s, OP_GUARD, &vip);
	apply_address(s, OP_ADDR_ADD, &vip);
	host_is_hidden(s, &vip);
	need(!pings(s, CLIENT, &vip), "a guarded address answers ping");
	for (size_t p = 0; p < ARRAY_SIZE(protos); p++)
		answered(s, CLIENT, protos[p], &node, HOST_PORT);
	apply_all_protos(s, OP_VS_ADD, &vip);
	host_is_hidden(s, &vip);
	refused(s, CLIENT, PROTO_TCP, &vip, VIP_PORT);
	apply_all_protos(s, OP_RS_ADD, &vip);
	host_is_hidden(s, &vip);
	refused(s, CLIENT, PROTO_TCP, &vip, VIP_PORT);
	refused(s, CLIENT, PROTO_UDP, &vip, VIP_PORT);
	apply_all_protos(s, OP_SERVE, &vip);
	host_is_hidden(s, &vip);
	need(pings(s, CLIENT, &vip) && pings(s, NODE, &vip), "a served address does not answer ping");
	for (size_t p = 0; p < ARRAY_SIZE(protos); p++) {
		answered(s, CLIENT, protos[p], &vip, VIP_PORT);
		answered(s, BACKEND2, protos[p], &vip, VIP_PORT);
	}
	answered(s, NODE, PROTO_TCP, &vip, VIP_PORT);
	answered(s, NODE, PROTO_UDP, &vip, VIP_PORT);
	apply_all_protos(s, OP_UNSERVE, &vip);
	host_is_hidden(s, &vip);
	refused(s, CLIENT, PROTO_TCP, &vip, VIP_PORT);
	need(!pings(s, CLIENT, &vip), "an address that is served no more answers ping");
	apply_all_protos(s, OP_RS_ZERO, &vip);
	apply_all_protos(s, OP_RS_DEL, &vip);
	apply_all_protos(s, OP_VS_DEL, &vip);
	host_is_hidden(s, &vip);
	refused(s, CLIENT, PROTO_TCP, &vip, VIP_PORT);
	apply_address(s, OP_ADDR_DEL, &vip);
	apply_address(s, OP_UNGUARD, &vip);
}

static void host_ports_are_hidden_at_every_step(void)
{
	struct scene s = scene_new();

	for (size_t f = 0; f < ARRAY_SIZE(families); f++)
		up_and_down(&s, families[f]);
	s.k->v->free(s.k);
}

static void bring_up(const struct scene *s, const struct ip *vip)
{
	apply_address(s, OP_GUARD, vip);
	apply_address(s, OP_ADDR_ADD, vip);
	apply_all_protos(s, OP_VS_ADD, vip);
	apply_all_protos(s, OP_RS_ADD, vip);
	apply_all_protos(s, OP_SERVE, vip);
}

/* Ends a connection of the client without the other side's knowledge, as a client does that lost its power. */
static void vanish(int fd)
{
	const struct linger reset = { 1, 0 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	(void)close(fd); /* its reset is dropped on the way out */
}

static int old_ports(const struct scene *s, const struct ip *vip, uint16_t port)
{
	int code;

	(void)close(reach(s, CLIENT, PROTO_TCP, vip, VIP_PORT, port, &code));
	return code;
}

/* Nothing new passes, not even on the ports of a connection that IPVS and its server still believe in. */
static void only_old_passes(const struct scene *s, const struct ip *vip, int held, int lost, uint16_t lost_port)
{
	int code;

	need(talk(held, 8) == 0, "a connection was cut when its key was served no more");
	refused(s, CLIENT, PROTO_TCP, vip, VIP_PORT);
	refused(s, NODE, PROTO_TCP, vip, VIP_PORT);
	vanish(lost);
	code = old_ports(s, vip, lost_port);
	need(code == ECONNREFUSED, "a new connection on the ports of an established one: %s", strerror(code));
	need(talk(held, 8) == 0, "a connection was cut by others' tries");
}

static int connection(const struct scene *s, const struct ip *vip, uint16_t port)
{
	int code, fd = reach(s, CLIENT, PROTO_TCP, vip, VIP_PORT, port, &code);

	need(!code && talk(fd, 8) == 0, "a connection to a served key: %s", strerror(code));
	return fd;
}

static void drain_only(int family)
{
	struct scene s = scene_new();
	const struct ip vip = world_vip(family, 10);
	int held, closed, lost[2];
	const struct linger reset = { 1, 0 };
	int code;

	bring_up(&s, &vip);
	held = connection(&s, &vip, 40001);
	closed = connection(&s, &vip, 40002);
	lost[0] = connection(&s, &vip, 40003);
	lost[1] = connection(&s, &vip, 40004);
	(void)setsockopt(closed, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	(void)close(closed);
	world_must(s.w, CLIENT, "exec nft 'add table inet lost; add chain inet lost out { type filter hook output priority 0; }; "
			       "add rule inet lost out tcp sport 40003-40004 tcp flags & rst == rst drop'");
	apply_all_protos(&s, OP_UNSERVE, &vip);
	code = old_ports(&s, &vip, 40002);
	need(code == ECONNREFUSED, "a new connection on the ports of a closed one: %s", strerror(code));
	only_old_passes(&s, &vip, held, lost[0], 40003); /* the server's weight is still 1 */
	apply_all_protos(&s, OP_RS_ZERO, &vip);
	only_old_passes(&s, &vip, held, lost[1], 40004);
	s.k->v->free(s.k);
}

static void drain_only_refuses_ipv4(void)
{
	drain_only(AF_INET);
}

static void drain_only_refuses_ipv6(void)
{
	drain_only(AF_INET6);
}

static void fragments_and_untracked_packets_find_no_hole(void)
{
	struct scene s = scene_new();

	world_must(s.w, NODE, "exec nft 'add table inet raw2; add chain inet raw2 pre { type filter hook prerouting priority raw; }; "
			     "add rule inet raw2 pre udp dport 22222 notrack'");
	for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
		const struct ip vip = world_vip(families[f], 10), node = world_address(NODE, families[f]);

		bring_up(&s, &vip);
		need(probe(&s, CLIENT, PROTO_UDP, &vip, VIP_PORT, 5000) == 0, "a datagram in fragments does not pass");
		need(probe(&s, CLIENT, PROTO_UDP, &vip, HOST_PORT, 5000) == ECONNREFUSED, "a fragmented datagram is not refused");
		refused(&s, CLIENT, PROTO_UDP, &vip, HOST_PORT);
		answered(&s, CLIENT, PROTO_UDP, &node, HOST_PORT);
	}
	s.k->v->free(s.k);
}

static void path_mtu_messages_pass(void)
{
	static const char *const types[] = { "icmp type destination-unreachable", "icmpv6 type packet-too-big" };
	struct scene s = scene_new();

	/* The client's own stack answers to a large packet that it can't take: its link is made narrow behind the node's back. */
	world_must(s.w, NODE, "exec nft 'add table inet seen; add chain inet seen in { type filter hook input priority 0; }; "
			     "add rule inet seen in %s counter; add rule inet seen in %s counter'", types[0], types[1]);
	for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
		const struct ip vip = world_vip(families[f], 10), client = world_address(CLIENT, families[f]);
		char a[IP_TEXT], b[IP_TEXT];
		CLEANUP(free_p) char *out = NULL;

		bring_up(&s, &vip);
		world_must(s.w, CLIENT,
			   "exec python3 -c 'import socket,struct\n"
			   "v6=%d\n"
			   "src=socket.inet_pton(socket.AF_INET6 if v6 else socket.AF_INET,\"%s\")\n"
			   "dst=socket.inet_pton(socket.AF_INET6 if v6 else socket.AF_INET,\"%s\")\n"
			   "tcp=struct.pack(\"!HHI\",80,40000,0)+bytes(12)\n"
			   "inner=(struct.pack(\"!IHBB\",6<<28,20,6,64)+dst+src if v6 else "
			   "struct.pack(\"!BBHHHBBH\",0x45,0,40,0,0,64,6,0)+dst+src)+tcp\n"
			   "def csum(d):\n"
			   "  s=sum(struct.unpack(\"!%%dH\"%%(len(d)//2),d))\n"
			   "  while s>>16: s=(s>>16)+(s&0xffff)\n"
			   "  return ~s&0xffff\n"
			   "h=lambda c: struct.pack(\"!BBHI\",2,0,c,1280) if v6 else struct.pack(\"!BBHHH\",3,4,c,0,1280)\n"
			   "m=h(0)+inner\n"
			   "k=socket.socket(socket.AF_INET6 if v6 else socket.AF_INET,socket.SOCK_RAW,58 if v6 else 1)\n"
			   "k.sendto(m if v6 else h(csum(m))+inner,(\"%s\",0))\n'",
			   families[f] == AF_INET6, ip_format(&client, a), ip_format(&vip, b), ip_format(&vip, b));
		out = world_output(s.w, NODE, "exec nft list chain inet seen in | grep '%s'", types[f]);
		need(!strstr(out, "packets 0 "), "a path MTU message did not pass: %s", out);
	}
	s.k->v->free(s.k);
}

/* One process probes without a pause while the whole filter is written again and again. */
static void writing_anew_opens_and_closes_nothing(void)
{
	struct scene s = scene_new();
	const struct ip vip = world_vip(AF_INET, 10);
	struct vs_key served = { .ip = vip, .proto = PROTO_TCP, .port = VIP_PORT };
	const struct kernel_filter_want want = { &vip, 1, &served, 1 };
	int ends[2], codes[2], tries = 0;
	struct err err;
	pid_t pid;

	bring_up(&s, &vip);
	need(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "pipe: %s", strerror(errno));
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (pid == 0) {
		for (;;) {
			const int got[2] = { probe(&s, CLIENT, PROTO_TCP, &vip, HOST_PORT, 8), probe(&s, CLIENT, PROTO_TCP, &vip, VIP_PORT, 8) };

			(void)write(ends[1], got, sizeof(got));
		}
	}
	for (int i = 0; i < 200; i++) {
		need(s.k->v->prepare(s.k, &want, &err) == 0, "%s", err.text);
		while (read(ends[0], codes, sizeof(codes)) == sizeof(codes)) {
			need(codes[0], "a host port was open while the filter was written");
			need(codes[0] == ECONNREFUSED, "a host port was not refused while the filter was written: %s", strerror(codes[0]));
			need(!codes[1], "a served key was closed while the filter was written: %s", strerror(codes[1]));
			tries++;
		}
	}
	(void)kill(pid, SIGKILL);
	need(tries > 20, "only %d tries", tries);
	check_note("%d tries during 200 writes", tries);
	s.k->v->free(s.k);
}

static unsigned told(const struct scene *s)
{
	struct pollfd p = { .fd = s->k->v->event_fd(s->k), .events = POLLIN };

	return poll(&p, 1, 0) > 0 ? s->k->v->events(s->k) : 0;
}

static bool is_intact(const struct scene *s)
{
	struct kernel_filter filter = { 0 };
	struct err err;
	bool intact;

	need(s->k->v->list_filter(s->k, &filter, &err) == 0, "%s", err.text);
	intact = filter.intact;
	kernel_filter_fini(&filter);
	return intact;
}

static void changes_of_others_are_noticed(void)
{
	static const struct {
		const char *command;
		unsigned bits;
		bool intact;
	} cases[] = {
		{ "ip addr del 203.0.113.10/32 dev kube-ipvs0", KERNEL_ADDRS, true },
		{ "ip -6 addr add 2001:db8:2::77/128 dev kube-ipvs0", KERNEL_ADDRS, true },
		{ "ip link set kube-ipvs0 up", 0, true },
		{ "ip link del kube-ipvs0", KERNEL_ADDRS, true },
		{ "ip addr add 10.99.0.1/32 dev lo", 0, true },
		{ "nft add table inet foreign", 0, true },
		{ "nft add element inet sluice ipvs-ips '{ 1.2.3.4 }'", KERNEL_FILTER, true },
		{ "nft insert rule inet sluice guard accept", KERNEL_FILTER, false },
		{ "nft add rule inet sluice ipvs-filter accept", KERNEL_FILTER, false },
		{ "nft flush chain inet sluice guard", KERNEL_FILTER, false },
		{ "nft delete rule inet sluice guard handle $(nft -a list chain inet sluice guard | sed -n 's/.*reset.*handle //p')",
		  KERNEL_FILTER, false },
		{ "nft add chain inet sluice more '{ type filter hook input priority 0; }'", KERNEL_FILTER, false },
		{ "nft add table inet sluice '{ flags dormant; }'", KERNEL_FILTER, false },
		{ "nft 'chain inet sluice ipvs-filter { policy drop; }'", KERNEL_FILTER, false },
		{ "nft flush ruleset", KERNEL_FILTER, false },
	};
	struct scene s = scene_new();
	const struct ip v4 = world_vip(AF_INET, 10), v6 = world_vip(AF_INET6, 10);
	const struct ip guarded[] = { v4, v6 };
	const struct kernel_filter_want want = { guarded, 2, NULL, 0 };
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		need(s.k->v->prepare(s.k, &want, &err) == 0, "%s", err.text);
		apply_address(&s, OP_ADDR_ADD, &v4);
		apply_address(&s, OP_ADDR_ADD, &v6);
		pause_ms(50); /* what is our own has to arrive, to be seen as our own */
		need(told(&s) == 0 || i == 4, "our own changes were told as foreign before \"%s\"", cases[i].command);
		need(is_intact(&s), "the filter is not intact before \"%s\"", cases[i].command);
		world_must(s.w, NODE, "%s", cases[i].command);
		if (cases[i].bits)
			await(1000, told(&s) & cases[i].bits, "\"%s\" was not noticed", cases[i].command);
		else
			need(told(&s) == 0, "\"%s\" was told, but does not concern us", cases[i].command);
		need(is_intact(&s) == cases[i].intact, "after \"%s\" intact is %d", cases[i].command, !cases[i].intact);
		world_must(s.w, NODE, "ip link del kube-ipvs0 2>/dev/null; ip link show dev kube-ipvs0 2>/dev/null | grep -q . && exit 1; exit 0");
		pause_ms(50);
		(void)told(&s);
	}
	s.k->v->free(s.k);
}

/* Another process of ours tells whether anything was written: to it, it is foreign. */
static void a_second_prepare_writes_nothing(void)
{
	const struct kernel_options options = { .device = "kube-ipvs0" };
	struct scene s = scene_new(), next = s;
	const struct ip vip = world_vip(AF_INET, 10);
	const struct op guard = op_on(OP_GUARD, &vip, 0);
	struct op_result result = { 1 };
	struct err err;

	need(kernel_linux_open(&options, &next.k, &err) == 0, "%s", err.text);
	need(is_intact(&next), "a new process does not know the filter for its own");
	need(next.k->v->prepare(next.k, NULL, &err) == 0, "%s", err.text);
	need(s.k->v->prepare(s.k, NULL, &err) == 0, "%s", err.text);
	hold(100, told(&s) == 0 && told(&next) == 0, "a second prepare wrote something");
	next.k->v->apply(next.k, &guard, 1, &result);
	need(result.code == 0, "guard: %s", strerror(-result.code));
	await(1000, told(&s) == KERNEL_FILTER, "what another process wrote was not told");
	need(told(&next) == 0, "what it wrote itself was told");
	next.k->v->free(next.k);
	s.k->v->free(s.k);
}

/* Deletions of what is there no more succeed, each by itself, and take what is there. */
static void deleting_twice_is_no_failure(void)
{
	struct scene s = scene_new();
	const struct ip a = world_vip(AF_INET, 10), b = world_vip(AF_INET6, 10), c = world_vip(AF_INET, 11);
	const struct op ops[] = { op_on(OP_UNGUARD, &a, 0), op_on(OP_UNGUARD, &b, 0), op_on(OP_UNGUARD, &c, 0) };
	struct op_result results[3] = { { 1 }, { 1 }, { 1 } };
	struct kernel_filter filter = { 0 };
	struct err err;

	apply_address(&s, OP_GUARD, &a);
	apply_address(&s, OP_GUARD, &b);
	world_must(s.w, NODE, "exec nft delete element inet sluice ipvs-ips '{ 203.0.113.10 }'");
	for (int again = 0; again < 2; again++) {
		s.k->v->apply(s.k, ops, 3, results);
		for (int i = 0; i < 3; i++)
			need(results[i].code == 0, "unguard %d: %s", i, strerror(-results[i].code));
	}
	need(s.k->v->list_filter(s.k, &filter, &err) == 0, "%s", err.text);
	need(filter.intact && filter.guarded.n == 0, "%zu addresses are left", filter.guarded.n);
	world_must(s.w, NODE, "exec nft delete table inet sluice");
	s.k->v->apply(s.k, ops, 3, results);
	need(results[0].code == -ENOENT && results[2].code == -ENOENT, "without a table: %d", results[0].code);
	kernel_filter_fini(&filter);
	s.k->v->free(s.k);
}

static bool module_loaded(const char *name)
{
	CLEANUP(free_p) char *path = xfmt("/sys/module/%s", name);

	return access(path, F_OK) == 0;
}

/* Must run where nobody used them yet: it says so if it can't prove it. */
static void read_only_loads_no_module(void)
{
	const struct kernel_options options = { .device = "kube-ipvs0", .read_only = true };
	bool ipvs = module_loaded("ip_vs"), nft = module_loaded("nf_tables"), dummy = module_loaded("dummy");
	struct world *w = world_new();
	struct kernel_filter filter = { 0 };
	struct kernel_vss vss = { 0 };
	struct kernel_ips ips = { 0 };
	struct kernel *k;
	struct err err;

	if (ipvs || nft || dummy)
		check_note("ip_vs, nf_tables or dummy was loaded before: only reading is tested");
	world_enter(w, NODE);
	need(kernel_linux_open(&options, &k, &err) == 0, "%s", err.text);
	need(k->v->list_vs(k, &vss, &err) == 0 && vss.rows.n == 0, "virtual servers");
	need(k->v->list_addrs(k, &ips, &err) == 0 && ips.rows.n == 0, "addresses");
	need(k->v->list_filter(k, &filter, &err) == 0 && !filter.intact && filter.guarded.n == 0, "filter");
	need(k->v->event_fd(k) == -1 && k->v->events(k) == 0, "events");
	need(module_loaded("ip_vs") == ipvs && module_loaded("nf_tables") == nft && module_loaded("dummy") == dummy,
	     "a module was loaded");
	k->v->free(k);
}

static void schedulers_are_asked_for_without_a_trace(void)
{
	static const struct {
		const char *name;
		int code;
	} cases[] = { { "rr", 0 }, { "wlc", 0 }, { "mh", 0 }, { "nosuch", -ENOENT }, { "", -ENOENT }, { "much-too-long-a-name", -ENOENT } };
	struct scene s = scene_new();
	struct kernel_vss vss = { 0 };
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int code = kernel_linux_scheduler(s.k, cases[i].name, &err);

		need(code == cases[i].code, "scheduler \"%s\": %d", cases[i].name, code);
		need(!code || strstr(err.text, cases[i].name), "the sentence does not name it: %s", err.text);
	}
	need(s.k->v->list_vs(s.k, &vss, &err) == 0 && vss.rows.n == 0, "%zu virtual servers were left", vss.rows.n);
	s.k->v->free(s.k);
}

static void a_foreign_device_of_our_name_is_left_alone(void)
{
	struct scene s = scene_new();
	const struct ip vip = world_vip(AF_INET, 10);
	const struct op add = op_on(OP_ADDR_ADD, &vip, 0);
	struct op_result result = { 1 };
	struct kernel_ips ips = { 0 };
	struct err err;

	world_must(s.w, NODE, "ip link del kube-ipvs0 && ip link add kube-ipvs0 type bridge && ip addr add 10.9.9.9/32 dev kube-ipvs0");
	need(s.k->v->prepare(s.k, NULL, &err) == -EEXIST && strstr(err.text, "kube-ipvs0"), "%s", err.text);
	need(s.k->v->list_addrs(s.k, &ips, &err) == -EEXIST, "its addresses were taken for ours");
	s.k->v->apply(s.k, &add, 1, &result);
	need(result.code < 0, "an address was put on it");
	world_must(s.w, NODE, "[ $(ip -o addr show dev kube-ipvs0 | wc -l) = 1 ]");
	s.k->v->free(s.k);
}

static void refusals_are_one_sentence(void)
{
	static const struct {
		const char *command, *sentence;
	} cases[] = {
		{ "setpriv --reuid 65534 --clear-groups --inh-caps=-all", "needs CAP_NET_ADMIN" },
		{ "unshare -Urn", "initial user namespace" },
	};
	struct world *w = world_new();
	char self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	need(n > 0, "readlink: %s", strerror(errno));
	self[n] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(free_p) char *out = world_output(w, NODE, "%s %s --open", cases[i].command, self);

		need(strstr(out, cases[i].sentence) && strchr(out, '\n') == strrchr(out, '\n'), "%s said: %s", cases[i].command, out);
	}
}

/* What opening says, for the test above. */
static int only_open(void)
{
	const struct kernel_options options = { .device = "kube-ipvs0" };
	struct kernel *k;
	struct err err = { 0 };
	int code = kernel_linux_open(&options, &k, &err);

	printf("%d %s\n", code, err.text);
	if (!code)
		k->v->free(k);
	return 0;
}

static const struct check_test tests[] = {
	{ "read-only-loads-no-module", read_only_loads_no_module, 0 },
	{ "host-ports-are-hidden-at-every-step", host_ports_are_hidden_at_every_step, 0 },
	{ "drain-only-refuses-ipv4", drain_only_refuses_ipv4, 0 },
	{ "drain-only-refuses-ipv6", drain_only_refuses_ipv6, 0 },
	{ "fragments-and-untracked-packets-find-no-hole", fragments_and_untracked_packets_find_no_hole, 0 },
	{ "path-mtu-messages-pass", path_mtu_messages_pass, 0 },
	{ "writing-anew-opens-and-closes-nothing", writing_anew_opens_and_closes_nothing, 0 },
	{ "changes-of-others-are-noticed", changes_of_others_are_noticed, 0 },
	{ "a-second-prepare-writes-nothing", a_second_prepare_writes_nothing, 0 },
	{ "deleting-twice-is-no-failure", deleting_twice_is_no_failure, 0 },
	{ "schedulers-are-asked-for-without-a-trace", schedulers_are_asked_for_without_a_trace, 0 },
	{ "a-foreign-device-of-our-name-is-left-alone", a_foreign_device_of_our_name_is_left_alone, 0 },
	{ "refusals-are-one-sentence", refusals_are_one_sentence, 0 },
};

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--open") == 0)
		return only_open();
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
