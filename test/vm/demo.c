/* What `make run` shows: sluice at work in a small world, told in plain words. Everything said is checked; what differs ends it with status 1. */
#include "client.h"
#include "daemon.h"
#include "server.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define NEW_CONNECTIONS 20
#define READ_MS 4000 /* for a person to read */

static int64_t began_us;

static void say(const char *fmt, ...) PRINTF(1, 2);
static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vprintf(fmt, ap);
	va_end(ap);
	(void)printf("\n");
	(void)fflush(stdout);
}

static void step(const char *text)
{
	if (now_us() - began_us > 1000000)
		pause_ms(READ_MS);
	say("\n%s[%2d s] %s%s", isatty(STDOUT_FILENO) ? "\033[1m" : "", (int)((now_us() - began_us) / 1000000), text,
	    isatty(STDOUT_FILENO) ? "\033[0m" : "");
}

static void show(const struct world *w, const char *command)
{
	CLEANUP(free_p) char *text = sluice_says(w, command);
	char *save = NULL;

	say("\n    $ sluice %s", command);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		say("    %s", line);
}

static void copy_examples(const struct world *w)
{
	static const char *const names[] = { "web.yaml", "dns.yaml" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		CLEANUP(free_p) char *from = xfmt("examples/%s", names[i]), *to = xfmt("%s/%s", w->manifests, names[i]);
		CLEANUP(free_p) char *text = read_text(from);

		need(*text, "%s is not there: run this in the project's directory", from);
		write_text(to, text);
	}
}

/* Takes the second backend out of the manifest: both its addresses, each with the line of conditions below. */
static void remove_second_backend(const struct world *w)
{
	CLEANUP(free_p) char *path = xfmt("%s/web.yaml", w->manifests), *text = read_text(path);
	struct text out = { 0 };
	bool skip = false;
	int removed = 0;

	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		if (strstr(line, "192.0.2.12]") || strstr(line, "2001:db8:1::12\"")) {
			skip = true;
			removed++;
			continue;
		}
		if (!skip)
			text_add(&out, "%s\n", line);
		skip = false;
	}
	need(removed == 2, "the second backend is not in %s as expected", path);
	write_text(path, text_str(&out));
	text_fini(&out);
}

static void count_new(const struct world *w, const struct target *to, const char *what, bool second_too)
{
	unsigned served[4] = { 0 };

	for (int i = 0; i < NEW_CONNECTIONS; i++) {
		struct conn c = conn_must(w, CLIENT, to);

		served[c.who >= '1' && c.who <= '3' ? c.who - '0' : 0]++;
		conn_reset(&c);
	}
	say("    %d new connections over %s: backend 1 has %u, backend 2 has %u, backend 3 has %u.", NEW_CONNECTIONS, what, served[1], served[2],
	    served[3]);
	need(!served[0] && (served[2] > 0) == second_too, "backend 2 was %s to serve new connections over %s", second_too ? "expected" : "not expected", what);
}

static void await_weight(const struct world *w, int family, bool present)
{
	struct vs_key vs = vs_key_of(family == AF_INET ? "203.0.113.10:80/tcp" : "[2001:db8:2::10]:80/tcp");
	struct rs_key rs = backend_key(family, 2, TCP_PORT);

	if (present)
		await(5000, table_rs(w, &vs, &rs).present && table_rs(w, &vs, &rs).weight == 0, "backend 2 did not get weight 0 within 5 s");
	else
		await(20000, !table_rs(w, &vs, &rs).present, "backend 2 was not deleted within 20 s of its last connection");
}

static void stay(const struct world *w)
{
	int status;
	pid_t pid;

	say("\nThis is the node. Try: sluice status --watch   sluice drains   ipvsadm -Ln   nft list ruleset\n"
	    "The manifests are in %s (edit them), the control socket in %s. `exit` ends it all.\n", w->manifests, w->run_dir);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (pid == 0) {
		CLEANUP(free_p) char *path = xfmt("%.*s:%s", (int)(strrchr(sluice_path(), '/') - sluice_path()), sluice_path(), getenv("PATH"));

		world_enter(w, NODE);
		(void)setenv("PATH", path, 1);
		need(symlink(w->run_dir, "/run/sluice") == 0 || errno == EEXIST, "link /run/sluice: %s", strerror(errno)); /* where the commands look */
		(void)execlp("bash", "bash", "--norc", (char *)NULL);
		_exit(127);
	}
	(void)waitpid(pid, &status, 0);
}

static void watch_it_drain(const struct world *w)
{
	struct target web = target_vip(AF_INET, 10, 80), web6 = target_vip(AF_INET6, 10, 80);
	struct conn held, held6;

	step("The client spreads its connections over three backends.");
	count_new(w, &web, "IPv4", true);
	count_new(w, &web6, "IPv6", true);
	held = conn_to(w, CLIENT, &web, '2');
	held6 = conn_to(w, CLIENT, &web6, '2');
	say("    It keeps one connection over each family open. Both are on backend 2, and bytes go back and forth.");
	need(conn_echo(&held, 5000) == 0 && conn_echo(&held6, 5000) == 0, "the held connections do not echo");

	step("Backend 2 is removed from the manifest (its two addresses in web.yaml).");
	remove_second_backend(w);
	await_weight(w, AF_INET, true);
	await_weight(w, AF_INET6, true);
	say("    It is still there, at weight 0: nothing new goes to it, but it has connections, so it is not deleted.");
	pause_ms(1200);
	show(w, "status default/web");
	show(w, "drains --holders");
	count_new(w, &web, "IPv4", false);
	count_new(w, &web6, "IPv6", false);
	need(conn_echo(&held, 5000) == 0 && conn_echo(&held6, 5000) == 0, "a held connection was cut by the drain");
	say("    And the two held connections go on: bytes still come back from backend 2.");

	step("The drain goes on for as long as the connections do.");
	show(w, "drains");
	need(conn_echo(&held, 5000) == 0 && conn_echo(&held6, 5000) == 0, "a held connection was cut by the drain");

	step("The client closes both, by RST.");
	say("    The kernel forgets a connection 10 s after a reset (after an orderly close it would be 120 s: TIME_WAIT).\n"
	    "    sluice believes the kernel's own counters only: it waits for zero, twice.");
	conn_reset(&held);
	conn_reset(&held6);
	await_weight(w, AF_INET, false);
	await_weight(w, AF_INET6, false);
	step("Zero: backend 2 is gone.");
	show(w, "status default/web");
	show(w, "drains");
}

int main(void)
{
	char dir[] = "/tmp/sluice-demo.XXXXXX";
	struct server *servers[BACKENDS];
	struct daemon *daemon;
	struct world *w;
	CLEANUP(free_p) char *log = NULL;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	need(mkdtemp(dir), "mkdtemp: %s", strerror(errno));
	check_dir = dir;
	began_us = now_us();
	say("A small world in network namespaces of its own:\n\n"
	    "    client 198.51.100.90 ───── node 198.51.100.1 ───── backend 1  192.0.2.11  2001:db8:1::11\n"
	    "           2001:db8:3::90           2001:db8:3::1  ├── backend 2  192.0.2.12  2001:db8:1::12\n"
	    "                                                   └── backend 3  192.0.2.13  2001:db8:1::13");
	w = world_new();
	servers_start(w, servers);
	copy_examples(w);
	began_us = now_us();

	step("sluice starts on the node, on a copy of examples/: the Service default/web at 203.0.113.10 and 2001:db8:2::10, and a name server.");
	daemon = daemon_start(w, "");
	await(20000, log_count(w, "serve vs=") >= 4, "sluice did not serve all four virtual servers within 20 s");
	show(w, "status");

	watch_it_drain(w);

	if (getenv("STAY") && *getenv("STAY"))
		stay(w);
	step("sluice is stopped. The kernel's state stays as it is, and traffic goes on:");
	daemon_end(daemon, SIGTERM);
	count_new(w, &(struct target){ world_vip(AF_INET, 10), 80, VIA_TCP }, "IPv4", false);
	say("\nThat was it: a backend left, and no connection was cut. What sluice logged of it:\n");
	log = daemon_log(w);
	for (char *save = NULL, *line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (strstr(line, " rs-zero ") || strstr(line, " rs-del "))
			say("    %s", line);
	(void)world_run(w, NODE, "rm -rf %s", dir);
	return 0;
}
