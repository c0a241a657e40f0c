/* A reconciler that reads the kernel, plans one pass and stops before the first operation. */
#include "daemon/planner.h"

#include "daemon/pass.h"

#include <errno.h>
#include <string.h>

static uint32_t connections(const struct op *op, const struct seen_vs *vs)
{
	uint32_t sum = 0;

	for (size_t i = 0; vs && i < vs->n_rs; i++)
		if (!op->rs.port || rs_cmp(&op->rs, &vs->rs[i].key) == 0)
			sum += vs->rs[i].active + vs->rs[i].inactive;
	return sum;
}

static void take_ops(struct reconcile *r, struct planner_result *ret)
{
	ret->ops = arena_alloc(ret->arena, r->plan.ops.n * sizeof(*ret->ops));
	for (size_t i = 0; i < r->plan.ops.n; i++) {
		const struct op *op = &r->plan.ops.v[i];
		struct seen_vs *vs = op->vs.port ? observed_vs(&r->observed, &op->vs) : NULL;

		ret->ops[ret->n_ops++] = (struct planner_op){
			*op, connections(op, vs), arena_strdup(ret->arena, vs && vs->service ? vs->service : ""),
		};
	}
}

struct wanted_list {
	struct planner_result *ret;
	size_t cap;
};

static void count(void *ctx, const struct wanted_vs *vs, const char *service)
{
	(void)vs;
	(void)service;
	((struct wanted_list *)ctx)->cap++;
}

static void take_vs(void *ctx, const struct wanted_vs *vs, const char *service)
{
	struct planner_result *ret = ((struct wanted_list *)ctx)->ret;
	struct planner_vs *out = &ret->vss[ret->n_vss++];

	*out = (struct planner_vs){
		.key = vs->key, .attrs = vs->attrs,
		.service = arena_strdup(ret->arena, service), .port_name = arena_strdup(ret->arena, vs->port_name),
		.rs = arena_alloc(ret->arena, vs->n_rs * sizeof(*out->rs)), .n_rs = vs->n_rs,
	};
	for (size_t i = 0; i < vs->n_rs; i++)
		out->rs[i] = (struct planner_rs){ vs->rs[i].key, 1 };
}

static int vs_order(const void *a, const void *b)
{
	return vs_cmp(&((const struct planner_vs *)a)->key, &((const struct planner_vs *)b)->key);
}

static void take_wanted(struct reconcile *r, struct planner_result *ret)
{
	struct wanted_list list = { ret, 0 };

	wanted_each(r->wanted, count, &list);
	ret->vss = arena_alloc(ret->arena, list.cap * sizeof(*ret->vss));
	ret->addrs = arena_alloc(ret->arena, list.cap * sizeof(*ret->addrs));
	ret->served = arena_alloc(ret->arena, list.cap * sizeof(*ret->served));
	wanted_each(r->wanted, take_vs, &list);
	if (ret->n_vss)
		qsort(ret->vss, ret->n_vss, sizeof(*ret->vss), vs_order);
	for (size_t i = 0; i < ret->n_vss; i++) {
		const struct planner_vs *vs = &ret->vss[i];

		if (!ret->n_addrs || !ip_equal(&ret->addrs[ret->n_addrs - 1], &vs->key.ip))
			ret->addrs[ret->n_addrs++] = vs->key.ip;
		if (vs->n_rs)
			ret->served[ret->n_served++] = vs->key;
	}
}

static void take_problems(struct reconcile *r, struct planner_result *ret)
{
	struct view *view = reconcile_view(r, NULL);

	ret->problems = arena_alloc(ret->arena, view->n_problems * sizeof(*ret->problems));
	for (size_t i = 0; i < view->n_problems; i++)
		ret->problems[ret->n_problems++] = (struct view_problem){
			arena_strdup(ret->arena, view->problems[i].object), arena_strdup(ret->arena, view->problems[i].text),
		};
	view_free(view);
}

/* Everything is read once; what cannot be read makes the plan impossible, not wrong. */
static int read_kernel(struct reconcile *r, struct err *err)
{
	struct seen_vs *vs;

	while (r->phase != PHASE_RUN)
		if (!start_step(r))
			return err_set(err, -EIO, "the kernel could not be read (see above)");
	LL_FOREACH2(r->observed.dirty_vss, vs, next_dirty)
		if (vs->stale)
			return err_set(err, -EIO, "a virtual server could not be read (see above)");
	return 0;
}

int planner_make(const struct reconcile_options *options, struct kernel *kernel, struct journal *journal, struct change *changes,
		 size_t n, bool partial, struct planner_result *ret, struct err *err)
{
	struct reconcile *r = reconcile_new(options, kernel, journal);
	int rc;

	r->dry = true;
	reconcile_changes(r, changes, n);
	r->synced = true;
	r->partial = partial;
	while (reconcile_compile(r))
		;
	rc = read_kernel(r, err);
	if (rc == 0) {
		struct arena *arena = arena_new();

		*ret = (struct planner_result){ .arena = arena };
		reconcile_plan(r);
		take_ops(r, ret);
		take_wanted(r, ret);
		take_problems(r, ret);
	}
	reconcile_free(r);
	return rc;
}

void planner_result_fini(struct planner_result *result)
{
	arena_free(result->arena);
	*result = (struct planner_result){ 0 };
}
