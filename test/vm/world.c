/* Builds the namespaces of a test and moves threads and commands into them. Knows nothing of what is tested. */
#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>

static int here(void)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	need(fd >= 0, "open own namespace: %s", strerror(errno));
	return fd;
}

static void enter(int ns)
{
	need(setns(ns, CLONE_NEWNET) == 0, "setns: %s", strerror(errno));
}

void world_enter(const struct world *w, enum place place)
{
	enter(w->ns[place]);
}

int world_socket(const struct world *w, enum place place, int family, int type)
{
	return world_socket_of(w, place, family, type, 0);
}

int world_socket_of(const struct world *w, enum place place, int family, int type, int protocol)
{
	int back = here(), fd;

	enter(w->ns[place]);
	fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	need(fd >= 0, "socket: %s", strerror(errno));
	enter(back);
	(void)close(back);
	return fd;
}

int world_proc_net(const struct world *w, enum place place, const char *name)
{
	CLEANUP(free_p) char *path = xfmt("/proc/thread-self/net/%s", name);
	int back = here(), fd;

	enter(w->ns[place]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	enter(back);
	(void)close(back);
	return fd;
}

char *world_sysctl(const struct world *w, enum place place, const char *key)
{
	CLEANUP(free_p) char *path = xfmt("/proc/sys/%s", key);
	int back = here();
	char *text;

	enter(w->ns[place]);
	text = read_text(path);
	enter(back);
	(void)close(back);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* The child's side: standard output to out, the shell does the rest. */
static void command(const struct world *w, enum place place, int out, const char *line)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setns(w->ns[place], CLONE_NEWNET) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(126);
	(void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	_exit(127);
}

static int run_line(const struct world *w, enum place place, const char *line, struct text *ret)
{
	char part[4096];
	int ends[2], status = -1;
	ssize_t n;
	pid_t pid;

	need(pipe2(ends, O_CLOEXEC) == 0, "pipe: %s", strerror(errno));
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (pid == 0)
		command(w, place, ret ? ends[1] : STDERR_FILENO, line);
	(void)close(ends[1]);
	while ((n = read(ends[0], part, sizeof(part))) > 0)
		text_add_bytes(ret, part, (size_t)n);
	(void)close(ends[0]);
	need(waitpid(pid, &status, 0) == pid, "wait: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *line_of(const char *fmt, va_list ap) PRINTF(1, 0);
static char *line_of(const char *fmt, va_list ap)
{
	char *line = NULL;

	need(vasprintf(&line, fmt, ap) >= 0, "no memory");
	return line;
}

int world_run(const struct world *w, enum place place, const char *fmt, ...)
{
	CLEANUP(free_p) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = line_of(fmt, ap);
	va_end(ap);
	return run_line(w, place, line, NULL);
}

void world_must(const struct world *w, enum place place, const char *fmt, ...)
{
	CLEANUP(free_p) char *line = NULL;
	va_list ap;
	int status;

	va_start(ap, fmt);
	line = line_of(fmt, ap);
	va_end(ap);
	status = run_line(w, place, line, NULL);
	need(status == 0, "\"%.200s\" ended with %d", line, status);
}

char *world_output(const struct world *w, enum place place, const char *fmt, ...)
{
	CLEANUP(free_p) char *line = NULL;
	struct text text = { 0 };
	va_list ap;
	int status;

	va_start(ap, fmt);
	line = line_of(fmt, ap);
	va_end(ap);
	text_add(&text, "%s", "");
	status = run_line(w, place, line, &text);
	need(status == 0, "\"%.200s\" ended with %d", line, status);
	return text.s;
}

struct ip world_ip(const char *text)
{
	struct ip ip;

	need(ip_parse(text, &ip) == 0, "no address: %s", text);
	return ip;
}

struct ip world_vip(int family, int n)
{
	CLEANUP(free_p) char *text = xfmt(family == AF_INET ? "203.0.113.%d" : "2001:db8:2::%d", n);

	return world_ip(text);
}

struct ip world_address(enum place place, int family)
{
	static const char *const v4[] = { "198.51.100.90", "198.51.100.1", "192.0.2.11", "192.0.2.12", "192.0.2.13" };
	static const char *const v6[] = { "2001:db8:3::90", "2001:db8:3::1", "2001:db8:1::11", "2001:db8:1::12", "2001:db8:1::13" };

	return world_ip(family == AF_INET ? v4[place] : v6[place]);
}

static void set_sysctl(const char *key, const char *value)
{
	CLEANUP(free_p) char *path = xfmt("/proc/sys/net/%s", key);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	need(fd >= 0 && write(fd, value, strlen(value)) > 0, "%s: %s", path, strerror(errno));
	(void)close(fd);
}

/* The calling thread goes on in the new namespace. No address waits for duplicate detection. */
static int new_namespace(bool forwards)
{
	need(unshare(CLONE_NEWNET) == 0, "new network namespace: %s (needs root)", strerror(errno));
	set_sysctl("ipv6/conf/default/accept_dad", "0");
	set_sysctl("ipv6/conf/default/accept_ra", "0");
	if (forwards) {
		set_sysctl("ipv4/ip_forward", "1");
		set_sysctl("ipv6/conf/all/forwarding", "1");
	}
	return here();
}

/* One `ip -batch` in a namespace; pass is a namespace that its lines call /proc/self/fd/N. */
static void batch(const struct world *w, enum place place, const char *lines)
{
	CLEANUP(free_p) char *path = xfmt("%s/batch-%d", w->dir, place);

	write_text(path, lines);
	world_must(w, place, "exec ip -batch %s", path);
}

static void inherit(int fd, bool yes)
{
	(void)fcntl(fd, F_SETFD, yes ? 0 : FD_CLOEXEC);
}

/* The backends are routed, each on a link of its own, as pods are: what they answer passes the node always. */
static void lay_node(const struct world *w)
{
	struct text t = { 0 };

	text_add(&t, "link set lo up\n");
	for (int i = CLIENT; i < PLACES; i++) {
		if (i == NODE)
			continue;
		text_add(&t, "link add c%d type veth peer name eth0 netns /proc/self/fd/%d\n", i, w->ns[i]);
		inherit(w->ns[i], true);
	}
	text_add(&t, "addr add 198.51.100.1/24 dev c%d\naddr add 2001:db8:3::1/64 dev c%d nodad\nlink set c%d up\n", CLIENT, CLIENT, CLIENT);
	for (int i = BACKEND1; i < PLACES; i++) {
		text_add(&t, "addr add 192.0.2.1/32 dev c%d\naddr add 2001:db8:1::1/128 dev c%d nodad\nlink set c%d up\n", i, i, i);
		text_add(&t, "route add 192.0.2.%d dev c%d src 192.0.2.1\n", 11 + i - BACKEND1, i);
		text_add(&t, "route add 2001:db8:1::%d dev c%d\n", 11 + i - BACKEND1, i);
	}
	batch(w, NODE, t.s);
	for (int i = CLIENT; i < PLACES; i++)
		inherit(w->ns[i], false);
	text_fini(&t);
}

static void lay_client(const struct world *w)
{
	batch(w, CLIENT,
	      "link set lo up\naddr add 198.51.100.90/24 dev eth0\naddr add 2001:db8:3::90/64 dev eth0 nodad\nlink set eth0 up\n"
	      "route add 203.0.113.0/24 via 198.51.100.1\nroute add 192.0.2.0/24 via 198.51.100.1\n"
	      "route add 2001:db8:2::/64 via 2001:db8:3::1\nroute add 2001:db8:1::/64 via 2001:db8:3::1\n");
}

static void lay_backend(const struct world *w, enum place place)
{
	CLEANUP(free_p) char *lines = xfmt(
		"link set lo up\naddr add 192.0.2.%d/32 dev eth0\naddr add 2001:db8:1::%d/128 dev eth0 nodad\nlink set eth0 up\n"
		"route add default via 192.0.2.1 dev eth0 onlink\nroute add ::/0 via 2001:db8:1::1 dev eth0 onlink\n",
		11 + place - BACKEND1, 11 + place - BACKEND1);

	batch(w, place, lines);
}

struct world *world_new(void)
{
	struct world *w = xzalloc(sizeof(*w));
	int back = here();

	(void)snprintf(w->dir, sizeof(w->dir), "%s", check_dir);
	(void)snprintf(w->manifests, sizeof(w->manifests), "%s/manifests", w->dir);
	(void)snprintf(w->run_dir, sizeof(w->run_dir), "%s/run", w->dir);
	need(mkdir(w->manifests, 0755) == 0, "mkdir: %s", strerror(errno));
	for (int i = 0; i < PLACES; i++)
		w->ns[i] = new_namespace(i == NODE);
	enter(back);
	(void)close(back);
	lay_node(w);
	lay_client(w);
	for (int i = BACKEND1; i < PLACES; i++)
		lay_backend(w, i);
	return w;
}
