/* No port of the host is reachable through a service address, at no moment. The real pass on the real kernel, held after each
 * single operation while clients probe; and the daemon itself, with probers that never stop. */
#include "scene.h"
#include "through.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define HOST_PORT 22222 /* the node listens there on all its addresses, TCP and UDP */
#define AT_ONCE_MS 700
#define ANSWER_MS 3000
#define PROBE_EVERY_MS 60 /* each of 24 probers; more starves an emulated machine */
#define VIPS 4

/* What the manifests ask for: two addresses each. */
static const char *const vips[VIPS] = { "203.0.113.10", "203.0.113.53", "2001:db8:2::10", "2001:db8:2::53" };
static const enum place places[] = { CLIENT, NODE, BACKEND2 };

/* A kernel port that does one operation at a time and calls the probe after each. */
struct slow_kernel {
	struct through through;
	const struct world *w;
	struct server *node;
	bool guarded[VIPS], bound[VIPS];
	bool served[VIPS];
	unsigned ops, probes;
	const char *last;
};

static struct slow_kernel *slow(struct kernel *k)
{
	return (struct slow_kernel *)k;
}

/* One exchange: who answered, or a negative errno. */
static int ask(const struct world *w, enum place from, const struct target *to, int limit_ms)
{
	struct conn c;
	int code;

	if (to->via == VIA_UDP) {
		int fd = world_socket(w, from, to->ip.family, SOCK_DGRAM);

		code = datagram_echo(fd, to, limit_ms);
		(void)close(fd);
		return code;
	}
	code = conn_open(w, from, to, 0, limit_ms, &c);
	if (code < 0)
		return code;
	conn_reset(&c);
	return c.who;
}

/* At once; a machine that was busy elsewhere has two more tries for that. */
static void probe_host_port(struct slow_kernel *k, int vip, enum place from, bool udp)
{
	const struct target to = { world_ip(vips[vip]), HOST_PORT, udp };
	const char *proto = udp ? "UDP" : "TCP";
	int64_t took_us = INT64_MAX;

	for (int tries = 0; tries < 3 && took_us > AT_ONCE_MS * 1000; tries++) {
		int64_t began_us = now_us();
		/* An address that is not bound yet leads nowhere: nothing to wait for. */
		int code = ask(k->w, from, &to, k->bound[vip] ? ANSWER_MS : 100);

		took_us = now_us() - began_us;
		k->probes++;
		need(code < 0, "after %u operations (last: %s) %s:%d %s is answered by %c, seen from place %d", k->ops, k->last, vips[vip],
		     HOST_PORT, proto, code, from);
		if (!k->bound[vip])
			return;
		if (code == -ETIMEDOUT)
			check_late("after %u operations (last: %s) %s:%d %s is not refused in time from place %d", k->ops, k->last, vips[vip],
				   HOST_PORT, proto, from);
		need(code == -ECONNREFUSED, "after %u operations (last: %s) %s:%d %s is not refused from place %d: %s", k->ops, k->last,
		     vips[vip], HOST_PORT, proto, from, strerror(-code));
	}
	need(took_us <= AT_ONCE_MS * 1000, "refusals by %s take %.2f s", vips[vip], (double)took_us / 1e6);
}

/* The Service's own port: a backend answers or it is refused, at once. */
static void probe_service_port(struct slow_kernel *k, int vip, enum place from)
{
	bool dns = vip % 2;
	struct target to = { world_ip(vips[vip]), dns ? 53 : 80, dns };
	int code = ask(k->w, from, &to, k->bound[vip] ? ANSWER_MS : 100);

	k->probes++;
	need(code != 'N', "after %u operations (last: %s) %s:%u is answered by the node", k->ops, k->last, vips[vip], to.port);
	if (code == -ETIMEDOUT && k->bound[vip])
		check_late("after %u operations (last: %s) nothing is heard of %s:%u", k->ops, k->last, vips[vip], to.port);
	if (k->served[vip])
		need(code > 0, "after %u operations (last: %s) %s:%u is not served: %s", k->ops, k->last, vips[vip], to.port, strerror(-code));
	else if (k->bound[vip])
		need(code == -ECONNREFUSED, "after %u operations (last: %s) %s:%u is neither served nor refused: %s", k->ops, k->last,
		     vips[vip], to.port, code < 0 ? strerror(-code) : "answered");
}

static void probe(struct slow_kernel *k)
{
	for (int i = 0; i < VIPS; i++) {
		for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
			probe_host_port(k, i, places[p], false);
			probe_host_port(k, i, places[p], true);
		}
		probe_service_port(k, i, CLIENT);
	}
}

/* What the operation changed of what we may expect, from its meaning alone. */
static void learn(struct slow_kernel *k, const struct op *op, int *ret_vip)
{
	char text[IP_TEXT];

	*ret_vip = -1;
	for (int i = 0; i < VIPS; i++)
		if (strcmp(ip_format(&op->vs.ip, text), vips[i]) == 0)
			*ret_vip = i;
	need(*ret_vip >= 0, "an operation on a foreign address: %s %s", op_word(op->kind), text);
	if (op->kind == OP_GUARD || op->kind == OP_UNGUARD)
		k->guarded[*ret_vip] = op->kind == OP_GUARD;
	if (op->kind == OP_ADDR_ADD || op->kind == OP_ADDR_DEL)
		k->bound[*ret_vip] = op->kind == OP_ADDR_ADD;
	if (op->kind == OP_SERVE || op->kind == OP_UNSERVE)
		k->served[*ret_vip] = op->kind == OP_SERVE;
}

static void slow_apply(struct kernel *port, const struct op *ops, size_t n, struct op_result *ret)
{
	struct slow_kernel *k = slow(port);

	for (size_t i = 0; i < n; i++) {
		int vip;

		through_real(port)->v->apply(through_real(port), &ops[i], 1, &ret[i]);
		k->ops++;
		k->last = op_word(ops[i].kind);
		need(ret[i].code == 0, "%s: %s", k->last, strerror(-ret[i].code));
		learn(k, &ops[i], &vip);
		need(!k->bound[vip] || k->guarded[vip], "%s is bound but not guarded", vips[vip]);
		probe(k);
	}
}

static int slow_prepare(struct kernel *port, const struct kernel_filter_want *want, struct err *err)
{
	int code = through_real(port)->v->prepare(through_real(port), want, err);

	slow(port)->last = "prepare";
	probe(slow(port));
	return code;
}

/* Turns until nothing is due for a while. */
static void settle_down(struct reconcile *r)
{
	while (through_turns(r, 1500))
		;
}

static void write_manifests(const struct world *w, unsigned backends)
{
	manifest_service(w, "web", "203.0.113.10, \"2001:db8:2::10\"", "{name: http, port: 80, targetPort: 8080}");
	manifest_service(w, "dns", "203.0.113.53, \"2001:db8:2::53\"", "{name: dns, port: 53, protocol: UDP}");
	for (int i = 0; i < 2; i++) {
		manifest_slice(w, "web", FAMILY(i), WEB_PORTS, backends);
		manifest_slice(w, "dns", FAMILY(i), "{name: dns, port: 5353, protocol: UDP}", backends);
	}
}

/* The world with the node's own servers; its refusals are not rationed. */
static struct world *world_with_host_ports(void)
{
	struct world *w = world_new();
	struct server *servers[BACKENDS];

	servers_start(w, servers);
	(void)server_start(w, NODE, HOST_PORT, HOST_PORT);
	/* The masks too: what they name is also rationed for the whole kernel, 50 at once, and datagrams are not sent again. */
	world_must(w, NODE, "sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv4.icmp_ratemask=0 net.ipv6.icmp.ratelimit=0; "
			    "echo >/proc/sys/net/ipv6/icmp/ratemask");
	write_manifests(w, 3);
	return w;
}

static void start_probers(const struct world *w, struct prober *ret[], size_t *ret_n)
{
	for (int i = 0; i < VIPS; i++)
		for (size_t p = 0; p < ARRAY_SIZE(places); p++)
			for (int udp = 0; udp < 2; udp++) {
				struct target to = { world_ip(vips[i]), HOST_PORT, udp };

				ret[(*ret_n)++] = prober_start(w, places[p], &to, PROBE_EVERY_MS);
			}
}

#define PROBERS (VIPS * 3 * 2)
static void judge_probers(struct prober *const *probers, size_t n)
{
	unsigned tried = 0, refused = 0;

	for (size_t i = 0; i < n; i++) {
		need(prober_served(probers[i]) == 0, "%s:%d %s was answered %u times, seen from place %d", vips[i / 6], HOST_PORT,
		     probers[i]->to.via == VIA_UDP ? "UDP" : "TCP", prober_served(probers[i]), probers[i]->from);
		tried += probers[i]->tried;
		refused += probers[i]->refused;
	}
	need(refused > PROBERS, "only %u refusals", refused);
	check_note("beside that %u probes that never stopped, %u refused", tried, refused);
}

static void hidden_after_each_operation(void)
{
	struct world *w = world_with_host_ports();
	struct reconcile_options options = through_options();
	struct slow_kernel k = { .w = w, .last = "none" };
	struct prober *probers[PROBERS];
	struct target host = { world_address(NODE, AF_INET), HOST_PORT, VIA_TCP };
	struct reconcile *r;
	unsigned ups;
	size_t n = 0;

	need(ask(w, CLIENT, &host, ANSWER_MS) == 'N', "the node's own server does not answer on the node's address");
	start_probers(w, probers, &n);
	world_enter(w, NODE);
	through_open(&k.through, slow_apply, slow_prepare);
	options.sync_period_ms = 30000;
	options.drain.gone_limit_ms = 1000;
	options.address_linger_ms = 300;
	r = reconcile_new(&options, &k.through.port, NULL);
	through_read_manifests(w, r);
	settle_down(r);
	for (int i = 0; i < VIPS; i++)
		need(k.served[i], "%s is not served", vips[i]);
	ups = k.ops;
	write_manifests(w, 2); /* a server goes */
	through_read_manifests(w, r);
	settle_down(r);
	through_gone(r, "web"); /* then both Services */
	through_gone(r, "dns");
	for (int64_t end_us = now_us() + 30000000; now_us() < end_us && (k.bound[0] || k.bound[1] || k.bound[2] || k.bound[3]);)
		settle_down(r);
	for (int i = 0; i < VIPS; i++)
		need(!k.bound[i] && !k.guarded[i], "%s is still bound or guarded", vips[i]);
	need(ask(w, CLIENT, &host, ANSWER_MS) == 'N', "the node's own server does not answer on the node's address any more");
	for (size_t i = 0; i < n; i++)
		prober_stop(probers[i]);
	check_note("%u operations up, %u down, %u probes between them", ups, k.ops - ups, k.probes);
	judge_probers(probers, n);
	reconcile_free(r);
}

static void hidden_while_the_daemon_works(void)
{
	struct world *w = world_with_host_ports();
	struct prober *probers[PROBERS];
	struct target web = target_vip(AF_INET, 10, 80);
	struct daemon *daemon;
	size_t n = 0;

	start_probers(w, probers, &n);
	daemon = daemon_start(w, "");
	for (int round = 0; round < 4; round++) {
		await(START_MS, ask(w, CLIENT, &web, 1000) > 0, "not served in round %d", round);
		daemon_end(daemon, round % 2 ? SIGTERM : SIGKILL);
		for (size_t i = 0; i < n; i += 6)
			prober_turn(probers[i]);
		daemon_restart(daemon);
		manifest_remove(w, "web.yaml");
		await(START_MS, ask(w, CLIENT, &web, 1000) < 0, "still served in round %d", round);
		write_manifests(w, round % 2 ? 3 : 6);
	}
	await(START_MS, ask(w, CLIENT, &web, 1000) > 0, "not served at the end");
	for (size_t i = 0; i < n; i++)
		prober_stop(probers[i]);
	judge_probers(probers, n);
}

static bool pings(const struct world *w, enum place from, const char *address)
{
	return world_run(w, from, "exec ping -c 1 -W 2 -n %s >/dev/null 2>&1", address) == 0;
}

static void a_served_address_answers_ping(void)
{
	struct world *w = world_with_host_ports();

	(void)daemon_start(w, "");
	for (int i = 0; i < VIPS; i++) {
		await(START_MS, pings(w, CLIENT, vips[i]), "%s does not answer ping", vips[i]);
		need(pings(w, BACKEND1, vips[i]) && pings(w, NODE, vips[i]), "%s does not answer ping from a backend and the node", vips[i]);
	}
}

static const struct check_test tests[] = {
	{ "hidden-after-each-operation", hidden_after_each_operation, 300 },
	{ "hidden-while-the-daemon-works", hidden_while_the_daemon_works, 300 },
	{ "a-served-address-answers-ping", a_served_address_answers_ping, 0 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
