/* The real kernel behind a port of the test's own, and what drives the real pass by hand: sources, clock, turns. A test replaces the
 * operations that it wants to hold, to watch or to let fail. */
#pragma once
#include "daemon/reconcile.h"
#include "kernel/kernel_linux.h"
#include "world.h"

struct through {
	struct kernel port;  /* what the pass is given */
	struct kernel *real;
};
/* Opens the real kernel in the namespace that the calling thread is in, and sets its sysctls. prepare NULL: as the real one does. Lives as
 * long as the test. */
void through_open(struct through *t, void (*apply)(struct kernel *k, const struct op *ops, size_t n, struct op_result *ret),
		  int (*prepare)(struct kernel *k, const struct kernel_filter_want *want, struct err *err));
static inline struct kernel *through_real(struct kernel *k) { return ((struct through *)k)->real; } /* through is its first member */

struct reconcile_options through_options(void); /* node n1, rr, TCP drains without limit, boot clock; the rest is the test's */
void through_read_manifests(const struct world *w, struct reconcile *r); /* all of them must be good */
void through_gone(struct reconcile *r, const char *service);             /* of the namespace default */
/* Turns for so long; true: something was due. */
bool through_turns(struct reconcile *r, int ms);
