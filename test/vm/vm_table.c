/* The table as a whole on the real kernel: it agrees with ipvsadm, survives restarts and a take-over, is put right when
 * somebody changes it, and what is somebody else's is never touched. */
#include "scene.h"
#include "table.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define SERVED_TABLE_MS 20000

static char *all_weights(const char *weights)
{
	return web_table(10, weights, weights);
}

/* ---- what people are shown ---- */

/* The virtual and real servers of `status -o json`, each looked up in the kernel's own table; gives their number. */
static size_t same_as_kernel(const struct world *w, const json_t *status)
{
	const json_t *vs, *rs;
	size_t i, k, rows = 0;

	json_array_foreach(json_object_get(status, "virtualServers"), i, vs) {
		const char *ip = json_string_value(json_object_get(vs, "address")), *proto = json_string_value(json_object_get(vs, "protocol"));
		CLEANUP(free_p) char *key_text = xfmt(strchr(ip, ':') ? "[%s]:%lld/%s" : "%s:%lld/%s", ip,
						      (long long)json_integer_value(json_object_get(vs, "port")), proto);
		struct vs_key key = vs_key_of(key_text);

		need(table_has_vs(w, &key), "status shows %s, the kernel does not", key_text);
		rows++;
		json_array_foreach(json_object_get(vs, "realServers"), k, rs) {
			const char *address = json_string_value(json_object_get(rs, "address"));
			CLEANUP(free_p) char *rs_text = xfmt(strchr(address, ':') ? "[%s]:%lld" : "%s:%lld", address,
							     (long long)json_integer_value(json_object_get(rs, "port")));
			struct rs_key rs_key = rs_key_of(rs_text);
			struct table_rs seen = table_rs(w, &key, &rs_key);

			need(seen.present && seen.weight == json_integer_value(json_object_get(rs, "weight")),
			     "status shows %s of %s with another weight than the kernel (%d)", rs_text, key_text, seen.weight);
			rows++;
		}
	}
	return rows;
}

/* Rows of `ipvsadm -Ln`: virtual servers and real servers, its heads apart. */
static size_t ipvsadm_rows(const char *text)
{
	size_t n = 0;

	for (const char *line = text; *line; line = strchrnul(line, '\n'), line += *line != 0)
		n += strncmp(line, "TCP ", 4) == 0 || strncmp(line, "UDP ", 4) == 0 ||
		     (strncmp(line, "  -> ", 5) == 0 && line[5] != 'R');
	return n;
}

static void status_agrees_with_ipvsadm(void)
{
	struct scene *s = scene_new("");
	json_error_t error;
	size_t lines = 0;

	manifest_slice(s->w, "dns", AF_INET, "{name: dns, port: 5353, protocol: UDP}", 3);
	manifest_service(s->w, "dns", "203.0.113.53", "{name: dns, port: 53, protocol: UDP}");
	scene_backends(s, 6);
	await(CHANGE_MS, log_count(s->w, "serve vs=203.0.113.53:53/udp") == 1, "dns is not served");
	await(FORGET_MS + NOTICE_MS, log_count(s->w, "rs-del") == 2, "backend 1 was not deleted");
	CLEANUP(free_p) char *text = sluice_says(s->w, "status -o json"), *table = table_text(s->w), *shown = sluice_says(s->w, "status");
	CLEANUP(free_p) char *ipvsadm = world_output(s->w, NODE, "ipvsadm -Ln");
	json_t *status = json_loads(text, 0, &error);

	need(status, "status -o json: %s", error.text);
	for (const char *c = table; *c; c++)
		lines += *c == '\n';
	need(same_as_kernel(s->w, status) == lines, "status has not as many rows as the kernel's table:\n%s%s", text, table);
	need(ipvsadm_rows(ipvsadm) == lines && ipvsadm_rows(shown) == lines, "status and ipvsadm -Ln show different rows:\n%s%s", shown, ipvsadm);
	json_decref(status);
	free(sluice_says(s->w, "drains -o json"));
}

static void plan_of_an_unchanged_world_is_empty(void)
{
	struct scene *s = scene_new("");
	CLEANUP(free_p) char *command = xfmt("plan --manifests %s --hostname-override n1", s->w->manifests);
	CLEANUP(free_p) char *before = table_text(s->w), *plan = sluice_says(s->w, command);

	need(strstr(plan, "nothing to do"), "the plan is:\n%s", plan);
	daemon_end(s->daemon, SIGTERM); /* needs no daemon */
	scene_backends(s, 5);
	free(plan);
	plan = sluice_says(s->w, command);
	need(strstr(plan, "rs-zero") && strstr(plan, "192.0.2.12:8080") && !strstr(plan, "rs-add"), "the plan is:\n%s", plan);
	CLEANUP(free_p) char *after = table_text(s->w);

	need(strcmp(before, after) == 0, "planning changed the table");
}

/* ---- restarts ---- */

static size_t operations(const struct world *w)
{
	static const char *const words[] = { "guard ", "addr-", "vs-", " serve ", "unserve ", "rs-", "sysctl key=" };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		n += log_count(w, words[i]);
	return n;
}

static void a_restart_writes_nothing(void)
{
	struct scene *s = scene_new("--ipvs-sync-period 2s");
	struct stream *stream = stream_start(conn_must(s->w, CLIENT, &s->web[0]), 20);
	struct prober *prober = prober_start(s->w, CLIENT, &s->web[1], 20);
	CLEANUP(free_p) char *before = all_weights("111");

	for (int i = 0; i < 3; i++) {
		size_t n = operations(s->w);

		daemon_end(s->daemon, i == 1 ? SIGKILL : SIGTERM);
		daemon_restart(s->daemon);
		await(30000, log_count(s->w, "start version") == (size_t)i + 2, "it did not start again");
		await(30000, world_run(s->w, NODE, "%s status --run-dir %s 2>/dev/null | grep -q '6 real servers'", sluice_path(), s->w->run_dir) == 0,
		      "it does not know its table after a restart");
		hold(3000, operations(s->w) == n, "a restart on an unchanged world did something");
		await_table(s->w, 100, before);
	}
	prober_stop(prober);
	need(atomic_load(&prober->failed) == 0 && atomic_load(&prober->refused) == 0, "%u connections failed, %u were refused over restarts",
	     atomic_load(&prober->failed), atomic_load(&prober->refused));
	stream_check(stream, "after three restarts");
	check_note("%u connections, none failed", atomic_load(&prober->tried));
}

/* The table as kube-proxy leaves it: its device, an address, a virtual server, real servers. */
static const char taken_over[] =
	"modprobe -q ip_vs; ip link add kube-ipvs0 type dummy && ip addr add 203.0.113.10/32 dev kube-ipvs0 && ip addr add 2001:db8:2::10/128 dev kube-ipvs0 nodad && "
	"sysctl -qw net.ipv4.vs.conntrack=1 net.ipv4.vs.expire_nodest_conn=1 && ipvsadm -R <<X\n"
	"-A -t 203.0.113.10:80 -s rr\n-a -t 203.0.113.10:80 -r 192.0.2.11:8080 -m\n-a -t 203.0.113.10:80 -r 192.0.2.12:8080 -m\n"
	"-a -t 203.0.113.10:80 -r 192.0.2.13:8080 -m\n"
	"-A -t [2001:db8:2::10]:80 -s rr\n-a -t [2001:db8:2::10]:80 -r [2001:db8:1::11]:8080 -m\n"
	"-a -t [2001:db8:2::10]:80 -r [2001:db8:1::12]:8080 -m\n-a -t [2001:db8:2::10]:80 -r [2001:db8:1::13]:8080 -m\nX\n";

static void a_take_over_cuts_and_refuses_nothing(void)
{
	struct scene *s = scene_quiet();
	CLEANUP(free_p) char *table = all_weights("111");
	struct stream *streams[2];
	struct prober *probers[2];

	world_must(s->w, NODE, "%s", taken_over);
	for (int i = 0; i < 2; i++) {
		streams[i] = stream_start(conn_must(s->w, CLIENT, &s->web[i]), 20);
		probers[i] = prober_start(s->w, CLIENT, &s->web[i], 20);
	}
	s->daemon = daemon_start(s->w, "");
	await(SERVED_TABLE_MS, log_count(s->w, "took over 2 virtual servers") == 1, "nothing was taken over");
	hold(3000, log_count(s->w, " rs-") == 0 && log_count(s->w, " vs-") == 0, "the take-over changed servers");
	await_table(s->w, 100, table);
	scene_await_served(s);
	for (int i = 0; i < 2; i++) {
		prober_stop(probers[i]);
		need(atomic_load(&probers[i]->failed) == 0 && atomic_load(&probers[i]->refused) == 0, "%u connections failed, %u were refused",
		     atomic_load(&probers[i]->failed), atomic_load(&probers[i]->refused));
		stream_check(streams[i], "after the take-over");
	}
	need(world_run(s->w, NODE, "nft list set inet sluice cluster-ip | grep -q '203.0.113.10 . tcp . 80'") == 0, "the key is not served");
}

/* ---- others ---- */

static const char others[] = "ip addr add 203.0.113.99/32 dev lo && ipvsadm -R <<X\n"
			     "-A -t 203.0.113.99:80 -s wlc\n-a -t 203.0.113.99:80 -r 192.0.2.13:8080 -m -w 3\n"
			     "-A -t 203.0.113.10:8443 -s sh\n-a -t 203.0.113.10:8443 -r 192.0.2.13:8080 -m -w 5\n"
			     "-A -f 7 -s wlc\n-a -f 7 -r 192.0.2.11 -m\nX\n";

/* What of the kernel's table is not ours, as text. */
static char *foreign_rows(const struct world *w)
{
	return world_output(w, NODE, "ipvsadm -Sn | grep -E -- '-[at] 203.0.113.(99|10:8443)|-f 7' | sort");
}

static void others_are_left_alone(bool first)
{
	struct scene *s = scene_quiet();
	struct target theirs = { world_ip("203.0.113.10"), 8443, VIA_TCP };
	struct prober *prober;
	char *before, *after;
	struct conn c;

	if (first)
		world_must(s->w, NODE, "%s", others);
	s->daemon = daemon_start(s->w, "--ipvs-sync-period 1s");
	scene_await_served(s);
	if (!first)
		world_must(s->w, NODE, "%s", others);
	before = foreign_rows(s->w);
	/* Our guard does not cut their virtual server on our address off, once it was seen. */
	await(6000, conn_open(s->w, CLIENT, &theirs, 0, 1000, &c) == 0, "their server on our address cannot be reached");
	need(c.who == '3', "their server is %c", c.who);
	conn_reset(&c);
	daemon_end(s->daemon, SIGTERM);
	daemon_restart(s->daemon);
	await(30000, log_count(s->w, "start version") == 2, "it did not start again");
	hold(3000, daemon_lives(s->daemon), "it ended");
	manifest_remove(s->w, "web.yaml"); /* our Service goes from that address; theirs stays, and so does the address */
	prober = prober_start(s->w, CLIENT, &theirs, 50);
	await(FORGET_MS + NOTICE_MS, log_count(s->w, "vs-del") == 2, "our virtual servers did not go");
	pause_ms(12000); /* longer than the address would linger */
	prober_stop(prober);
	need(atomic_load(&prober->served[3]) == atomic_load(&prober->tried), "%u of %u connections reached their server on our address",
	     atomic_load(&prober->served[3]), atomic_load(&prober->tried));
	after = foreign_rows(s->w);
	need(strcmp(before, after) == 0, "what is theirs was changed:\n%swas:\n%s", after, before);
	need(log_count(s->w, "8443") <= 3, "their virtual server was acted on");
}

static void others_that_were_first(void)
{
	others_are_left_alone(true);
}

static void others_that_came_later(void)
{
	others_are_left_alone(false);
}

static void a_foreign_server_under_our_key_is_reported(void)
{
	struct scene *s = scene_new("--ipvs-sync-period 1s");

	world_must(s->w, NODE, "ip addr add 203.0.113.77/32 dev lo; ipvsadm -A -t 203.0.113.77:80 -s sed; ipvsadm -a -t 203.0.113.77:80 -r 192.0.2.13:8080 -m -w 9");
	pause_ms(1500); /* so that it is there before the Service */
	manifest_service(s->w, "late", "203.0.113.77", "{name: http, port: 80}");
	manifest_slice(s->w, "late", AF_INET, WEB_PORTS, 1);
	await(CHANGE_MS, log_count(s->w, "203.0.113.77:80/tcp is somebody else's") == 1, "the conflict is not reported");
	CLEANUP(free_p) char *status = sluice_says(s->w, "status"), *table = table_text(s->w);

	need(strstr(status, "foreign") && strstr(status, "somebody else's"), "status does not show it:\n%s", status);
	need(strstr(table, "TCP 203.0.113.77:80 sed\n  192.0.2.13:8080 9\n"), "it was changed:\n%s", table);
	world_must(s->w, NODE, "ipvsadm -D -t 203.0.113.77:80"); /* the way is free */
	await(8000, (free(status), status = table_text(s->w), strstr(status, "TCP 203.0.113.77:80 rr\n  192.0.2.11:8080 1\n")),
	      "the Service was not served once the other was gone");
}

/* ---- drift ---- */

static bool filter_is_whole(const struct world *w)
{
	return world_run(w, NODE, "nft list table inet sluice 2>/dev/null | grep -q '203.0.113.10 . tcp . 80'") == 0;
}

static bool is_bound(const struct world *w)
{
	return world_run(w, NODE, "ip -o addr show dev kube-ipvs0 2>/dev/null | grep -q 203.0.113.10/32 && "
				  "ip -o addr show dev kube-ipvs0 | grep -q 2001:db8:2::10/128") == 0;
}

static void what_somebody_changed_is_put_right(void)
{
	static const char *const table_hands[] = {
		"ipvsadm -C",
		"ipvsadm -e -t 203.0.113.10:80 -r 192.0.2.11:8080 -m -w 7",
		"ipvsadm -e -t 203.0.113.10:80 -r 192.0.2.11:8080 -m -w 0",
		"ipvsadm -d -t 203.0.113.10:80 -r 192.0.2.12:8080",
		"ipvsadm -E -t 203.0.113.10:80 -s wlc",
		"ipvsadm -D -t [2001:db8:2::10]:80",
		"ipvsadm -a -t 203.0.113.10:80 -r 192.0.2.99:8080 -m",
	};
	struct scene *s = scene_new("--ipvs-sync-period 2s");
	CLEANUP(free_p) char *table = all_weights("111");

	for (size_t i = 0; i < ARRAY_SIZE(table_hands); i++) {
		int64_t began = now_us();

		world_must(s->w, NODE, "%s", table_hands[i]);
		await_table(s->w, 8000, table);
		check_note("%s: right again after %.1f s", table_hands[i], (double)(now_us() - began) / 1e6);
	}
	scene_await_served(s);
}

static void notified_changes_are_put_right_soon(void)
{
	struct scene *s = scene_new("--ipvs-sync-period 60s"); /* so that only a notification can be the reason */

	world_must(s->w, NODE, "ip addr flush dev kube-ipvs0");
	await(3000, is_bound(s->w), "the addresses are not back");
	world_must(s->w, NODE, "ip addr del 203.0.113.10/32 dev kube-ipvs0");
	await(3000, is_bound(s->w), "the address is not back");
	world_must(s->w, NODE, "ip link del kube-ipvs0");
	await(4000, is_bound(s->w), "the device is not back");
	world_must(s->w, NODE, "nft flush ruleset");
	await(3000, filter_is_whole(s->w), "the filter is not back");
	world_must(s->w, NODE, "nft flush set inet sluice cluster-ip");
	await(3000, filter_is_whole(s->w), "the served keys are not back");
	world_must(s->w, NODE, "nft flush chain inet sluice ipvs-filter");
	await(3000, world_run(s->w, NODE, "nft list chain inet sluice ipvs-filter | grep -q ipvs-ips-v6") == 0, "the rules are not back");
	scene_await_served(s);
}

static void live_connections_survive_a_repair(void)
{
	struct scene *s = scene_new("--ipvs-sync-period 60s");
	struct stream *stream = stream_start(conn_must(s->w, CLIENT, &s->web[0]), 20);

	world_must(s->w, NODE, "nft flush ruleset");
	await(3000, filter_is_whole(s->w), "the filter is not back");
	stream_check(stream, "after the filter was flushed");
	world_must(s->w, NODE, "ipvsadm -e -t 203.0.113.10:80 -r 192.0.2.11:8080 -m -w 4; ipvsadm -e -t 203.0.113.10:80 -r 192.0.2.12:8080 -m -w 4; "
			       "ipvsadm -e -t 203.0.113.10:80 -r 192.0.2.13:8080 -m -w 4");
	stream_check(stream, "after weights were changed by hand");
}

/* ---- two of them ---- */

static void a_second_sluice_is_refused(void)
{
	struct scene *s = scene_new("");
	CLEANUP(free_p) char *table = all_weights("111");
	char *said;

	world_must(s->w, NODE, "mkdir -p %s/other", s->w->dir);
	said = world_output(s->w, NODE, "timeout 20 %s run --manifests %s/other --run-dir %s/run2 2>&1; echo status=$?", sluice_path(), s->w->dir,
			    s->w->dir);
	need(strstr(said, "another sluice is running") && strstr(said, "status=1"), "with another run directory it said:\n%s", said);
	world_must(s->w, NODE, "rm -rf %s/other; mkdir %s/other; rm -rf %s", s->w->dir, s->w->dir, s->w->run_dir);
	said = world_output(s->w, NODE, "timeout 20 %s run --manifests %s/other --run-dir %s 2>&1; echo status=$?", sluice_path(), s->w->dir,
			    s->w->run_dir);
	need(strstr(said, "another sluice is running") && strstr(said, "status=1"), "with its run directory removed it said:\n%s", said);
	await_table(s->w, 100, table);
	scene_await_served(s);
}

static void a_foreign_device_refuses_the_start(void)
{
	struct scene *s = scene_quiet();
	char *said;

	world_must(s->w, NODE, "modprobe -q ip_vs; ip link add kube-ipvs0 type bridge");
	said = world_output(s->w, NODE, "timeout 20 %s run --manifests %s --run-dir %s 2>&1; echo status=$?; sysctl -n net.ipv4.vs.conntrack",
			    sluice_path(), s->w->manifests, s->w->run_dir);
	need(strstr(said, "kube-ipvs0 exists but is no dummy") && strstr(said, "status=1\n0"), "it said:\n%s", said);
}

/* ---- other devices ---- */

/* A port of the node is tried through the service address: refused for as long as the address is local anywhere. */
static void a_renamed_device_opens_nothing(void)
{
	struct scene *s = scene_new("");
	struct server *host = server_start(s->w, NODE, 22222, 0);
	struct target behind[2] = { target_vip(AF_INET, 10, 22222), target_vip(AF_INET6, 10, 22222) };
	struct prober *probers[2] = { prober_start(s->w, CLIENT, &behind[0], 5), prober_start(s->w, CLIENT, &behind[1], 5) };
	char *said;

	world_must(s->w, NODE, "ip link set kube-ipvs0 name old0");
	await(START_MS, log_count(s->w, " addr-add ") == 4, "the addresses are not bound again");
	scene_await_served(s);
	manifest_remove(s->w, "web.yaml");
	await(START_MS, log_count(s->w, "unguard address=") >= 2, "the end of the linger does not come");
	for (int i = 0; i < 2; i++) {
		prober_turn(probers[i]);
		prober_stop(probers[i]);
		need(!probers[i]->served[0] && probers[i]->refused > 20 && !prober_served(probers[i]), "a port of the node was open: %u times", prober_served(probers[i]));
	}
	need(atomic_load(&host->accepted) == 0, "the node's server got connections");
	need(log_count(s->w, "another dummy device") >= 2, "the log does not say why");
	world_must(s->w, NODE, "ip link del old0");
	await(START_MS, log_count(s->w, "info  unguard address=203.0.113.10") == 1, "it is not unguarded when the old device is gone");
	daemon_end(s->daemon, SIGTERM);
	said = world_output(s->w, NODE, "timeout 20 %s run --manifests %s --run-dir %s --ipvs-device other0 2>&1; echo status=$?", sluice_path(), s->w->manifests,
			    s->w->run_dir);
	need(strstr(said, "ip link set kube-ipvs0 name other0") && strstr(said, "status=1"), "it said:\n%s", said);
	world_must(s->w, NODE, "ip link set kube-ipvs0 name other0");
	free(s->daemon->options);
	s->daemon->options = xstrdup("--ipvs-device other0");
	manifest_web(s->w, 10);
	daemon_restart(s->daemon);
	scene_await_served(s);
}

/* ---- a first list that cannot be read whole ---- */

static void a_broken_file_at_the_start_holds_removals(void)
{
	struct scene *s = scene_quiet();
	CLEANUP(free_p) char *broken = xfmt("%s/broken.yaml", s->w->manifests), *two = all_weights("11-"), *three = all_weights("111");

	world_must(s->w, NODE, "%s", taken_over);
	scene_backends(s, 3);
	write_text(broken, "kind: Service\n  bad: [\n");
	s->daemon = daemon_start(s->w, "");
	scene_await_served(s);
	await(CHANGE_MS, log_count(s->w, "broken.yaml:2") == 1, "the file is not reported with its line");
	hold(3000, log_count(s->w, "rs-zero") == 0, "something was taken out of service");
	await_table(s->w, 100, three);
	write_text(broken, "");
	await_table(s->w, FORGET_MS + NOTICE_MS, two); /* what is left of the connection that scene_await_served() reset */
}

static const struct check_test tests[] = {
	{ "status-agrees-with-ipvsadm", status_agrees_with_ipvsadm, 0 },
	{ "plan-of-an-unchanged-world-is-empty", plan_of_an_unchanged_world_is_empty, 0 },
	{ "a-restart-writes-nothing", a_restart_writes_nothing, 0 },
	{ "a-take-over-cuts-and-refuses-nothing", a_take_over_cuts_and_refuses_nothing, 0 },
	{ "others-that-were-first", others_that_were_first, 0 },
	{ "others-that-came-later", others_that_came_later, 0 },
	{ "a-foreign-server-under-our-key-is-reported", a_foreign_server_under_our_key_is_reported, 0 },
	{ "what-somebody-changed-is-put-right", what_somebody_changed_is_put_right, 0 },
	{ "notified-changes-are-put-right-soon", notified_changes_are_put_right_soon, 0 },
	{ "live-connections-survive-a-repair", live_connections_survive_a_repair, 0 },
	{ "a-second-sluice-is-refused", a_second_sluice_is_refused, 0 },
	{ "a-foreign-device-refuses-the-start", a_foreign_device_refuses_the_start, 0 },
	{ "a-renamed-device-opens-nothing", a_renamed_device_opens_nothing, 0 },
	{ "a-broken-file-at-the-start-holds-removals", a_broken_file_at_the_start_holds_removals, 0 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
