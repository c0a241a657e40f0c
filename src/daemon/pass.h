/* What the files of the reconciler share: its state, and the steps of a turn. Not for others: they use reconcile.h. */
#pragma once
#include "core/plan.h"
#include "core/settle.h"
#include "daemon/journal.h"
#include "daemon/reconcile.h"

#define READS_PER_TURN 64
#define COMPILES_PER_TURN 1000
#define HISTORY 64

enum phase {
	PHASE_LIST,   /* the kernel's virtual servers, addresses and filter are to be read */
	PHASE_RSS,    /* their real servers are */
	PHASE_FILTER, /* device and filter are to be made ready */
	PHASE_RUN,
};

struct past_drain {
	struct vs_key vs;
	struct rs_key rs;
	char *service;
	enum drain_outcome outcome;
	struct mono ended;
	int64_t took_ms;
	uint32_t cut;
};

struct reconcile {
	struct reconcile_options options;
	struct kernel *kernel;
	struct journal *journal; /* NULL: nothing is remembered */
	bool dry;                /* planning only: nothing is written, anywhere */
	struct model *model;
	struct wanted *wanted;
	struct observed observed;
	bool synced, partial;
	enum phase phase;
	struct retry start_retry;
	struct plan plan;        /* the pass that is going on */
	size_t plan_next;        /* its first operation that was not sent yet; = plan.ops.n: none is going on */
	struct mono wake;        /* of the last plan */
	struct mono audit_next, audit_done; /* audit_done: end of the last complete one */
	VEC(struct vs_key) audit;           /* virtual servers that this audit has still to read: from audit_pos on */
	size_t audit_pos;
	struct mono audit_began;
	bool unread_drains;      /* the journal has drains of virtual servers that could not be read yet */
	bool filter_intact;      /* as the last read of it said */
	struct retry read_retry; /* of lists */
	int64_t check_cost_us;   /* drain_cost() of the reads */
	int64_t ask_cost_us;     /* of questions to conntrack */
	struct past_drain past[HISTORY];
	size_t n_past;           /* ever */
	uint64_t outcomes[OUTCOMES]; /* of drains, ever */
	uint64_t passes, ops, op_failures, drift_repairs;
};

struct mono pass_now(const struct reconcile *r);
int64_t pass_drain_period(const struct reconcile *r); /* between two checks of a held server */
void pass_past(struct reconcile *r, const struct seen_vs *vs, const struct rs_key *rs, enum drain_outcome outcome,
	       struct mono since, uint32_t cut);

/* sight.c: reads. 0, or an error that was logged and is tried again later (retry is set). */
void sight_vs(struct reconcile *r, struct seen_vs *vs);
MUST_CHECK int sight_vss(struct reconcile *r);
MUST_CHECK int sight_addrs(struct reconcile *r);
MUST_CHECK int sight_filter(struct reconcile *r);
MUST_CHECK int sight_restore_filter(struct reconcile *r, bool starting); /* writes it whole, as we know it */
MUST_CHECK int sight_ready(struct reconcile *r); /* device and filter are there, untouched if they are */
bool sight_stale(struct reconcile *r);        /* reads what is doubtful and due; true: something was read */
bool sight_drains(struct reconcile *r);       /* checks drains that are due; true: something was read */
bool sight_audit(struct reconcile *r);        /* one step of the audit if it is due; true: something was read */
struct mono sight_due(const struct reconcile *r);

/* sight_flows.c: what conntrack is asked. */
void sight_remembered(struct reconcile *r, struct seen_vs *vs); /* of each of its drains, behind the reading of its counters */
bool sight_flushes(struct reconcile *r);      /* true: an address became free for another pod */
struct mono sight_flushes_due(const struct reconcile *r);
void sight_holders(const struct reconcile *r, struct view *view, const struct view_ask *ask); /* of its drains, as many as time allows */

/* start.c: the first read, and what of it is ours. True: a step was done; false: waits for a retry. */
bool start_step(struct reconcile *r);
void start_lifetimes(struct reconcile *r); /* what the journal says of deadlines; again for what could not be read the first time */
void start_adopt(struct reconcile *r, struct seen_vs *vs); /* wanted, found, nobody remembered: ours from now on */

/* apply.c: the next operations of the pass. */
void apply_step(struct reconcile *r);
void pass_journal_vs(struct reconcile *r, struct seen_vs *vs); /* that it is ours, and how its backends leave */
void apply_journal_lifetimes(struct reconcile *r); /* after a plan: gone and lingering objects */

/* reconcile.c: drains became known, whose addresses may be wanted for other pods already. */
void pass_supersede(struct reconcile *r);
/* Compiles what is dirty in the model, some of it; true: there was some. Then: what is dirty → r->plan. */
bool reconcile_compile(struct reconcile *r);
void reconcile_plan(struct reconcile *r);
