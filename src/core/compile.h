/* One Service and its slices + facts of this node → the virtual servers that it wants. Pure. */
#pragma once
#include "base/arena.h"
#include "core/model.h"

struct wanted_rs {
	struct rs_key key;
	uint64_t uid; /* which pod it is, as a number; 0 = not known */
};
struct wanted_vs {
	struct vs_key key;
	struct vs_attrs attrs;
	const char *port_name; /* "" if unnamed */
	struct drain_policy drain;
	struct wanted_rs *rs;  /* sorted by rs_cmp(), each once; weight 1 */
	size_t n_rs;
};
/* What one Service wants. */
struct compiled {
	struct arena *arena; /* holds all of it */
	struct wanted_vs *vss; /* sorted by vs_cmp(), each once */
	size_t n_vss;
};
struct node_facts {
	const char *node;  /* this node's name */
	const char *sched; /* scheduler of virtual servers whose Service names none */
	struct drain_settings drain;
};

/* owned: compiled_free(). A subject without Service wants nothing. */
struct compiled *compile(const struct subject *subject, const struct node_facts *facts);
const struct wanted_rs *wanted_vs_find(const struct wanted_vs *vs, const struct rs_key *rs); /* NULL: it is not wanted there */
void compiled_free(struct compiled *compiled); /* NULL is fine */
