/* What has to wait for the kernel: the two minutes of an orderly close, the three minutes in which it keeps deleted servers. */
#include "scene.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define TIME_WAIT_S 120
#define TRASH_S 185 /* a timer of 60 s looks for what has been idle for 120 s */

static void an_orderly_close_is_waited_for(void)
{
	struct scene *s = scene_new("");
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);
	struct conn c = conn_to(s->w, CLIENT, &s->web[0], '1');
	int64_t closed_us, gone_us;

	manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 6);
	await(CHANGE_MS, watch_weight_at(watch, 0, 0) > 0, "no weight 0");
	need(conn_echo(&c, 5000) == 0, "the connection was cut");
	conn_close(&c);
	closed_us = now_us();
	hold((TIME_WAIT_S - 5) * 1000, watch_now(watch).present, "deleted before the kernel forgot the connection");
	await(15000, (gone_us = watch_gone_at(watch, 0)) > 0, "not deleted 130 s after an orderly close");
	need(watch_zero_before(watch, gone_us) >= 8000, "it was deleted before its count was zero");
	need(watch_zero_before(watch, gone_us) <= NOTICE_MS * 1000, "its zero was noticed late");
	check_note("deleted %.1f s after the close, %.2f s after zero", (double)(gone_us - closed_us) / 1e6,
		   (double)watch_zero_before(watch, gone_us) / 1e6);
}

static int64_t time_to_add(const struct world *w, int vip)
{
	CLEANUP(free_p) char *name = xfmt("extra%d", vip), *address = xfmt("203.0.113.%d", vip), *key = xfmt("203.0.113.%d:80/tcp", vip);
	struct vs_key vs = vs_key_of(key);
	struct rs_key rs = backend_key(AF_INET, 1, TCP_PORT);
	int64_t began_us = now_us();

	manifest_slice(w, name, AF_INET, WEB_PORTS, 1);
	manifest_service(w, name, address, "{name: http, port: 80}");
	await(START_MS, table_rs(w, &vs, &rs).present, "a Service that was added is not in the table");
	return now_us() - began_us;
}

/* A server that returns while the kernel still keeps the deleted one, and one that returns afterwards: both serve, both
 * drain exactly again. */
static void a_deleted_server_returns(void)
{
	struct scene *s = scene_new("");
	struct watch *watch = watch_start(s->w, &s->vs[0], &s->first[0]);

	for (int round = 0; round < 3; round++) {
		struct conn c = conn_to(s->w, CLIENT, &s->web[0], '1');
		int64_t from_us = now_us();

		manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 6);
		await(CHANGE_MS, watch_weight_at(watch, 0, from_us) > 0, "no weight 0 in round %d", round);
		scene_others(s, AF_INET, 20, '1');
		need(conn_echo(&c, 5000) == 0, "the connection was cut in round %d", round);
		conn_reset(&c);
		await(FORGET_MS + 5000, watch_gone_at(watch, from_us) > 0, "not deleted in round %d", round);
		need(watch_zero_before(watch, watch_gone_at(watch, from_us)) >= 8000, "deleted before its count was zero in round %d", round);
		if (round == 1)
			pause_ms(TRASH_S * 1000);
		from_us = now_us();
		manifest_slice(s->w, "web", AF_INET, WEB_PORTS, 7);
		await(CHANGE_MS, watch_weight_at(watch, 1, from_us) > 0, "it did not return in round %d", round);
	}
	check_note("a Service more takes %.0f ms", (double)time_to_add(s->w, 20) / 1e3);
}

/* Removing a lot slows what is added in the next minutes, but breaks nothing, and passes. */
static void a_mass_removal_is_survived(void)
{
	struct scene *s = scene_new("");
	struct prober *prober = prober_start(s->w, CLIENT, &s->web[0], 20);
	CLEANUP(free_p) char *path = xfmt("%s/mass.yaml", s->w->manifests);
	struct text t = { 0 };
	int64_t after_us, later_us;

	text_add(&t, "apiVersion: v1\nkind: Service\nmetadata: {name: mass}\nspec: {clusterIP: 203.0.113.30, ports: [{name: http, port: 80}]}\n");
	for (int slice = 0; slice < 4; slice++) {
		text_add(&t, "---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\nports: [" WEB_PORTS "]\n"
			     "metadata: {name: mass%d, labels: {kubernetes.io/service-name: mass}}\nendpoints:\n", slice);
		for (int i = 0; i < 500; i++)
			text_add(&t, "- {addresses: [198.18.%d.%d], conditions: {ready: true}}\n", slice * 2 + i / 250, i % 250 + 1);
	}
	write_text(path, t.s);
	await(30000, log_count(s->w, " rs-add vs=203.0.113.30") == 2000, "the many servers were not added");
	need(unlink(path) == 0, "remove: %s", strerror(errno));
	await(30000, log_count(s->w, " vs-del vs=203.0.113.30") == 1, "the Service with many servers did not go");
	after_us = time_to_add(s->w, 31);
	hold(TRASH_S * 1000, !prober->failed && !prober->refused, "a connection failed or was refused");
	later_us = time_to_add(s->w, 32);
	prober_stop(prober);
	check_note("a Service more took %.0f ms at once after it, %.0f ms three minutes later", (double)after_us / 1e3, (double)later_us / 1e3);
	text_fini(&t);
}

/* A server that goes and comes a thousand times under load, of a protocol that does not drain: deleted and added each time. The kernel's log
 * must stay clean (the harness looks at it), and every datagram is answered or lost in the moment of a change. */
#define ROUNDS 1000
static void a_thousand_rounds_under_load(void)
{
	struct world *w = world_new();
	struct server *servers[BACKENDS];
	struct target dns = target_vip(AF_INET, 53, 53);
	struct vs_key vs = vs_key_of("203.0.113.53:53/udp");
	struct rs_key first = backend_key(AF_INET, 1, UDP_PORT);
	struct prober *probers[3];
	unsigned served = 0, failed = 0;

	dns.via = VIA_UDP;
	servers_start(w, servers);
	manifest_service(w, "dns", "203.0.113.53", "{name: dns, port: 53, protocol: UDP, targetPort: 5353}");
	manifest_slice(w, "dns", AF_INET, "{name: dns, port: 5353, protocol: UDP}", 7);
	(void)daemon_start(w, "");
	await(START_MS, table_rs(w, &vs, &first).present, "not served");
	for (int i = 0; i < 3; i++)
		probers[i] = prober_start(w, i == 2 ? NODE : CLIENT, &dns, 10);
	for (int round = 0; round < ROUNDS; round++) {
		manifest_slice(w, "dns", AF_INET, "{name: dns, port: 5353, protocol: UDP}", 6);
		await(CHANGE_MS, !table_rs(w, &vs, &first).present, "not deleted in round %d", round);
		manifest_slice(w, "dns", AF_INET, "{name: dns, port: 5353, protocol: UDP}", 7);
		await(CHANGE_MS, table_rs(w, &vs, &first).present, "not added in round %d", round);
	}
	for (int i = 0; i < 3; i++) {
		prober_stop(probers[i]);
		served += prober_served(probers[i]);
		failed += probers[i]->failed + probers[i]->refused;
	}
	need(served > 1000 && failed <= served / 50, "%u datagrams were answered, %u were not", served, failed);
	check_note("%u datagrams answered, %u lost", served, failed);
}

static const struct check_test tests[] = {
	{ "an-orderly-close-is-waited-for", an_orderly_close_is_waited_for, 240 },
	{ "a-deleted-server-returns", a_deleted_server_returns, 420 },
	{ "a-thousand-rounds-under-load", a_thousand_rounds_under_load, 800 },
	{ "a-mass-removal-is-survived", a_mass_removal_is_survived, 420 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
