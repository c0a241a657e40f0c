/* The world of one scenario: what the sources told, a fake kernel with its clock, a journal in a directory of its own,
 * and the real reconciler between them. Knows nothing of the text of scenarios. */
#pragma once
#include "core/view.h"
#include "daemon/journal.h"
#include "daemon/reconcile.h"
#include "fake/fake_kernel.h"

struct world_port {
	char *name;
	uint8_t proto;
	uint16_t port;
};
struct world_service {
	char *name;
	int64_t created;
	uint32_t affinity_s;
	char *sched; /* NULL: the node's */
	struct drain_wish drain;
	struct ip ips[2];
	size_t n_ips;
	VEC(struct world_port) ports;
};
struct world_endpoint {
	struct ip ip;
	char *uid; /* NULL: unknown */
	bool ready, serving, terminating;
};
struct world_slice {
	char *name, *service;
	uint8_t family;
	struct world_port port;
	VEC(struct world_endpoint) endpoints;
};

struct world {
	struct fake_kernel *fake;
	struct reconcile *r;
	struct journal *journal;
	char *run_dir; /* removed at the end */
	struct reconcile_options options;
	char *sched;
	VEC(struct world_service) services;
	VEC(struct world_slice) slices;
	bool manual_sync;     /* lists are complete only when the scenario says so */
	bool synced, partial; /* what was told so far */
	char *journal_copy;   /* as it was when the process died */
	size_t journal_copy_n;
	struct text log;      /* lines of the reconciler since the mark */
	size_t log_mark;      /* index into the fake's log: operations since then are "these" */
	size_t read_mark;
	size_t deaths;
	bool restless;        /* it did not come to rest */
};

void world_init(struct world *w, const char *tmp_dir); /* nothing runs before the first world_pass() */
void world_fini(struct world *w);
void world_start(struct world *w);                    /* a process begins; does nothing if one runs */
void world_restart(struct world *w);                  /* it ends without a word; the next begins at the next pass */
void world_stop(struct world *w);
void world_drop_journal(struct world *w);             /* only between two processes */
void world_damage_journal(struct world *w);
void world_sync(struct world *w, bool partial);

struct world_service *world_service(struct world *w, const char *name); /* made if it is not there */
struct world_slice *world_slice(struct world *w, const char *name);     /* NULL if it is not there */
struct world_slice *world_slice_new(struct world *w, const char *name);
struct world_port *world_service_port(struct world_service *s, const char *name); /* NULL */
void world_tell_service(struct world *w, const struct world_service *s);
void world_tell_slice(struct world *w, const struct world_slice *s);
void world_remove_service(struct world *w, const char *name);
void world_remove_slice(struct world *w, const char *name);

/* Turns until nothing is due now; gives back what is due next. */
struct mono world_pass(struct world *w);
/* Lets time pass, with a turn whenever one is due. */
void world_run(struct world *w, int64_t ms);
/* Until no operation was applied for longer than two audits and a TIME_WAIT (20 minutes at most). */
void world_settle(struct world *w);
/* Forgets the marks: "these operations" begin now. */
void world_mark(struct world *w);

/* Is a weight above 0 right for this real server, by what the sources told? */
bool world_wants(const struct world *w, const struct vs_key *vs, const struct rs_key *rs);
