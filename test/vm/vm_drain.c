/* The drain on the real kernel, with real clients, servers and packets; the kernel's counters are watched beside it. */
#include "scene.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* It was deleted after both counters had been zero for the 10 ms between two reads, and soon after. */
static void judge_end(struct watch *watch, int64_t closed_us)
{
	int64_t gone = watch_gone_at(watch, 0), zero = watch_zero_before(watch, gone);
	CLEANUP(free_p) char *story = watch_story(watch);

	need(zero >= 8000, "it was deleted when the kernel's count had been zero for %.1f ms only:\n%s", (double)zero / 1e3, story);
	need(zero <= NOTICE_MS * 1000, "it was deleted %.1f s after the kernel's count became zero:\n%s", (double)zero / 1e6, story);
	check_note("zero %.2f s after the reset, deleted %.0f ms after that; looked at least every %.1f ms",
		   (double)(gone - zero - closed_us) / 1e6, (double)zero / 1e3, (double)watch_widest_gap(watch) / 1e3);
}

static void drain_of(int family)
{
	struct scene *s = scene_new("");
	int i = family == AF_INET6;
	struct stream *stream = stream_start(conn_to(s->w, CLIENT, &s->web[i], '1'), 20);
	struct watch *watch = watch_start(s->w, &s->vs[i], &s->first[i]);
	int64_t removed_us = now_us(), closed_us;
	CLEANUP(free_p) char *drains = NULL;

	scene_backends(s, 6);
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0 after the endpoint was removed");
	check_note("weight 0 after %.0f ms", (double)(watch_weight_at(watch, 0, 0) - removed_us) / 1e3);
	scene_others(s, family, 200, '1');
	stream_check(stream, "during the drain");
	/* What tries before it left is forgotten meanwhile; the one connection holds it. */
	await(15000, watch_now(watch).inactive == 0, "there is more than the one connection");
	hold(3000, watch_now(watch).present && watch_now(watch).weight == 0 && watch_now(watch).active == 1,
	     "the held server changed: weight %d active %u present %d", watch_now(watch).weight, watch_now(watch).active,
	     watch_now(watch).present);
	drains = sluice_says(s->w, "drains");
	need(strstr(drains, "keep"), "sluice drains does not show it: %s", drains);
	need(log_count(s->w, "verdict=keep") > 1, "the log shows no check of the held server");
	stream_check(stream, "at the end of the drain");
	stream_stop(stream);
	conn_reset(&stream->conn);
	closed_us = now_us();
	await(FORGET_MS + 5000, watch_gone_at(watch, 0) > 0, "not deleted 15 s after its last connection was reset");
	judge_end(watch, closed_us);
	need(log_count(s->w, "outcome=empty") >= 1, "the log names no outcome");
	scene_others(s, family, 10, '1');
}

static void drain_waits_for_the_last_connection_ipv4(void)
{
	drain_of(AF_INET);
}

static void drain_waits_for_the_last_connection_ipv6(void)
{
	drain_of(AF_INET6);
}

/* How many of n threads' tries a server got that began after that moment. */
static void judge_load(struct prober *const *probers, size_t n, int64_t zeroed_us)
{
	for (size_t i = 0; i < n; i++) {
		need(probers[i]->began_us[1] <= zeroed_us, "a connection that began %.1f ms after weight 0 was seen came to that server",
		     (double)(probers[i]->began_us[1] - zeroed_us) / 1e3);
		need(!probers[i]->refused && !probers[i]->failed, "%u new connections were refused, %u failed (%s)", probers[i]->refused,
		     probers[i]->failed, strerror(-probers[i]->last_error));
	}
}

static unsigned tried(struct prober *const *probers, size_t n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += probers[i]->tried;
	return sum;
}

#define THREADS 3
static void load_of(const char *scheduler)
{
	CLEANUP(free_p) char *option = xfmt("--ipvs-scheduler %s", scheduler);
	struct scene *s = scene_new(option);
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	struct prober *probers[THREADS];
	unsigned before, all;

	for (size_t i = 0; i < THREADS; i++)
		probers[i] = prober_start(s->w, i == 2 ? NODE : CLIENT, &s->web[0], 0);
	for (int round = 0; round < 4; round++) {
		int64_t changed_us = now_us();

		await(20000, now_us() - probers[0]->began_us[1] < 1000000 && probers[0]->served[1] > 5,
		      "the first server gets no connections before round %d", round);
		changed_us = now_us();
		scene_backends(s, 6);
		await(CHANGE_MS, watch_weight_at(watch, 0, changed_us) > 0, "no weight 0 in round %d", round);
		before = tried(probers, THREADS);
		await(30000, tried(probers, THREADS) >= before + 300, "no load");
		judge_load(probers, THREADS, watch_weight_at(watch, 0, changed_us));
		changed_us = now_us();
		scene_backends(s, 7);
		await(CHANGE_MS, watch_weight_at(watch, 1, changed_us) > 0, "no weight 1 again in round %d", round);
	}
	need(watch_gone_at(watch, 0) < 0, "the server was deleted between");
	scene_backends(s, 6);
	await(FORGET_MS + 10000, watch_gone_at(watch, 0) > 0, "not deleted after the load");
	need(watch_zero_before(watch, watch_gone_at(watch, 0)) >= 8000, "it was deleted before its count was zero");
	all = tried(probers, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		prober_stop(probers[i]);
	judge_load(probers, THREADS, INT64_MAX);
	check_note("%u connections", all);
}

static void load_rr(void)
{
	load_of("rr");
}

static void load_wrr(void)
{
	load_of("wrr");
}

static void load_lc(void)
{
	load_of("lc");
}

static void load_wlc(void)
{
	load_of("wlc");
}

static void a_wanted_server_comes_back_in_place(void)
{
	struct scene *s = scene_new("");
	struct stream *stream = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 20);
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	size_t added = log_count(s->w, " rs-add "), raised = log_count(s->w, " rs-raise ");
	int64_t back_us;

	for (unsigned round = 1; round <= 3; round++) {
		int64_t away_us = now_us();

		manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 6);
		await(CHANGE_MS, watch_weight_at(watch, 0, away_us) > 0, "no weight 0 in round %u", round);
		stream_check(stream, "during the drain");
		back_us = now_us();
		manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 7);
		await(CHANGE_MS, watch_weight_at(watch, 1, back_us) > 0, "no weight 1 again in round %u", round);
		stream_check(stream, "after the return");
		need(watch_now(watch).active >= 1, "its counters say that it was made anew");
		await(2000, log_count(s->w, " rs-raise ") == raised + round, "not one weight edit a return but %zu in round %u",
		      log_count(s->w, " rs-raise ") - raised, round);
	}
	need(watch_gone_at(watch, 0) < 0, "it was deleted between");
	need(log_count(s->w, " rs-add ") == added && log_count(s->w, " rs-del ") == 0, "it was added or deleted");
	need(log_count(s->w, "outcome=undrained") == 3, "the log names no outcome");
	(void)conn_to(s->w, CLIENT, &s->web[0], '1');
}

static void restart(struct scene *s, int signum)
{
	daemon_end(s->daemon, signum);
	daemon_restart(s->daemon);
}

static void await_start(const struct scene *s, size_t starts)
{
	await(START_MS, log_count(s->w, " start version=") >= starts, "it does not start again");
}

static void kill_during_the_drain(void)
{
	struct scene *s = scene_new("");
	struct prober *prober = prober_start(s->w, CLIENT, &s->web[0], 5);
	struct stream *stream = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 20);
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	int64_t closed_us;
	size_t checks;

	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 6);
	restart(s, SIGKILL); /* before weight 0 */
	await(START_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0 after the first kill");
	restart(s, SIGKILL); /* at once after it */
	await_start(s, 3);
	stream_check(stream, "after the second kill");
	await(START_MS, log_count(s->w, "verdict=keep") > 0, "no check after the second restart");
	restart(s, SIGKILL); /* while it is held */
	await_start(s, 4);
	checks = log_count(s->w, "verdict=keep");
	await(START_MS, log_count(s->w, "verdict=keep") > checks, "no check after the third restart");
	restart(s, SIGTERM);
	await_start(s, 5);
	stream_check(stream, "after the fourth restart");
	need(watch_now(watch).present && watch_now(watch).weight == 0, "the drain did not go on");
	await(15000, watch_now(watch).inactive == 0, "there is more than the one connection");
	stream_stop(stream);
	conn_reset(&stream->conn);
	closed_us = now_us();
	await(FORGET_MS + 5000, watch_gone_at(watch, 0) > 0 || (!watch_now(watch).active && !watch_now(watch).inactive), "no zero");
	restart(s, SIGKILL); /* when the count is zero, if it is not deleted yet */
	await(START_MS, watch_gone_at(watch, 0) > 0, "not deleted after the last kill");
	need(watch_zero_before(watch, watch_gone_at(watch, 0)) >= 8000, "it was deleted before its count was zero");
	check_note("deleted %.2f s after the reset", (double)(watch_gone_at(watch, 0) - closed_us) / 1e6);
	await_start(s, 6);
	prober_turn(prober);
	prober_stop(prober);
	need(!prober->refused && !prober->failed, "%u new connections were refused, %u failed (%s)", prober->refused, prober->failed,
	     strerror(-prober->last_error));
	need(prober->served[0] == 0 && prober_served(prober) > 50, "the prober was served %u times", prober_served(prober));
	check_note("%u connections meanwhile, none refused", prober_served(prober));
}

/* Kills at a moment that moves through a change and its drain, a millisecond further each time. */
static void kill_at_any_moment(void)
{
	struct scene *s = scene_new("");
	struct prober *prober = prober_start(s->w, CLIENT, &s->web[0], 20);
	struct stream *stream = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 20);
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);

	for (int i = 0; i < 12; i++) {
		manifest_slice(s->w, "web", AF_INET, WEB_PORTS, i % 2 ? 7 : 6);
		pause_ms(40 + i * 7);
		restart(s, SIGKILL);
		await(START_MS, watch_now(watch).weight == i % 2, "weight %d did not come after kill %d", i % 2, i + 1);
		stream_check(stream, "after a kill");
	}
	need(watch_gone_at(watch, 0) < 0, "the server was deleted between");
	prober_stop(prober);
	need(!prober->refused && !prober->failed, "%u new connections were refused, %u failed (%s)", prober->refused, prober->failed,
	     strerror(-prober->last_error));
	check_note("%u connections meanwhile, none refused", prober_served(prober));
}

#define ANSWER_MS 3000 /* without one until then the datagram is lost */
static void a_udp_flow_moves_at_once(int family)
{
	struct world *w = world_new();
	struct server *servers[BACKENDS];
	struct target dns = { world_vip(family, 53), 53, VIA_UDP };
	int fd = world_socket(w, CLIENT, family, SOCK_DGRAM), who = -1, lost = 0, moved;
	char text[IP_TEXT];
	CLEANUP(free_p) char *address = xfmt("\"%s\"", ip_format(&dns.ip, text));

	servers_start(w, servers);
	manifest_service(w, "dns", address, "{name: dns, port: 53, protocol: UDP, targetPort: 5353}");
	manifest_slice(w, "dns", family, "{name: dns, port: 5353, protocol: UDP}", 7);
	(void)daemon_start(w, "");
	await(START_MS, (who = datagram_echo(fd, &dns, 2000)) > 0, "no answer after the start");
	for (int i = 0; i < 10; i++) {
		need(datagram_echo(fd, &dns, ANSWER_MS) == who, "the flow moved without cause");
		pause_ms(50);
	}
	manifest_slice(w, "dns", family, "{name: dns, port: 5353, protocol: UDP}", 7u & ~(1u << (who - '1')));
	moved = who;
	for (int i = 0; i < 60 && (moved == who || moved < 0); i++) {
		moved = datagram_echo(fd, &dns, ANSWER_MS);
		lost += moved < 0;
		pause_ms(moved < 0 ? 0 : 50);
	}
	need(moved >= '1' && moved <= '3' && moved != who, "the flow did not move to another server: %d", moved);
	need(lost <= 1, "%d datagrams were lost", lost);
	for (int i = 0; i < 10; i++)
		need(datagram_echo(fd, &dns, ANSWER_MS) == moved, "a datagram was lost after the move");
	check_note("%d datagrams lost", lost);
}

static void udp_ipv4(void)
{
	a_udp_flow_moves_at_once(AF_INET);
}

static void udp_ipv6(void)
{
	a_udp_flow_moves_at_once(AF_INET6);
}

/* A client binds the port of its last connection again while that one's server drains. */
static void reuse(struct scene *s, uint16_t port, const char *state)
{
	int64_t began_us = now_us();
	struct conn c;
	int code = conn_open(s->w, CLIENT, &s->web[0], port, 5000, &c);

	need(code == 0, "no connection from a port used before (%s): %s", state, strerror(-code));
	need(c.who != '1', "a connection from a port used before (%s) came to the draining server", state);
	need(now_us() - began_us < 2500000, "a connection from a port used before (%s) took %.2f s", state, (double)(now_us() - began_us) / 1e6);
	check_note("%s: %.0f ms", state, (double)(now_us() - began_us) / 1e3);
	conn_reset(&c);
}

static void a_reused_port_goes_elsewhere(void)
{
	struct scene *s = scene_new("");
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	struct stream *held = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 50);
	struct conn c[3] = { 0 };

	world_must(s->w, CLIENT, "sysctl -qw net.ipv4.tcp_max_tw_buckets=0"); /* an orderly close leaves its port free */
	for (int i = 0; i < 3; i++)
		for (int tries = 0; c[i].who != '1'; tries++) {
			need(tries < 20, "no connection came to the first server");
			if (c[i].who)
				conn_reset(&c[i]);
			need(conn_open(s->w, CLIENT, &s->web[0], (uint16_t)(41000 + 100 * i + tries), 5000, &c[i]) == 0, "connect");
		}
	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 6);
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0");
	for (int i = 0; i < 3; i++) {
		static const char *const states[] = { "closed by RST", "closed in order", "still established" };
		struct sockaddr_in local;
		socklen_t size = sizeof(local);
		uint16_t port;

		need(getsockname(c[i].fd, (struct sockaddr *)&local, &size) == 0, "getsockname: %s", strerror(errno));
		port = ntohs(local.sin_port);
		if (i == 2)
			world_must(s->w, CLIENT, "nft 'add table ip t; add chain ip t o { type filter hook output priority 0; }; "
						 "add rule ip t o tcp sport %u tcp flags & rst == rst drop'", port);
		if (i == 1)
			conn_close(&c[i]);
		else
			conn_reset(&c[i]);
		pause_ms(100);
		if (i == 2)
			world_must(s->w, CLIENT, "nft delete table ip t");
		reuse(s, port, states[i]);
	}
	stream_check(held, "during the drain");
	need(watch_now(watch).active <= 2, "the draining server got connections: active %u", watch_now(watch).active);
}

static const struct check_test tests[] = {
	{ "drain-waits-for-the-last-connection-ipv4", drain_waits_for_the_last_connection_ipv4, 0 },
	{ "drain-waits-for-the-last-connection-ipv6", drain_waits_for_the_last_connection_ipv6, 0 },
	{ "nothing-new-under-load-rr", load_rr, 240 },
	{ "nothing-new-under-load-wrr", load_wrr, 240 },
	{ "nothing-new-under-load-lc", load_lc, 240 },
	{ "nothing-new-under-load-wlc", load_wlc, 240 },
	{ "a-wanted-server-comes-back-in-place", a_wanted_server_comes_back_in_place, 0 },
	{ "kill-during-the-drain", kill_during_the_drain, 0 },
	{ "kill-at-any-moment", kill_at_any_moment, 0 },
	{ "a-udp-flow-moves-at-once-ipv4", udp_ipv4, 0 },
	{ "a-udp-flow-moves-at-once-ipv6", udp_ipv6, 0 },
	{ "a-reused-port-goes-elsewhere", a_reused_port_goes_elsewhere, 0 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
