/* Writes a plan as lines and as JSON. Knows nothing of how it was made. */
#include "cli/plan_text.h"

#include "cli/table.h"
#include "serve/status.h"

#include <inttypes.h>
#include <jansson.h>

static const struct table_column columns[] = {
	{ "OPERATION", false }, { "VIRTUAL SERVER", false }, { "REAL SERVER", false }, { "SERVICE", false }, { "", false },
};

static bool has_rs(const struct op *op)
{
	return op->kind == OP_RS_ADD || op->kind == OP_RS_RAISE || op->kind == OP_RS_ZERO || op->kind == OP_RS_DEL;
}

static bool has_attrs(const struct op *op)
{
	return op->kind == OP_VS_ADD || op->kind == OP_VS_SET;
}

static char *connections(uint32_t n, const char *what)
{
	return xfmt("%" PRIu32 " connection%s%s", n, n == 1 ? "" : "s", what);
}

static char *staying(uint32_t n, const char *what)
{
	CLEANUP(free_p) char *tail = xfmt(" stay%s; %s", n == 1 ? "s" : "", what);

	return connections(n, tail);
}

static char *attributes(const struct vs_attrs *attrs)
{
	if (attrs->flags & VS_FLAG_PERSISTENT)
		return xfmt("%s, persistent %" PRIu32 "s", attrs->sched, attrs->timeout_s);
	return xstrdup(attrs->sched);
}

/* What the operation means to those who use the Service. */
static char *remark(const struct planner_op *planned)
{
	const struct op *op = &planned->op;

	switch (op->kind) {
	case OP_GUARD:
		return xstrdup("what is not served there is refused");
	case OP_ADDR_ADD:
		return xstrdup("becomes an address of this node");
	case OP_VS_ADD:
		return attributes(&op->attrs);
	case OP_VS_SET: {
		CLEANUP(free_p) char *attrs = attributes(&op->attrs);
		CLEANUP(free_p) char *now = xfmt("now %s", attrs);

		return staying(planned->connections, now);
	}
	case OP_RS_ADD:
		return xfmt("weight %" PRId32, op->weight);
	case OP_RS_RAISE: {
		CLEANUP(free_p) char *weight = xfmt("weight %" PRId32, op->weight);

		return staying(planned->connections, weight);
	}
	case OP_SERVE:
		return xstrdup("new connections are let in");
	case OP_UNSERVE:
		return staying(planned->connections, "new ones are refused");
	case OP_RS_ZERO:
		return planned->connections ? connections(planned->connections, " (drains; deleted when the kernel counts none)")
					    : xstrdup("0 connections (deleted when the kernel has counted none twice)");
	case OP_RS_DEL:
		return connections(planned->connections, planned->connections ? " cut" : "");
	case OP_VS_DEL:
		return connections(planned->connections, "");
	case OP_ADDR_DEL:
		return xstrdup("is no address of this node any more");
	case OP_UNGUARD:
		return xstrdup("nothing is refused there any more");
	}
	return xstrdup("");
}

static const char *target_format(const struct op *op, char ret[VS_TEXT])
{
	return op->vs.port ? vs_format(&op->vs, ret) : ip_format(&op->vs.ip, ret);
}

/* Connections of one real server count once, however many operations name it. */
static uint64_t touched(const struct planner_result *plan)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->n_ops; i++)
		if (has_rs(&plan->ops[i].op))
			sum += plan->ops[i].connections;
	return sum;
}

void plan_text(const struct planner_result *plan, struct text *ret)
{
	struct table table = { columns, ARRAY_SIZE(columns), { 0 } };
	uint64_t live = touched(plan);

	if (!plan->n_ops) {
		text_add(ret, "nothing to do: the kernel is as the manifests want it\n");
		return;
	}
	for (size_t i = 0; i < plan->n_ops; i++) {
		const struct op *op = &plan->ops[i].op;
		CLEANUP(free_p) char *words = remark(&plan->ops[i]);
		char target[VS_TEXT], rs[RS_TEXT];

		table_row(&table, (const char *[]){ op_word(op->kind), target_format(op, target),
						    has_rs(op) ? rs_format(&op->rs, rs) : NULL, plan->ops[i].service, words });
	}
	table_format(&table, false, ret);
	table_fini(&table);
	text_add(ret, "\n%zu operation%s, %" PRIu64 " live connection%s touched\n", plan->n_ops, plan->n_ops == 1 ? "" : "s", live,
		 live == 1 ? "" : "s");
}

/* ---- JSON ---- */

static json_t *operation(const struct planner_op *planned)
{
	const struct op *op = &planned->op;
	char vs[VS_TEXT], rs[RS_TEXT];
	json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:o, s:I}", "operation", op_word(op->kind), "address", status_ip(&op->vs.ip),
				   "virtualServer", op->vs.port ? json_string(vs_format(&op->vs, vs)) : json_null(), "realServer",
				   has_rs(op) ? json_string(rs_format(&op->rs, rs)) : json_null(), "service",
				   status_word(planned->service), "connections", (json_int_t)planned->connections);

	if (has_rs(op) && op->kind != OP_RS_DEL)
		(void)json_object_set_new(object, "weight", json_integer(op->weight));
	if (has_attrs(op)) {
		bool persistent = op->attrs.flags & VS_FLAG_PERSISTENT;

		(void)json_object_set_new(object, "scheduler", status_word(op->attrs.sched));
		(void)json_object_set_new(object, "persistenceTimeoutSeconds",
					  json_integer(persistent ? op->attrs.timeout_s : 0));
	}
	return object;
}

static json_t *wanted(const struct planner_result *plan)
{
	json_t *vss = json_array(), *addrs = json_array(), *served = json_array();
	char text[VS_TEXT];

	for (size_t i = 0; i < plan->n_vss; i++) {
		const struct planner_vs *vs = &plan->vss[i];
		json_t *object = status_vs(&vs->key, &vs->attrs, vs->service, vs->port_name), *servers = json_array();

		for (size_t j = 0; j < vs->n_rs; j++)
			(void)json_array_append_new(servers, status_rs(&vs->rs[j].key, vs->rs[j].weight));
		(void)json_object_set_new(object, "realServers", servers);
		(void)json_array_append_new(vss, object);
	}
	for (size_t i = 0; i < plan->n_addrs; i++)
		(void)json_array_append_new(addrs, status_ip(&plan->addrs[i]));
	for (size_t i = 0; i < plan->n_served; i++)
		(void)json_array_append_new(served, json_string(vs_format(&plan->served[i], text)));
	return json_pack("{s:o, s:o, s:o}", "virtualServers", vss, "boundAddresses", addrs, "servedKeys", served);
}

json_t *plan_json(const struct planner_result *plan)
{
	json_t *operations = json_array(), *problems = json_array();

	for (size_t i = 0; i < plan->n_ops; i++)
		(void)json_array_append_new(operations, operation(&plan->ops[i]));
	for (size_t i = 0; i < plan->n_problems; i++)
		(void)json_array_append_new(problems, json_pack("{s:o, s:o}", "object", status_word(plan->problems[i].object),
								"text", status_word(plan->problems[i].text)));
	return json_pack("{s:s, s:o, s:I, s:o, s:o}", "version", SLUICE_VERSION, "operations", operations, "connections",
			 (json_int_t)touched(plan), "problems", problems, "wanted", wanted(plan));
}
