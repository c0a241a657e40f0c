/* What people see: one value that status, drains, JSON and (later) metrics and the page are made of. No policy here. */
#pragma once
#include "base/arena.h"
#include "base/mono.h"
#include "core/flow.h"
#include "core/types.h"

#define DRAIN_VERDICTS(X)                                                             \
	X(DRAIN_SETTLE, "settle") /* zero, but not yet proven twice */                \
	X(DRAIN_KEEP, "keep")     /* connections are left */                          \
	X(DRAIN_DELETE, "delete") /* zero twice: delete it */                         \
	X(DRAIN_FORCE, "force")   /* its limit has come */                            \
	X(DRAIN_SUPERSEDE, "supersede") /* another pod has its address now */         \
	X(DRAIN_REVIVE, "revive") /* wanted again */                                  \
	X(DRAIN_GONE, "gone")     /* the kernel has it no more */
enum drain_verdict {
#define X(id, word) id,
	DRAIN_VERDICTS(X)
#undef X
};
const char *drain_verdict_word(enum drain_verdict verdict);

#define DRAIN_OUTCOMES(X)                      \
	X(OUTCOME_EMPTY, "empty")              \
	X(OUTCOME_IDLE_EXPIRED, "idle-expired")\
	X(OUTCOME_LIMIT, "limit")              \
	X(OUTCOME_UNDRAINED, "undrained")      \
	X(OUTCOME_SUPERSEDED, "superseded")    \
	X(OUTCOME_SERVICE_GONE, "service-gone")\
	X(OUTCOME_LOST, "lost")
enum drain_outcome {
#define X(id, word) id,
	DRAIN_OUTCOMES(X)
#undef X
	OUTCOMES
};
const char *drain_outcome_word(enum drain_outcome outcome);

struct view_rs {
	struct rs_key key;
	int32_t weight;
	uint32_t active, inactive;
	bool wanted, draining;
};
struct view_vs {
	struct vs_key key;
	struct vs_attrs attrs;
	const char *service;  /* "namespace/name"; "" if nobody wants it any more and it was not known */
	const char *port_name;
	const char *state;    /* "serving", "refusing" (no ready real server), "draining" (its Service is gone), "pending" (not in the kernel yet),
	                       * "foreign" (wanted, but somebody else's), "conflict"… one word */
	struct view_rs *rs;
	size_t n_rs;
};
struct view_drain {
	struct vs_key vs;
	struct rs_key rs;
	const char *service;
	int64_t age_ms;
	uint32_t active_start, inactive_start, active, inactive; /* start = first count after weight 0 */
	int64_t limit_left_ms; /* < 0: no limit */
	int64_t period_ms;     /* between two checks of it now */
	const char *verdict;   /* word of the last check */
	bool asked;            /* the kernel was asked who holds it; the rest means something */
	uint32_t by_state[FLOW_STATES];
	struct flow *holders;  /* some of them */
	size_t n_holders;
};
struct view_outcome {
	struct vs_key vs;
	struct rs_key rs;
	const char *service;
	const char *outcome;
	int64_t ago_ms, took_ms;
	uint32_t cut; /* connections that it cut */
};
struct view_problem {
	const char *object; /* "default/web" or "10.96.0.10:80/tcp" */
	const char *text;   /* one sentence */
};
struct view_address {
	struct ip ip;
	bool bound, guarded;
	int64_t linger_left_ms; /* < 0: not lingering */
};
struct view {
	struct arena *arena; /* holds all of it */
	bool synced, partial;
	uint64_t passes, ops, op_failures, drift_repairs;
	int64_t audit_age_ms; /* since the last complete audit; < 0: none yet */
	struct view_vs *vss;  /* by key */
	size_t n_vss;
	struct view_drain *drains;
	size_t n_drains;
	uint64_t outcome_counts[OUTCOMES]; /* since the start, by enum drain_outcome */
	struct view_outcome *outcomes; /* the last ones, newest first */
	size_t n_outcomes;
	struct view_problem *problems;
	size_t n_problems;
	struct view_address *addresses;
	size_t n_addresses;
};
/* What the kernel is asked for a view. */
struct view_ask {
	size_t holders;      /* so many connections of each drain at most; 0: it is not asked */
	const char *service; /* only of this one's drains; NULL: of all */
};
void view_free(struct view *view); /* NULL is fine */
