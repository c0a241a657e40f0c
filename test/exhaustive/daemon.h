/* The daemon of the small world: the order of work of daemon/reconcile, sight, sight_flows, apply and start, around the real plan, settle and observed. */
#pragma once
#include "core/plan.h"
#include "exhaustive/state.h"

/* What its next turn does; each is an event of its own, so everything else may come between. */
enum step { STEP_NONE, STEP_START, STEP_APPLY, STEP_LIST, STEP_READ, STEP_CHECK, STEP_FLUSH, STEP_PLAN };
enum step daemon_next(const struct world *w);

enum trouble {
	NO_TROUBLE,
	REFUSED,       /* STEP_APPLY: -ENOMEM */
	UNHEARD,       /* … done, but the answer is lost */
	UNDONE,        /* … no answer, and it was not done */
	DIES,          /* … done, and the process ends before it takes the answers */
	INTERRUPTED,   /* a read */
	SKIPPED,       /* a dump of real servers misses one */
	SKIPPED_TWICE, /* … and the second one too */
};
struct mishap {
	enum trouble trouble;
	int which; /* operation of the chunk; real server */
};
bool daemon_can(const struct world *w, struct mishap mishap); /* the next step can meet it */
void daemon_step(struct world *w, struct mishap mishap);
bool daemon_reads(const struct world *w); /* its next step dumps real servers */

/* The whole round of the audit at once: the lists, then the virtual server. */
bool daemon_can_audit(const struct world *w);
void daemon_audit(struct world *w, struct mishap mishap);
void daemon_restart(struct world *w);
void daemon_hears(struct world *w, struct source source); /* and compiles it at once */
/* Nothing to do, nothing doubtful, nothing that waits for a retry, nothing unseen. */
bool daemon_quiet(const struct world *w);
/* How many operations it would plan if everything were looked at again. */
size_t daemon_plans_again(const struct world *w);
