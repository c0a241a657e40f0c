/* Services that go, come back or have nobody who serves them: what lives goes on, what is new is refused at once. */
#include "scene.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define AT_ONCE_MS 700   /* sooner than a first retransmission of a SYN */
#define LINGER_MS 10000  /* how long an address refuses after its last virtual server */
#define GONE_LIMIT_MS 12000 /* as the option says */

/* At once; a machine that was busy elsewhere has two more tries for that. */
static void refused(const struct scene *s, enum place from, const struct target *to)
{
	int64_t took_us = INT64_MAX;
	char text[IP_TEXT];

	for (int tries = 0; tries < 3 && took_us > AT_ONCE_MS * 1000; tries++) {
		int64_t began_us = now_us();
		struct conn c;
		int code = conn_open(s->w, from, to, 0, 5000, &c);

		took_us = now_us() - began_us;
		need(code == -ECONNREFUSED, "a connection to %s is not refused: %s", ip_format(&to->ip, text), code ? strerror(-code) : "served");
	}
	need(took_us <= AT_ONCE_MS * 1000, "refusals by %s take %.2f s", ip_format(&to->ip, text), (double)took_us / 1e6);
}

static bool is_bound(const struct scene *s, int i)
{
	char text[IP_TEXT];

	return world_run(s->w, NODE, "ip -o addr show dev kube-ipvs0 2>/dev/null | grep -q ' %s/'", ip_format(&s->web[i].ip, text)) == 0;
}

static bool all_zero(const struct scene *s, int i)
{
	for (int n = 1; n <= BACKENDS; n++) {
		struct rs_key rs = backend_key(FAMILY(i), n, TCP_PORT);
		struct table_rs row = table_rs(s->w, &s->vs[i], &rs);

		if (row.present && row.weight)
			return false;
	}
	return table_has_vs(s->w, &s->vs[i]);
}

static void goes_with_a_live_connection(int family)
{
	struct scene *s = scene_new("");
	int i = family == AF_INET6, code = 0;
	struct stream *stream = stream_start(conn_must(s->w, CLIENT, &s->web[i]), 20);
	int64_t closed_us, gone_us, unbound_us;
	struct conn c;

	manifest_remove(s->w, "web.yaml");
	await(CHANGE_MS, all_zero(s, i), "not all servers got weight 0");
	for (int n = 0; n < 30; n++) {
		refused(s, CLIENT, &s->web[i]);
		refused(s, n % 2 ? NODE : BACKEND2, &s->web[i]);
	}
	stream_check(stream, "after its Service was removed");
	hold(2000, table_has_vs(s->w, &s->vs[i]), "the virtual server was deleted under a connection");
	stream_check(stream, "while its Service drains");
	stream_stop(stream);
	conn_reset(&stream->conn);
	closed_us = now_us();
	await(FORGET_MS + 5000, !table_has_vs(s->w, &s->vs[i]), "the virtual server is still there");
	gone_us = now_us();
	need(gone_us - closed_us > (FORGET_MS - 1000) * 1000, "the virtual server went before the kernel forgot the connection");
	for (unbound_us = now_us(); is_bound(s, i); unbound_us = now_us()) {
		need(unbound_us < gone_us + (LINGER_MS + 6000) * 1000, "the address is still bound");
		if (unbound_us < gone_us + (LINGER_MS - 4000) * 1000)
			refused(s, CLIENT, &s->web[i]);
		pause_ms(200);
	}
	need(unbound_us > gone_us + (LINGER_MS - 2000) * 1000, "the address was unbound before it lingered 10 s");
	code = conn_open(s->w, CLIENT, &s->web[i], 0, 3000, &c);
	need(code < 0 && code != -ECONNREFUSED, "an address that is not bound any more answers: %s", strerror(-code));
	check_note("the virtual server went %.1f s after the reset, its address %.1f s later", (double)(gone_us - closed_us) / 1e6,
		   (double)(unbound_us - gone_us) / 1e6);
}

static void goes_with_a_live_connection_ipv4(void)
{
	goes_with_a_live_connection(AF_INET);
}

static void goes_with_a_live_connection_ipv6(void)
{
	goes_with_a_live_connection(AF_INET6);
}

static void is_cut_by_reset_at_its_limit(void)
{
	struct scene *s = scene_new("--service-drain-limit 12s --address-linger 3s");
	struct stream *stream = stream_start(conn_must(s->w, CLIENT, &s->web[0]), 50);
	int64_t removed_us = now_us(), cut_us;

	manifest_remove(s->w, "web.yaml");
	await(CHANGE_MS, all_zero(s, 0), "not all servers got weight 0");
	await(GONE_LIMIT_MS + 10000, atomic_load(&stream->error), "the connection still lives 22 s after its Service was removed");
	cut_us = now_us();
	need(stream->error == -ECONNRESET || stream->error == -EPIPE, "it ended not by a reset: %s", strerror(-stream->error));
	need(cut_us - removed_us > (GONE_LIMIT_MS - 1500) * 1000, "it was cut before its limit");
	await(3000, log_count(s->w, "outcome=service-gone") + log_count(s->w, "outcome=limit") == 1, "the log does not say how many were cut");
	need(log_count(s->w, "cut=1") == 1, "the log does not say how many were cut");
	check_note("cut %.1f s after the removal", (double)(cut_us - removed_us) / 1e6);
}

static void comes_back_during_its_drain(void)
{
	struct scene *s = scene_new("");
	CLEANUP(free_p) char *table = web_table(10, "111", "111");
	struct stream *stream = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 20);
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	int64_t removed_us = now_us();

	manifest_remove(s->w, "web.yaml");
	await(CHANGE_MS, watch_weight_at(watch, 0, removed_us) > 0, "no weight 0");
	refused(s, CLIENT, &s->web[0]);
	manifest_web(s->w, 10);
	await_table(s->w, CHANGE_MS, table);
	scene_await_served(s);
	stream_check(stream, "after its Service came back");
	need(watch_gone_at(watch, 0) < 0 && log_count(s->w, "vs-del vs=203.0.113.10:80/tcp") == 0, "something was deleted between");
	(void)conn_to(s->w, CLIENT, &s->web[0], '1');
}

static void comes_back_while_its_address_lingers(void)
{
	struct scene *s = scene_new("");
	struct prober *prober;
	size_t unbound;

	manifest_remove(s->w, "web.yaml");
	await(FORGET_MS + CHANGE_MS, !table_has_vs(s->w, &s->vs[0]) && !table_has_vs(s->w, &s->vs[1]), "the virtual servers are still there");
	refused(s, CLIENT, &s->web[0]);
	prober = prober_start(s->w, CLIENT, &s->web[0], 10);
	unbound = log_count(s->w, " addr-del ");
	manifest_web(s->w, 10);
	scene_await_served(s);
	hold(LINGER_MS + 2000, is_bound(s, 0), "the address was unbound though its Service is back");
	need(log_count(s->w, " addr-del ") == unbound, "the address was unbound between");
	prober_stop(prober);
	need(!prober->failed, "%u connections were neither served nor refused (%s)", prober->failed, strerror(-prober->last_error));
	need(prober->served[0] == 0 && prober_served(prober) > 50, "served %u", prober_served(prober));
}

static void without_endpoints_refuses_at_once(void)
{
	struct scene *s = scene_quiet();
	struct target dns[2] = { { world_vip(AF_INET, 53), 53, VIA_UDP }, { world_vip(AF_INET6, 53), 53, VIA_UDP } };

	scene_backends(s, 0);
	manifest_service(s->w, "dns", "203.0.113.53, \"2001:db8:2::53\"", "{name: dns, port: 53, protocol: UDP}");
	s->daemon = daemon_start(s->w, "");
	for (int i = 0; i < 2; i++) {
		await(START_MS, table_has_vs(s->w, &s->vs[i]), "a Service without endpoints has no virtual server");
		await(CHANGE_MS, is_bound(s, i), "its address is not bound");
		for (int n = 0; n < 5; n++) {
			refused(s, CLIENT, &s->web[i]);
			refused(s, NODE, &s->web[i]);
			refused(s, BACKEND1, &s->web[i]);
		}
		for (int from = CLIENT; from <= BACKEND1; from++) {
			int fd = world_socket(s->w, from, FAMILY(i), SOCK_DGRAM);
			int code = datagram_echo(fd, &dns[i], 2000);

			/* The node's own is dropped by IPVS where it leaves, for want of a server: the call itself fails. */
			need(code == -ECONNREFUSED || (from == NODE && code == -EPERM), "a datagram is not refused: %s",
			     code < 0 ? strerror(-code) : "answered");
			(void)close(fd);
		}
	}
	scene_backends(s, 1);
	scene_await_served(s);
}

static void all_endpoints_leave(void)
{
	struct scene *s = scene_new("");
	struct stream *stream = stream_start(conn_to(s->w, CLIENT, &s->web[0], '2'), 20);
	int64_t left_us;

	scene_backends(s, 0);
	await(CHANGE_MS, all_zero(s, 0), "not all servers got weight 0");
	for (int n = 0; n < 20; n++)
		refused(s, CLIENT, &s->web[0]);
	stream_check(stream, "after all endpoints left");
	left_us = now_us();
	scene_backends(s, 4); /* somebody new: served at once, beside the drain */
	scene_await_served(s);
	scene_others(s, AF_INET, 10, '2');
	stream_check(stream, "beside the new endpoint");
	check_note("served again %.2f s after an endpoint came", (double)(now_us() - left_us) / 1e6);
}

static char *everything(const struct world *w)
{
	return world_output(w, NODE, "ipvsadm -Sn; ip addr show dev kube-ipvs0; nft list ruleset; sysctl -a -r 'net.ipv4.vs|forward' 2>/dev/null");
}

static void sigterm_leaves_all_as_it_is(void)
{
	struct scene *s = scene_new("");
	struct stream *stream = stream_start(conn_must(s->w, CLIENT, &s->web[0]), 20);
	CLEANUP(free_p) char *before = everything(s->w), *after = NULL;

	daemon_end(s->daemon, SIGTERM);
	after = everything(s->w);
	need(strcmp(before, after) == 0, "SIGTERM changed the kernel; before:\n%s\nafter:\n%s", before, after);
	for (int i = 0; i < 2; i++)
		scene_others(s, FAMILY(i), 10, '-');
	stream_check(stream, "after SIGTERM");
	daemon_restart(s->daemon);
	await(START_MS, log_count(s->w, " start version=") == 2, "it does not start again");
	daemon_end(s->daemon, SIGKILL);
	free(after);
	after = everything(s->w);
	need(strcmp(before, after) == 0, "SIGKILL changed the kernel; before:\n%s\nafter:\n%s", before, after);
}

static void a_removed_udp_service_refuses(void)
{
	struct world *w = world_new();
	struct server *servers[BACKENDS];
	struct target dns = { world_vip(AF_INET, 53), 53, VIA_UDP };
	const struct vs_key vs = vs_key_of("203.0.113.53:53/udp");
	int fd = world_socket(w, CLIENT, AF_INET, SOCK_DGRAM), code = 0;

	servers_start(w, servers);
	manifest_service(w, "dns", "203.0.113.53", "{name: dns, port: 53, protocol: UDP, targetPort: 5353}");
	manifest_slice(w, "dns", AF_INET, "{name: dns, port: 5353, protocol: UDP}", 7);
	(void)daemon_start(w, "");
	await(START_MS, datagram_echo(fd, &dns, 1000) > 0, "no answer after the start");
	manifest_remove(w, "dns.yaml");
	await(CHANGE_MS, !table_has_vs(w, &vs), "its virtual server does not go at once");
	/* The first one may be lost with the old entry. */
	await(3000, (code = datagram_echo(fd, &dns, 500)) == -ECONNREFUSED, "datagrams are not refused: %s", code < 0 ? strerror(-code) : "answered");
}

static void an_idle_connection_that_the_kernel_forgot_is_named(void)
{
	struct scene *s = scene_new("");
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	struct stream *stream;

	world_must(s->w, NODE, "ipvsadm --set 8 5 0"); /* instead of 900 s */
	stream = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 50);
	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 6);
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0");
	await(15000, watch_now(watch).inactive == 0, "there is more than the one connection"); /* else the end would be "empty" */
	stream_check(stream, "during the drain");
	stream_stop(stream);
	await(15000, watch_gone_at(watch, 0) > 0, "not deleted after the kernel forgot the connection");
	need(watch_zero_before(watch, watch_gone_at(watch, 0)) >= 8000, "it was deleted before its count was zero");
	await(1000, log_count(s->w, "outcome=idle-expired") == 1, "the outcome is not named idle-expired");
}

static const struct check_test tests[] = {
	{ "a-service-that-is-cut-at-its-limit-is-reset", is_cut_by_reset_at_its_limit, 150 },
	{ "a-service-goes-with-a-live-connection-ipv4", goes_with_a_live_connection_ipv4, 0 },
	{ "a-service-goes-with-a-live-connection-ipv6", goes_with_a_live_connection_ipv6, 0 },
	{ "a-service-comes-back-while-its-address-lingers", comes_back_while_its_address_lingers, 0 },
	{ "a-service-comes-back-during-its-drain", comes_back_during_its_drain, 0 },
	{ "a-service-without-endpoints-refuses-at-once", without_endpoints_refuses_at_once, 0 },
	{ "all-endpoints-leave", all_endpoints_leave, 0 },
	{ "sigterm-leaves-all-as-it-is", sigterm_leaves_all_as_it_is, 0 },
	{ "a-removed-udp-service-refuses", a_removed_udp_service_refuses, 0 },
	{ "an-idle-connection-that-the-kernel-forgot-is-named", an_idle_connection_that_the_kernel_forgot_is_named, 0 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
