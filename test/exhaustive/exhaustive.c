/* The drain and the plan, in every order of events of a small world: the real wanted, plan, settle, observed and drain; test/exhaustive/state.h says what
 * a state is, event.c what can happen, check.c what has to hold. An argument names one of the beginnings below. */
#include "exhaustive/daemon.h"
#include "exhaustive/explore.h"
#include "exhaustive/source.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Each has its own troubles: all at once would be too many states. */
static const struct bounds all[] = {
	{ .name = "clients", .b_back = true, .clients = { 1, 1 } },
	{ .name = "limit", .limit = true, .clients = { 1, 0 } },
	{ .name = "failures", .failures = 1, .clients = { 1, 0 } },
	{ .name = "skips", .skips = 2, .clients = { 1, 0 } },
	{ .name = "restart", .restarts = 1, .clients = { 1, 0 } },
	{ .name = "restart-limit", .lone = true, .restarts = 1, .limit = true, .clients = { 1, 0 } },
	{ .name = "restart-skips", .lone = true, .restarts = 1, .skips = 1, .clients = { 1, 0 } },
	{ .name = "pods", .lone = true, .pods = true, .clients = { 1, 0 } },
	{ .name = "pods-pair", .steady = true, .pods = true, .clients = { 1, 0 } },
	{ .name = "pods-failures", .lone = true, .steady = true, .pods = true, .failures = 1, .clients = { 1, 0 } },
	{ .name = "pods-restart", .lone = true, .steady = true, .pods = true, .restarts = 1, .clients = { 1, 0 } },
	{ .name = "pods-skips", .lone = true, .steady = true, .pods = true, .skips = 2, .clients = { 1, 0 } },
	{ .name = "pods-limit", .lone = true, .pods = true, .limit = true, .clients = { 1, 0 } },
	{ .name = "pods-limit-failures", .lone = true, .steady = true, .pods = true, .own_limit = true, .failures = 1, .clients = { 1, 0 } },
	{ .name = "own-limit", .own_limit = true, .limit = true, .clients = { 1, 0 } },
	{ .name = "own-limit-failures", .lone = true, .own_limit = true, .limit = true, .failures = 1, .clients = { 1, 0 } },
	{ .name = "own-limit-restart", .lone = true, .own_limit = true, .limit = true, .restarts = 1, .clients = { 1, 0 } },
	{ .name = "hand", .hand = true, .clients = { 1, 0 } },
	{ .name = "hand-skips", .hand = true, .steady = true, .skips = 2, .clients = { 1, 0 } },
	{ .name = "hand-failures", .hand = true, .steady = true, .failures = 1, .clients = { 1, 0 } },
};
struct bounds bounds;

static double seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool run(const struct bounds *b)
{
	struct explored explored;
	double began = seconds();
	struct world from;
	bool good;

	bounds = *b;
	source_init();
	memset(&from, 0, sizeof(from));
	from.source = (struct source){ .service = 1, .a = READY, .pod = b->pods ? POD_ONE : POD_UNKNOWN, .b = b->lone ? GONE : READY };
	from.restarts = 1;
	daemon_restart(&from);
	from.failures = b->failures;
	from.skips = b->skips;
	from.restarts = b->restarts;
	good = explore(&from, &explored);
	source_fini();
	printf("%s %s: %zu states, %zu transitions, %.1f s\n", good ? "ok" : "FAIL:", b->name, explored.states, explored.transitions, seconds() - began);
	(void)fflush(stdout);
	return good;
}

int main(int argc, char **argv)
{
	int passed = 0, failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (argc > 1 && strcmp(argv[1], all[i].name) != 0)
			continue;
		if (run(&all[i]))
			passed++;
		else
			failed++;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed || !passed;
}
