/* What the first pass over an unchanged kernel would do, without doing it: `sluice plan`. Reads the kernel, writes nothing. */
#pragma once
#include "core/change.h"
#include "core/op.h"
#include "core/view.h"
#include "daemon/reconcile.h"

/* One operation of the pass, in order. */
struct planner_op {
	struct op op;
	uint32_t connections; /* live ones that it touches (active + inactive): of the real server; of all real servers for
	                       * operations on their virtual server; 0 for those on addresses */
	const char *service;  /* "namespace/name" that wants or wanted it; "" = not known */
};
struct planner_rs {
	struct rs_key key;
	int32_t weight;
};
/* One virtual server that is wanted. */
struct planner_vs {
	struct vs_key key;
	struct vs_attrs attrs;
	const char *service, *port_name; /* port_name "" if unnamed */
	struct planner_rs *rs;           /* by key */
	size_t n_rs;
};
struct planner_result {
	struct arena *arena; /* holds all of it */
	struct planner_op *ops;
	size_t n_ops;
	struct planner_vs *vss; /* by key */
	size_t n_vss;
	struct ip *addrs; /* to be bound; sorted, each once */
	size_t n_addrs;
	struct vs_key *served; /* keys whose new connections pass to IPVS; sorted */
	size_t n_served;
	struct view_problem *problems; /* conflicts, foreign virtual servers */
	size_t n_problems;
};

/* Plans one pass from the kernel as it is to what changes ask for. journal: from journal_peek(). Takes the n changes, also on
 * failure (zeroed behind). partial: part of the sources could not be read, so nothing is zeroed or deleted.
 * ret is filled in only on success; planner_result_fini(). */
MUST_CHECK int planner_make(const struct reconcile_options *options, struct kernel *kernel, struct journal *journal,
			    struct change *changes, size_t n, bool partial, struct planner_result *ret, struct err *err);
void planner_result_fini(struct planner_result *result); /* zeroed is fine */
