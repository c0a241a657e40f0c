/* How drains end that are not empty: a limit, another pod on the address, connections that are only remembered. And who holds one. */
#include "scene.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/socket.h>

#define RESET_MS 1500 /* a reset comes at the next packet, not by waiting */

static uint16_t local_port(const struct conn *c)
{
	struct sockaddr_in6 local;
	socklen_t size = sizeof(local);

	need(getsockname(c->fd, (struct sockaddr *)&local, &size) == 0, "getsockname: %s", strerror(errno));
	return ntohs(local.sin6_port); /* at the same place in both families */
}

/* The next packet of a connection that was cut finds a reset at once. */
static void is_reset(const struct conn *c, const char *which)
{
	int64_t began_us = now_us();
	int code = conn_echo(c, 5000);

	need(code == -ECONNRESET || code == -EPIPE, "%s was not reset: %s", which, code ? strerror(-code) : "it lives");
	need(now_us() - began_us < RESET_MS * 1000, "%s waited %.1f s for its reset", which, (double)(now_us() - began_us) / 1e6);
}

static void a_limit_resets(void)
{
	struct scene *s = scene_new("--drain-limit 4s");
	struct target slow = target_vip(AF_INET, 20, 80);
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	struct conn idle, patient;
	struct stream *stream;
	int64_t zeroed_us, gone_us;

	manifest_annotated(s->w, "slow", "{sluice/drain-limit: none}", "203.0.113.20", "{name: http, port: 80}");
	manifest_slice(s->w, "slow", AF_INET, WEB_PORTS, 7);
	await(START_MS, conn_open(s->w, CLIENT, &slow, 0, 15000, &patient) == 0, "the second Service is not served");
	conn_reset(&patient);
	patient = conn_to(s->w, CLIENT, &slow, '1');
	idle = conn_to(s->w, CLIENT, &s->web[1], '1');
	stream = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 20);
	scene_backends(s, 6);
	manifest_slice(s->w, "slow", AF_INET, WEB_PORTS, 6);
	await(CHANGE_MS, (zeroed_us = watch_weight_at(watch, 0, 0)) > 0, "no weight 0");
	await(15000, (gone_us = watch_gone_at(watch, 0)) > 0, "not deleted at its limit");
	need(gone_us - zeroed_us > 3900000, "deleted %.2f s after weight 0, its limit is 4 s", (double)(gone_us - zeroed_us) / 1e6);
	await(RESET_MS, atomic_load(&stream->error), "the connection was not reset at the limit");
	need(atomic_load(&stream->error) == -ECONNRESET, "the client saw: %s", strerror(-atomic_load(&stream->error)));
	is_reset(&idle, "an idle connection (IPv6)");
	need(conn_echo(&patient, 5000) == 0, "a Service without a limit was cut");
	await(3000, log_count(s->w, "outcome=limit") >= 2, "the log names no limit");
	scene_others(s, AF_INET, 20, '1');
	scene_others(s, AF_INET6, 20, '1');
	check_note("deleted %.2f s after weight 0", (double)(gone_us - zeroed_us) / 1e6);
}

/* Packets of the old connection that the first backend's machine gets. */
static long packets_at_backend(const struct world *w, int family, uint16_t port)
{
	CLEANUP(free_p) char *text = world_output(w, BACKEND1, "nft list chain inet seen in | grep 'sport %u'", port);
	const char *at = strstr(text, "packets ");

	need(at, "no counter: %s", text);
	(void)family;
	return atol(at + strlen("packets "));
}

static void another_pod(int family)
{
	struct scene *s = scene_quiet();
	bool v6 = family == AF_INET6;
	struct watch *watch;
	struct conn old, neighbour, new;
	struct target admin = target_vip(family, 10, 81);
	int64_t back_us;
	long packets;

	manifest_service(s->w, "web", v6 ? "\"2001:db8:2::10\"" : "203.0.113.10", "{name: http, port: 80}, {name: admin, port: 81}");
	for (int i = 0; i < 3; i++)
		(void)server_start(s->w, BACKEND1 + i, 9090, 0);
	manifest_remove(s->w, v6 ? "web-IPv4.yaml" : "web-IPv6.yaml");
	manifest_pods(s->w, "web", family, WEB_PORTS, 7, "a");
	manifest_pods(s->w, "admin", family, "{name: admin, port: 9090}", 7, "a");
	world_must(s->w, NODE, "sed -i 's/service-name: admin/service-name: web/' %s/admin-%s.yaml", s->w->manifests, v6 ? "IPv6" : "IPv4");
	s->daemon = daemon_start(s->w, "");
	await(START_MS, conn_open(s->w, CLIENT, &admin, 0, 15000, &neighbour) == 0, "the neighbour is not served");
	conn_reset(&neighbour);
	watch = watch_start(s->w, &s->vs[v6], &s->first[v6]);
	old = conn_to(s->w, CLIENT, &s->web[v6], '1');
	neighbour = conn_to(s->w, CLIENT, &admin, '1');
	world_must(s->w, BACKEND1, "nft 'add table inet seen; add chain inet seen in { type filter hook input priority 0; }; "
				   "add rule inet seen in tcp sport %u counter'", local_port(&old));
	manifest_pods(s->w, "web", family, WEB_PORTS, 6, "a");
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0");
	need(conn_echo(&old, 5000) == 0, "the connection was cut by the drain");
	back_us = now_us();
	manifest_pods(s->w, "web", family, WEB_PORTS, 7, "z");
	await(CHANGE_MS, watch_gone_at(watch, back_us) > 0, "the old pod was not deleted");
	await(CHANGE_MS, watch_weight_at(watch, 1, back_us) > 0, "the new pod was not added");
	packets = packets_at_backend(s->w, family, local_port(&old));
	is_reset(&old, "the old pod's connection");
	need(packets_at_backend(s->w, family, local_port(&old)) == packets, "the new pod got a packet of the old one's connection");
	need(conn_echo(&neighbour, 5000) == 0, "a connection to another port of that address was cut");
	await(3000, log_count(s->w, "rs=192.0.2.11:8080 service=default/web outcome=superseded") + log_count(s->w, "rs=[2001:db8:1::11]:8080 service=default/web outcome=superseded") == 1,
	     "the log names no outcome");
	new = conn_to(s->w, CLIENT, &s->web[v6], '1');
	need(conn_echo(&new, 5000) == 0, "the new pod does not serve");
	check_note("added again %.0f ms after the manifest changed", (double)(watch_weight_at(watch, 1, back_us) - back_us) / 1e3);
}

static void another_pod_ipv4(void)
{
	another_pod(AF_INET);
}

static void another_pod_ipv6(void)
{
	another_pod(AF_INET6);
}

/* The kernel remembers a closed connection for two minutes; a Service may say that this need not be waited for. */
static void what_is_only_remembered_holds_nothing(void)
{
	struct scene *s = scene_quiet();
	struct watch *first, *second;
	struct rs_key two = backend_key(AF_INET, 2, TCP_PORT);
	struct conn over, half;
	int64_t closed_us;

	manifest_annotated(s->w, "web", "{sluice/drain-until: ignore-time-wait}", "203.0.113.10", "{name: http, port: 80}");
	manifest_remove(s->w, "web-IPv6.yaml");
	s->daemon = daemon_start(s->w, "");
	await(START_MS, conn_open(s->w, CLIENT, &s->web[0], 0, 15000, &over) == 0, "not served");
	conn_reset(&over);
	first = watch_start(s->w, &s->vs[0], &s->first[0]);
	second = watch_start(s->w, &s->vs[0], &two);
	over = conn_to(s->w, CLIENT, &s->web[0], '1');
	half = conn_to(s->w, CLIENT, &s->web[0], '2');
	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 4);
	await(CHANGE_MS, watch_weight_at(first, 0, 0) > 0 && watch_weight_at(second, 0, 0) > 0, "no weight 0");
	pause_ms(FORGET_MS + 1000); /* those that conn_to() gave up are forgotten */
	need(watch_now(first).active == 1 && watch_now(second).active == 1, "there is not one connection on each");
	world_must(s->w, BACKEND2, "nft 'add table inet t; add chain inet t o { type filter hook output priority 0; }; "
				   "add rule inet t o tcp dport %u tcp flags & (fin | rst) != 0 drop'", local_port(&half));
	closed_us = now_us();
	conn_close(&over);
	need(shutdown(half.fd, SHUT_WR) == 0, "shutdown: %s", strerror(errno));
	await(10000, watch_gone_at(first, 0) > 0, "a closed connection holds the drain for more than 10 s");
	check_note("deleted %.2f s after the close", (double)(watch_gone_at(first, 0) - closed_us) / 1e6);
	hold(3000, watch_now(second).present, "a half-closed connection does not hold the drain");
	await(3000, log_count(s->w, "outcome=empty") == 1 && log_count(s->w, "cut=0") >= 1, "the log names another outcome");
}

static void who_holds_a_drain_is_told(void)
{
	struct scene *s = scene_new("");
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	struct conn c = conn_to(s->w, CLIENT, &s->web[0], '1');
	json_t *answer, *drain, *holder;
	const char *client, *state;
	char *text;
	int port;

	scene_backends(s, 6);
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0");
	pause_ms(FORGET_MS + 1000);
	text = sluice_says(s->w, "drains --holders -o json");
	answer = json_loads(text, 0, NULL);
	need(answer, "no JSON: %s", text);
	drain = json_array_get(json_object_get(answer, "drains"), 0);
	holder = json_array_get(json_object_get(drain, "holders"), 0);
	need(holder && json_unpack(holder, "{s:s, s:i, s:s}", "client", &client, "port", &port, "state", &state) == 0, "it says: %s", text);
	need(strcmp(client, "198.51.100.90") == 0 && port == local_port(&c) && strcmp(state, "established") == 0, "it says: %s", text);
	need(json_array_size(json_object_get(drain, "holders")) == 1, "it says: %s", text);
	need(json_number_value(json_object_get(holder, "forgottenInSeconds")) > 700 && json_number_value(json_object_get(holder, "forgottenInSeconds")) <= 900,
	     "it says: %s", text);
	text = sluice_says(s->w, "drains --holders");
	need(strstr(text, "198.51.100.90:") && strstr(text, "established 1"), "it says:\n%s", text);
}

/* Persistence of this Service, in place: seconds, 0 = none. */
static void affinity(const struct scene *s, int seconds)
{
	CLEANUP(free_p) char *path = xfmt("%s/web.yaml", s->w->manifests), *config = NULL, *text = NULL;

	if (seconds)
		config = xfmt("  sessionAffinity: ClientIP\n  sessionAffinityConfig: {clientIP: {timeoutSeconds: %d}}\n", seconds);
	text = xfmt("apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  clusterIP: 203.0.113.10\n  ports: [{name: http, port: 80}]\n%s",
		    config ? config : "");
	write_text(path, text);
}

/* A client has an affinity to a server that drains: its new connections go elsewhere, and what the kernel remembers of the affinity holds
 * nothing. */
static void affinity_holds_no_drain(void)
{
	struct scene *s = scene_quiet();
	struct watch *watch;
	struct stream *held;
	struct conn c;

	manifest_remove(s->w, "web-IPv6.yaml");
	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 1);
	affinity(s, 0);
	s->daemon = daemon_start(s->w, "");
	await(START_MS, conn_open(s->w, CLIENT, &s->web[0], 0, 15000, &c) == 0, "not served");
	watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	held = stream_start(c, 20);
	affinity(s, 600);
	await(CHANGE_MS, log_count(s->w, "vs-set vs=203.0.113.10:80/tcp scheduler=rr persistence=600s") == 1, "no affinity");
	scene_others(s, AF_INET, 1, '2'); /* from now on the client has one, to the only server */
	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 3);
	await(CHANGE_MS, log_count(s->w, "rs-add vs=203.0.113.10:80/tcp rs=192.0.2.12:8080") == 1, "the second server does not come");
	scene_others(s, AF_INET, 10, '2');
	stream_check(held, "when affinity came");
	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 2);
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0");
	scene_others(s, AF_INET, 20, '1');
	affinity(s, 300);
	await(CHANGE_MS, log_count(s->w, "persistence=300s") == 1, "affinity does not change");
	stream_check(held, "during the drain");
	pause_ms(FORGET_MS + 1000);
	need(watch_now(watch).active == 1 && watch_now(watch).inactive == 0, "the draining server has %u active and %u inactive connections",
	     watch_now(watch).active, watch_now(watch).inactive);
	stream_stop(held);
	conn_reset(&held->conn);
	await(FORGET_MS + 5000, watch_gone_at(watch, 0) > 0, "its remembered affinity holds the drain");
	need(watch_zero_before(watch, watch_gone_at(watch, 0)) >= 8, "it was deleted before its count was zero");
	await(3000, log_count(s->w, "outcome=empty") == 1, "the log names another outcome");
}

#define SIG_PORTS "{name: sig, port: 2905, protocol: SCTP}"

/* SCTP drains like TCP where it is asked for. */
static void sctp_drains_if_asked(void)
{
	struct scene *s = scene_quiet();
	struct target sig = { world_vip(AF_INET, 30), 2905, VIA_SCTP };
	struct vs_key vs = vs_key_of("203.0.113.30:2905/sctp");
	struct rs_key first = backend_key(AF_INET, 1, 2905);
	struct watch *watch;
	struct stream *held;
	struct conn c = { .fd = -1 };

	for (int i = 0; i < 2; i++)
		(void)server_start_sctp(s->w, BACKEND1 + i, 2905);
	manifest_service(s->w, "sig", "203.0.113.30", "{name: sig, port: 2905, protocol: Sctp}");
	manifest_slice(s->w, "sig", AF_INET, SIG_PORTS, 3);
	s->daemon = daemon_start(s->w, "--drain-protocols TCP,Sctp");
	await(START_MS, conn_open(s->w, CLIENT, &sig, 0, 15000, &c) == 0, "SCTP is not served");
	conn_reset(&c);
	watch = watch_start(s->w, &vs, &first);
	held = stream_start(conn_to(s->w, CLIENT, &sig, '1'), 50);
	manifest_slice(s->w, "sig", AF_INET, SIG_PORTS, 2);
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0");
	for (int i = 0; i < 10; i++) {
		c = conn_must(s->w, CLIENT, &sig);
		need(c.who == '2', "a new association came to server %c", c.who);
		conn_reset(&c);
	}
	hold(5000, watch_now(watch).present && watch_now(watch).active >= 1, "the association was not waited for");
	stream_check(held, "during the drain");
	stream_stop(held);
	conn_reset(&held->conn);
	await(70000, watch_gone_at(watch, 0) > 0, "not deleted behind the end of the association"); /* the kernel remembers it for a minute */
	await(3000, log_count(s->w, "outcome=empty") == 1, "the log names another outcome");
}

#define DNS_PORTS "{name: dns, port: 5353, protocol: UDP}"

/* UDP drains where there is a limit: the flow stays until then, and moves with its next datagram. */
static void udp_drains_to_its_limit(void)
{
	struct scene *s = scene_quiet();
	struct target dns = { world_vip(AF_INET, 53), 53, VIA_UDP };
	struct vs_key vs = vs_key_of("203.0.113.53:53/udp");
	int fd = world_socket(s->w, CLIENT, AF_INET, SOCK_DGRAM), who = -1, moved, lost = 0;
	struct rs_key rs;
	struct watch *watch;
	int64_t zeroed_us;

	manifest_annotated(s->w, "dns", "{sluice/drain-limit: 4s}", "203.0.113.53", "{name: dns, port: 53, protocol: Udp}");
	manifest_slice(s->w, "dns", AF_INET, DNS_PORTS, 7);
	s->daemon = daemon_start(s->w, "--drain-protocols udp");
	await(START_MS, (who = datagram_echo(fd, &dns, 2000)) > 0, "no answer after the start");
	rs = backend_key(AF_INET, who - '0', UDP_PORT);
	watch = watch_start(s->w, &vs, &rs);
	manifest_slice(s->w, "dns", AF_INET, DNS_PORTS, 7u & ~(1u << (who - '1')));
	await(CHANGE_MS, (zeroed_us = watch_weight_at(watch, 0, 0)) > 0, "no weight 0");
	while (now_us() - zeroed_us < 3000000) {
		int answer = datagram_echo(fd, &dns, 900);

		need(answer == who || now_us() - zeroed_us > 3900000, "the flow moved before its limit: %d", answer);
		pause_ms(100);
	}
	await(10000, watch_gone_at(watch, 0) > 0, "not deleted at its limit");
	need(watch_gone_at(watch, 0) - zeroed_us > 3900000, "deleted before its limit");
	for (moved = -1; moved < 0 && lost < 3; lost += moved < 0)
		moved = datagram_echo(fd, &dns, 2000);
	need(moved > 0 && moved != who && lost <= 1, "%d datagrams were lost, then %d answered", lost, moved);
	await(3000, log_count(s->w, "outcome=limit") == 1, "the log names another outcome");
}

/* Many clients at once: addresses that sh and mh spread over all servers. */
#define CLIENTS 30
static void add_clients(const struct scene *s)
{
	for (int i = 0; i < CLIENTS; i++)
		world_must(s->w, CLIENT, "ip addr add 198.51.100.%d/32 dev lo", 100 + i);
	/* The client's side of the node is 198.51.100.0/24, so they answer ARP there by themselves. */
}

/* From one of these addresses: 0 and who, or a negative errno. */
static int from_client(const struct scene *s, int i, char *ret_who)
{
	CLEANUP(free_p) char *text = xfmt("198.51.100.%d", 100 + i);
	struct sockaddr_in local = { .sin_family = AF_INET }, vip = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct conn c = { .fd = world_socket(s->w, CLIENT, AF_INET, SOCK_STREAM) };
	const struct timeval limit = { 5, 0 };
	int code = 0;

	(void)inet_pton(AF_INET, text, &local.sin_addr);
	(void)inet_pton(AF_INET, "203.0.113.10", &vip.sin_addr);
	need(fcntl(c.fd, F_SETFL, 0) == 0, "fcntl: %s", strerror(errno));
	(void)setsockopt(c.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	(void)setsockopt(c.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	need(bind(c.fd, (struct sockaddr *)&local, sizeof(local)) == 0, "bind to %s: %s", text, strerror(errno));
	if (connect(c.fd, (struct sockaddr *)&vip, sizeof(vip)) < 0 || recv(c.fd, ret_who, 1, 0) != 1)
		code = errno ? -errno : -EIO;
	conn_reset(&c);
	return code;
}

static void under_scheduler(struct scene *s, const char *sched, struct stream *held, struct prober *const load[2], int64_t zeroed_us)
{
	CLEANUP(free_p) char *annotations = xfmt("{sluice/scheduler: %s}", sched), *head = xfmt("TCP 203.0.113.10:80 %s", sched);
	unsigned refused = 0, got[4] = { 0 }, turned_away[2];

	manifest_annotated(s->w, "web", annotations, "203.0.113.10, \"2001:db8:2::10\"", "{name: http, port: 80}");
	await(CHANGE_MS, strstr(table_text(s->w), head), "scheduler %s does not come:\n%s", sched, table_text(s->w));
	for (int i = 0; i < 2; i++) {
		prober_turn(load[i]); /* while the kernel exchanges the scheduler it refuses */
		turned_away[i] = load[i]->refused + load[i]->failed;
	}
	for (int i = 0; i < CLIENTS; i++) {
		char who = 0;
		int code = from_client(s, i, &who);

		need(code == 0 || code == -ECONNREFUSED, "%s: a client saw: %s", sched, strerror(-code));
		refused += code != 0;
		got[code == 0 && who >= '1' && who <= '3' ? who - '0' : 0] += code == 0;
	}
	need(got[1] == 0, "%s: %u new connections came to the server of weight 0", sched, got[1]);
	/* dh hashes the one address that all of them connect to, and has no fall-back. */
	need(refused == 0 || (strcmp(sched, "dh") == 0 && refused == CLIENTS), "%s: %u new connections were refused", sched, refused);
	need(refused || (got[2] + got[3] == CLIENTS), "%s: %u and %u", sched, got[2], got[3]);
	for (int i = 0; i < 2; i++) {
		need(load[i]->began_us[1] <= zeroed_us, "%s: a connection of the load came to the server of weight 0", sched);
		need(refused || load[i]->refused + load[i]->failed == turned_away[i], "%s: the load was turned away", sched);
	}
	stream_check(held, sched);
	check_note("%-5s weight 0: 0, others: %u and %u, refused: %u", sched, got[2], got[3], refused);
}

static void nothing_new_with_any_scheduler(void)
{
	static const char *const scheds[] = { "rr", "wrr", "lc", "wlc", "lblc", "lblcr", "sh", "mh", "sed", "nq", "fo", "ovf", "dh" };
	struct scene *s = scene_new("");
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	struct stream *held = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 50);
	struct prober *load[2] = { prober_start(s->w, CLIENT, &s->web[0], 5), prober_start(s->w, NODE, &s->web[0], 5) };
	int64_t zeroed_us;

	add_clients(s);
	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 6);
	await(CHANGE_MS, (zeroed_us = watch_weight_at(watch, 0, 0)) > 0, "no weight 0");
	for (size_t i = 0; i < ARRAY_SIZE(scheds); i++)
		under_scheduler(s, scheds[i], held, load, zeroed_us);
	for (int i = 0; i < 2; i++)
		prober_stop(load[i]);
	check_note("%u connections of the load", prober_served(load[0]) + prober_served(load[1]));
	need(watch_gone_at(watch, 0) < 0, "the server was deleted although a connection held it");
}

static void a_scheduler_that_is_missing_harms_one_service(void)
{
	struct scene *s = scene_new("");
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);

	manifest_annotated(s->w, "web", "{sluice/scheduler: nonesuch}", "203.0.113.10, \"2001:db8:2::10\"", "{name: http, port: 80}");
	await(CHANGE_MS, log_count(s->w, "this kernel has no such scheduler, retrying (module") == 2, "the log does not name it");
	manifest_service(s->w, "other", "203.0.113.20", "{name: http, port: 80}");
	manifest_slice(s->w, "other", AF_INET, WEB_PORTS, 7);
	await(CHANGE_MS, log_count(s->w, " serve vs=203.0.113.20:80/tcp") == 1, "another Service is not served");
	scene_backends(s, 6);
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "its own backends do not leave any more");
	scene_others(s, AF_INET, 20, '1');
	pause_ms(2000);
	need(log_count(s->w, "this kernel has no such scheduler, retrying (module") == 2, "it is named again and again");
}

static const struct check_test tests[] = {
	{ "a-limit-resets", a_limit_resets, 0 },
	{ "another-pod-ipv4", another_pod_ipv4, 0 },
	{ "another-pod-ipv6", another_pod_ipv6, 0 },
	{ "what-is-only-remembered-holds-nothing", what_is_only_remembered_holds_nothing, 0 },
	{ "who-holds-a-drain-is-told", who_holds_a_drain_is_told, 0 },
	{ "sctp-drains-if-asked", sctp_drains_if_asked, 0 },
	{ "udp-drains-to-its-limit", udp_drains_to_its_limit, 0 },
	{ "affinity-holds-no-drain", affinity_holds_no_drain, 0 },
	{ "nothing-new-with-any-scheduler", nothing_new_with_any_scheduler, 0 },
	{ "a-scheduler-that-is-missing-harms-one-service", a_scheduler_that_is_missing_harms_one_service, 0 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
