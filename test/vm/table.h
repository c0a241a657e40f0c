/* The kernel's own view of IPVS, read from /proc/net/ip_vs: the tests' judge, independent of how the program reads it. */
#pragma once
#include "core/types.h"
#include "world.h"

/* One real server as the kernel shows it. */
struct table_rs {
	bool vs;      /* its virtual server is there */
	bool present; /* it is there itself; the rest is 0 otherwise */
	int weight;
	unsigned active, inactive;
};

/* All rows, as text of our own, sorted within what belongs together: "TCP 203.0.113.10:80 rr", "  192.0.2.11:8080 1" (weight).
 * Virtual servers of marks: "FWM 7 rr". owned: free(). */
char *table_text(const struct world *w);
struct table_rs table_rs(const struct world *w, const struct vs_key *vs, const struct rs_key *rs);
bool table_has_vs(const struct world *w, const struct vs_key *vs);

struct vs_key vs_key_of(const char *text); /* "203.0.113.10:80/tcp" */
struct rs_key rs_key_of(const char *text); /* "192.0.2.11:8080" */
struct rs_key backend_key(int family, int n, uint16_t port); /* backend n = 1…3 */

/* A thread that looks at one real server every 2 ms and writes down each change. */
struct watch;
struct watch *watch_start(const struct world *w, const struct vs_key *vs, const struct rs_key *rs);
struct table_rs watch_now(struct watch *watch);
/* When it was first seen like this after since_us (CLOCK_MONOTONIC), or -1. */
int64_t watch_weight_at(struct watch *watch, int weight, int64_t since_us); /* present with that weight */
int64_t watch_gone_at(struct watch *watch, int64_t since_us);               /* absent, after it was present */
/* How long both counters were zero without a break before the moment at_us, in the looks up to then; -1: they were not. */
int64_t watch_zero_before(struct watch *watch, int64_t at_us);
int64_t watch_widest_gap(struct watch *watch); /* between two looks */
/* The changes as lines, for people; owned: free(). */
char *watch_story(struct watch *watch);
