/* Runs tests as processes, some at a time, with a time limit each, and prints what came out. Knows nothing of networks. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define LIMIT_S 240
#define TESTS_MAX 32 /* side by side */
#define EXIT_LATE 3  /* of a test's process */

/* A test that runs or ran. */
struct run {
	const struct check_test *test;
	pid_t pid;
	int out; /* what it writes, -1 at its end */
	struct text text;
	int64_t began_us;
	bool late;   /* its own watchdog did not end it */
	bool again;  /* it runs for the second time */
	char dir[32];
};
/* Tests that were late and are to be run once more. */
struct again {
	VEC(const struct check_test *) list;
};

static struct text notes; /* of this test's process */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
void (*check_explain)(void);
const char *check_dir = "/nonexistent";

void pause_ms(int ms)
{
	(void)poll(NULL, 0, ms);
}

static void end_as(int status, const char *fmt, va_list ap) __attribute__((noreturn, format(printf, 2, 0)));
static void end_as(int status, const char *fmt, va_list ap)
{
	(void)pthread_mutex_lock(&ending); /* kept: the first failure is the one that is told */
	(void)fputs("FAIL ", stdout);
	(void)vprintf(fmt, ap);
	(void)printf("\n%s", text_str(&notes));
	if (check_explain)
		check_explain();
	(void)fflush(stdout);
	_exit(status);
}

void check_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end_as(1, fmt, ap);
}

void check_late(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end_as(EXIT_LATE, fmt, ap);
}

void check_note(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	text_add(&notes, "     %s\n", line);
}

char *read_text(const char *path)
{
	struct text text = { 0 };
	char part[4096];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	text_add(&text, "%s", "");
	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0)
		text_add_bytes(&text, part, (size_t)n);
	if (fd >= 0)
		(void)close(fd);
	return text.s;
}

void write_text(const char *path, const char *text)
{
	const char *slash = strrchr(path, '/');
	CLEANUP(free_p) char *beside = xfmt("%.*s.%s.new", (int)(slash + 1 - path), path, slash + 1);
	FILE *file = fopen(beside, "we");

	need(file && fputs(text, file) >= 0 && fclose(file) == 0 && rename(beside, path) == 0, "write %s: %s", path, strerror(errno));
}

static int limit_of(const struct check_test *test)
{
	return test->limit_s ? test->limit_s : LIMIT_S;
}

static void *watchdog(void *test)
{
	pause_ms(limit_of(test) * 1000);
	check_late("not done after %d s", limit_of(test));
}

static void work(const struct check_test *test)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, watchdog, (void *)test) != 0)
		abort();
	test->run();
	(void)printf("%s", text_str(&notes));
	(void)fflush(stdout);
	_exit(0);
}

static void begin(struct run *run, const struct check_test *test)
{
	int ends[2];

	*run = (struct run){ .test = test, .began_us = now_us(), .dir = "/tmp/sluice-test-XXXXXX" };
	(void)fflush(stdout);
	if (pipe2(ends, O_CLOEXEC) < 0 || !mkdtemp(run->dir) || (run->pid = fork()) < 0)
		abort();
	run->out = ends[0];
	if (run->pid == 0) {
		check_dir = run->dir;
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)setpgid(0, 0);
		(void)dup2(ends[1], STDOUT_FILENO);
		(void)dup2(ends[1], STDERR_FILENO);
		work(test);
	}
	(void)close(ends[1]);
}

static void hear(struct run *run)
{
	char part[4096];
	ssize_t n = read(run->out, part, sizeof(part));

	if (n > 0) {
		text_add_bytes(&run->text, part, (size_t)n);
		return;
	}
	(void)close(run->out);
	run->out = -1;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

/* Behind the "FAIL " that begins a line; NULL: there is none. What commands wrote may come before it. */
static const char *failure_in(const char *text)
{
	const char *line = text;

	while (line && strncmp(line, "FAIL ", 5) != 0)
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
	return line ? line + 5 : NULL;
}

/* With its notes; what else it wrote (a log) is of interest only when it fails. */
static void tell_passed(const struct check_test *test, double took, const char *text)
{
	size_t n;

	(void)printf("ok   %s (%.1f s)\n", test->name, took);
	for (const char *line = text; *line; line += n) {
		n = strcspn(line, "\n");
		n += line[n] == '\n';
		if (strncmp(line, "     ", 5) == 0)
			(void)fwrite(line, 1, n, stdout);
	}
}

static void tell_failed(const struct run *run, const char *word, double took, int status)
{
	const char *text = text_str(&run->text), *why = failure_in(text);

	if (run->late)
		(void)printf("%s %s: not done after %.0f s\n%s", word, run->test->name, took, text);
	else if (why)
		(void)printf("%s %s: %.*s\n%.*s%s", word, run->test->name, (int)strcspn(why, "\n"), why, (int)(why - 5 - text), text,
			     why + strcspn(why, "\n") + 1);
	else
		(void)printf("%s %s: ended with status 0x%x\n%s", word, run->test->name, (unsigned)status, text);
}

/* Reaps it and prints its line. True: passed. */
static bool finish(struct run *run, struct again *again)
{
	double took = (double)(now_us() - run->began_us) / 1e6;
	bool passed, late;
	int status = 0;

	(void)kill(-run->pid, SIGKILL); /* what it left behind */
	(void)waitpid(run->pid, &status, 0);
	(void)nftw(run->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	passed = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !run->late;
	late = !passed && !run->again && (run->late || (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_LATE));
	if (passed)
		tell_passed(run->test, took, text_str(&run->text));
	else
		tell_failed(run, late ? "late" : "FAIL", took, status);
	if (late)
		*vec_push(&again->list) = run->test;
	(void)fflush(stdout);
	text_fini(&run->text);
	return passed;
}

/* Ends what a test left behind when it is over, and a test whose own watchdog did not. */
static void watch_end(struct run *run)
{
	siginfo_t info = { .si_pid = 0 };
	double took = (double)(now_us() - run->began_us) / 1e6;

	run->late = run->late || took > limit_of(run->test) + 20;
	if (run->late || (waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid))
		(void)kill(-run->pid, SIGKILL);
}

static size_t step(struct run *runs, size_t n, unsigned *passed, struct again *again)
{
	struct pollfd fds[TESTS_MAX];
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = runs[i].out, .events = POLLIN };
	(void)poll(fds, n, 100);
	for (size_t i = 0; i < n; i++) {
		if (fds[i].revents)
			hear(&runs[i]);
		watch_end(&runs[i]);
		if (runs[i].out >= 0) {
			runs[left++] = runs[i];
			continue;
		}
		*passed += finish(&runs[i], again);
	}
	return left;
}

static bool chosen(const struct check_test *test, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(test->name, names[i]) == 0)
			return true;
	return n == 0;
}

static int check_all(const struct check_test *tests, size_t n, size_t width, char **names, int n_names)
{
	struct run runs[TESTS_MAX];
	struct again again = { 0 };
	size_t running = 0, next = 0;
	unsigned total = 0, passed = 0;

	while (next < n || running) {
		while (next < n && running < width) {
			if (chosen(&tests[next], names, n_names)) {
				begin(&runs[running++], &tests[next]);
				total++;
			}
			next++;
		}
		running = step(runs, running, &passed, &again);
	}
	for (size_t i = 0; i < again.list.n; i++) {
		begin(&runs[0], again.list.v[i]);
		runs[0].again = true;
		while (step(runs, 1, &passed, &again))
			;
	}
	free(again.list.v);
	if (!total)
		(void)fprintf(stderr, "no test of that name\n");
	(void)printf("%u passed, %u failed\n", passed, total - passed);
	return !total ? 2 : passed != total;
}

int check_main(int argc, char **argv, const struct check_test *tests, size_t n)
{
	size_t width = 4;
	int option;

	while ((option = getopt(argc, argv, "j:l")) != -1) {
		if (option == 'j' && atoi(optarg) >= 1 && atoi(optarg) <= TESTS_MAX) {
			width = (size_t)atoi(optarg);
		} else if (option == 'l') {
			for (size_t i = 0; i < n; i++)
				(void)puts(tests[i].name);
			return 0;
		} else {
			(void)fprintf(stderr, "usage: %s [-j N] [-l] [NAME...]\n", argv[0]);
			return 2;
		}
	}
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	return check_all(tests, n, width, argv + optind, argc - optind);
}
