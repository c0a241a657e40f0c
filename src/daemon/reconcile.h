/* The pass: model → wanted → plan → kernel → settle, in bounded turns, without a loop or a clock of its own.
 * daemon/run drives it from libuv; tests drive it by hand with a fake kernel and a fake clock. */
#pragma once
#include "base/cidr.h"
#include "base/mono.h"
#include "core/change.h"
#include "kernel/kernel.h"

struct journal;
struct view;
struct view_ask;

struct reconcile_options {
	const char *node;               /* this node's name, lower case */
	const char *sched;              /* scheduler of virtual servers whose Service names none */
	int64_t sync_period_ms;         /* an audit reads everything once within this time */
	struct drain_settings drain;    /* what drains, and for how long at most */
	int64_t address_linger_ms;      /* how long its address refuses afterwards */
	uint64_t seed;                  /* of this node: the order in which real servers are added */
	const struct cidrs *exclude;    /* what is found there at the start is somebody else's; borrowed for good, NULL: none */
	bool verbose;                   /* a log line at each check of each drain */
	/* Makes sure that the kernel resets what a deleted server leaves behind (sysctl expire_nodest_conn). Called before real servers are deleted
	 * that may have connections; NULL: it is known. */
	void (*before_cut)(void *ctx);
	void *before_cut_ctx;
	struct mono (*clock)(void *ctx);
	void *clock_ctx;
};

struct reconcile;
/* Borrows kernel and journal (journal may be NULL: nothing is remembered; nothing is known, as on a first start). */
struct reconcile *reconcile_new(const struct reconcile_options *options, struct kernel *kernel, struct journal *journal);
void reconcile_free(struct reconcile *r); /* changes nothing in the kernel */

/* Takes the changes. */
void reconcile_changes(struct reconcile *r, struct change *changes, size_t n);
/* The first lists are complete; partial: nothing may be removed yet. Before the first call nothing is written. */
void reconcile_synced(struct reconcile *r, bool partial);
/* Somebody else changed these areas of the kernel (enum kernel_area). */
void reconcile_drift(struct reconcile *r, unsigned areas);

/* One bounded step: one read, or one apply of at most KERNEL_OPS_MAX operations. Says when the next one is due: a time
 * that is not after now means at once; MONO_NEVER: only after new input. */
struct mono reconcile_turn(struct reconcile *r);

/* What the tables show; ask: what the kernel is asked for it, NULL: nothing. Owned: view_free(). */
struct view *reconcile_view(const struct reconcile *r, const struct view_ask *ask);
