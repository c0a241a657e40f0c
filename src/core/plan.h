/* Wanted against observed, for what is dirty → the operations of a pass, in order, and when to look again. Pure: it asks
 * nobody; beside its result it only writes the lifetimes in observed (gone_*, linger_until, verdicts). */
#pragma once
#include "core/observed.h"
#include "core/op.h"
#include "core/wanted.h"

struct plan_settings {
	bool hold;                      /* part of the first lists is missing: add and raise, but zero and delete nothing */
	uint64_t seed;                  /* of this node: order of new real servers */
	struct drain_settings drain;    /* of the node: for what is left of a Service that is not known any more */
	int64_t address_linger_ms;
};
struct plan {
	VEC(struct op) ops; /* in the order of enum op_kind; within one kind in the order of planning */
	struct mono wake;   /* something is due then, without any new input; MONO_NEVER */
};
/* Tells of a virtual server that somebody else has under a key that we want. */
typedef void plan_foreign_fn(void *ctx, struct seen_vs *vs, const char *service);

/* Plans everything that is dirty (nothing is dirty afterwards, except what waits for a retry). ret is {0} before.
 * Free ret->ops.v. */
void plan_make(const struct wanted *wanted, struct observed *observed, const struct plan_settings *settings, struct mono now,
	       plan_foreign_fn *foreign, void *ctx, struct plan *ret);

/* May this operation be sent now? What it rests on has been acknowledged. The last line of defence: an operation whose
 * ground was lost since planning (an earlier one failed) is left out, and its object stays dirty. */
bool plan_ready(const struct op *op, struct observed *observed);

/* For OP_UNSERVE, when it is sent: does no other key on its address stay served? Keys that were served earlier in the pass count. */
bool plan_last_on_ip(const struct op *op, struct observed *observed);
