/* Starts and ends sluice and writes what it reads. Judges nothing. */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define LOG_SHOWN 60 /* lines of a log in the report of a failure */

static const struct world *explained;

void manifest_annotated(const struct world *w, const char *name, const char *annotations, const char *addresses, const char *ports)
{
	CLEANUP(free_p) char *path = xfmt("%s/%s.yaml", w->manifests, name);
	CLEANUP(free_p) char *text = xfmt(
		"apiVersion: v1\nkind: Service\nmetadata: {name: %s, namespace: default, annotations: %s}\n"
		"spec:\n  clusterIPs: [%s]\n  ports: [%s]\n", name, annotations, addresses, ports);

	write_text(path, text);
}

void manifest_service(const struct world *w, const char *name, const char *addresses, const char *ports)
{
	manifest_annotated(w, name, "{}", addresses, ports);
}

void manifest_slice(const struct world *w, const char *name, int family, const char *ports, unsigned backends)
{
	manifest_pods(w, name, family, ports, backends, NULL);
}

void manifest_pods(const struct world *w, const char *name, int family, const char *ports, unsigned backends, const char *uid)
{
	const char *word = family == AF_INET ? "IPv4" : "IPv6";
	CLEANUP(free_p) char *path = xfmt("%s/%s-%s.yaml", w->manifests, name, word);
	char ip[IP_TEXT];
	struct text t = { 0 };

	text_add(&t, "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\n"
		     "metadata: {name: %s-%s, namespace: default, labels: {kubernetes.io/service-name: %s}}\n"
		     "addressType: %s\nports: [%s]\nendpoints:%s\n",
		 name, family == AF_INET ? "v4" : "v6", name, word, ports, backends ? "" : " []");
	for (int i = 0; i < BACKENDS; i++)
		if (backends & 1u << i) {
			struct ip address = world_address(BACKEND1 + i, family);

			text_add(&t, "- {addresses: [\"%s\"], conditions: {ready: true}", ip_format(&address, ip));
			if (uid)
				text_add(&t, ", targetRef: {kind: Pod, name: pod-%d, namespace: default, uid: %s-%d}", i + 1, uid, i + 1);
			text_add(&t, "}\n");
		}
	write_text(path, t.s);
	text_fini(&t);
}

void manifest_remove(const struct world *w, const char *file)
{
	CLEANUP(free_p) char *path = xfmt("%s/%s", w->manifests, file);

	need(unlink(path) == 0, "remove %s: %s", path, strerror(errno));
}

void manifest_web(const struct world *w, int n)
{
	CLEANUP(free_p) char *addresses = xfmt("203.0.113.%d, \"2001:db8:2::%d\"", n, n);

	manifest_slice(w, "web", AF_INET, WEB_PORTS, 7);
	manifest_slice(w, "web", AF_INET6, WEB_PORTS, 7);
	manifest_service(w, "web", addresses, "{name: http, port: 80, targetPort: 8080}");
}

/* $SLUICE, else the one that was built beside this program. */
const char *sluice_path(void)
{
	static char beside[512];
	const char *path = getenv("SLUICE");
	ssize_t n;

	if (!path && (n = readlink("/proc/self/exe", beside, sizeof(beside) - 32)) > 0) {
		beside[n] = '\0';
		(void)strcpy(strrchr(beside, '/') + 1, "../../src/sluice");
		path = beside;
	}
	need(path && access(path, X_OK) == 0, "SLUICE does not name the program: %s", path ? path : "not set");
	return path;
}

char *daemon_log(const struct world *w)
{
	CLEANUP(free_p) char *path = xfmt("%s/log", w->dir);

	return read_text(path);
}

size_t log_count(const struct world *w, const char *word)
{
	CLEANUP(free_p) char *log = daemon_log(w);
	char *save = NULL;
	size_t n = 0;

	for (char *line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		n += strstr(line, word) != NULL;
	return n;
}

/* The begin of a file of the node's /proc/net. */
static void show(const char *name)
{
	CLEANUP(close_p) int fd = world_proc_net(explained, NODE, name);
	char part[6000];
	ssize_t n = fd < 0 ? 0 : read(fd, part, sizeof(part));

	(void)printf("     --- %s\n%.*s\n", name, (int)(n > 0 ? n : 0), part);
}

static void explain(void)
{
	CLEANUP(free_p) char *log = daemon_log(explained);
	char *at = log + strlen(log);

	for (int lines = 0; at > log && lines <= LOG_SHOWN; at--)
		lines += at[-1] == '\n';
	show("ip_vs");
	show("ip_vs_conn");
	(void)printf("     --- end of the log\n%s", at);
}

/* The child's side. */
static void become(const struct world *w, const char *line)
{
	CLEANUP(free_p) char *path = xfmt("%s/log", w->dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	(void)sched_setaffinity(0, sizeof(cpus), &cpus); /* see look_first() in table.c */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0 || setns(w->ns[NODE], CLONE_NEWNET) < 0)
		_exit(126);
	(void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	_exit(127);
}

void daemon_restart(struct daemon *d)
{
	CLEANUP(free_p) char *line = xfmt("exec %s run --manifests %s --run-dir %s -v=5 --hostname-override n1 %s", sluice_path(),
					  d->w->manifests, d->w->run_dir, d->options);

	d->pid = fork();
	need(d->pid >= 0, "fork: %s", strerror(errno));
	if (d->pid == 0)
		become(d->w, line);
}

struct daemon *daemon_start(const struct world *w, const char *options)
{
	struct daemon *d = xzalloc(sizeof(*d));

	d->w = w;
	d->options = xstrdup(options);
	explained = w;
	check_explain = explain;
	daemon_restart(d);
	return d;
}

void daemon_end(struct daemon *d, int signum)
{
	int status = 0;
	pid_t pid = 0;

	need(kill(d->pid, signum) == 0, "kill: %s", strerror(errno));
	await(10000, (pid = waitpid(d->pid, &status, WNOHANG)) != 0, "the daemon is still there 10 s after signal %d", signum);
	need(pid == d->pid, "wait: %s", strerror(errno));
	if (signum == SIGKILL)
		need(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the daemon had ended before with status 0x%x", (unsigned)status);
	else
		need(WIFEXITED(status) && WEXITSTATUS(status) == 0, "after signal %d the daemon ended with status 0x%x", signum,
		     (unsigned)status);
	d->pid = 0;
}

bool daemon_lives(struct daemon *d)
{
	return d->pid && waitpid(d->pid, NULL, WNOHANG) == 0;
}

char *sluice_says(const struct world *w, const char *command)
{
	return world_output(w, NODE, "exec %s %s --run-dir %s", sluice_path(), command, w->run_dir);
}

void await_table(const struct world *w, int limit_ms, const char *text)
{
	int64_t end_us = now_us() + (int64_t)limit_ms * 1000;

	for (;;) {
		CLEANUP(free_p) char *now = table_text(w);

		if (strcmp(now, text) == 0)
			return;
		need(now_us() < end_us, "the table is not as wanted after %d ms; wanted:\n%s", limit_ms, text);
		pause_ms(5);
	}
}

static void web_rows(struct text *t, const char *head, const char *row, const char *weights)
{
	text_add(t, "%s", head);
	for (int i = 0; i < BACKENDS; i++)
		if (weights[i] != '-') {
			text_add(t, "  ");
			for (const char *c = row; *c; c++)
				text_add(t, "%c", *c == '#' ? '1' + i : *c);
			text_add(t, " %c\n", weights[i]);
		}
}

char *web_table(int n, const char *weights_v4, const char *weights_v6)
{
	CLEANUP(free_p) char *v4 = xfmt("TCP 203.0.113.%d:80 rr\n", n);
	CLEANUP(free_p) char *v6 = xfmt("TCP [2001:db8:2::%d]:80 rr\n", n);
	struct text t = { 0 };

	if (weights_v4)
		web_rows(&t, v4, "192.0.2.1#:8080", weights_v4);
	if (weights_v6)
		web_rows(&t, v6, "[2001:db8:1::1#]:8080", weights_v6);
	return xstrdup(text_str(&t));
}
