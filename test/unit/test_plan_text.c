#include "test/unit/unit.h"

#include "cli/plan_text.h"

#include <jansson.h>
#include <string.h>

#define VS "10.96.0.10:80/tcp"
#define RS "10.1.0.5:8080"

static struct planner_op planned(enum op_kind kind, const char *vs, const char *rs, uint32_t connections)
{
	struct planner_op out = { .connections = connections, .service = "default/web" };

	out.op.kind = kind;
	out.op.vs = vs_of(vs);
	if (rs)
		out.op.rs = rs_of(rs);
	if (kind == OP_GUARD || kind == OP_ADDR_ADD || kind == OP_ADDR_DEL || kind == OP_UNGUARD) {
		out.op.vs.port = 0;
		out.op.vs.proto = 0;
		out.service = "";
	}
	if (kind == OP_VS_ADD || kind == OP_VS_SET)
		out.op.attrs = (struct vs_attrs){ "rr", kind == OP_VS_SET ? VS_FLAG_PERSISTENT : 0, kind == OP_VS_SET ? 10800 : 0 };
	out.op.weight = kind == OP_RS_ADD || kind == OP_RS_RAISE;
	return out;
}

static void expect_text(struct planner_op *ops, size_t n, const char *wanted)
{
	struct planner_result plan = { .ops = ops, .n_ops = n };
	struct text text = { 0 };

	plan_text(&plan, &text);
	assert_string_equal(text_str(&text), wanted);
	text_fini(&text);
}

static void an_unchanged_world_needs_nothing(void **state)
{
	expect_text(NULL, 0, "nothing to do: the kernel is as the manifests want it\n");
}

static void each_operation_is_a_line(void **state)
{
	struct planner_op ops[] = {
		planned(OP_GUARD, VS, NULL, 0),	   planned(OP_ADDR_ADD, VS, NULL, 0), planned(OP_VS_ADD, VS, NULL, 0),
		planned(OP_VS_SET, VS, NULL, 4),   planned(OP_RS_ADD, VS, RS, 0),     planned(OP_RS_RAISE, VS, RS, 1),
		planned(OP_SERVE, VS, NULL, 4),	   planned(OP_UNSERVE, VS, NULL, 4),  planned(OP_RS_ZERO, VS, RS, 3),
		planned(OP_RS_DEL, VS, RS, 0),	   planned(OP_VS_DEL, VS, NULL, 0),   planned(OP_ADDR_DEL, VS, NULL, 0),
		planned(OP_UNGUARD, VS, NULL, 0),
	};

	expect_text(ops, ARRAY_SIZE(ops),
		"guard     10.96.0.10                                     what is not served there is refused\n"
		"addr-add  10.96.0.10                                     becomes an address of this node\n"
		"vs-add    10.96.0.10:80/tcp                 default/web  rr\n"
		"vs-set    10.96.0.10:80/tcp                 default/web  4 connections stay; now rr, persistent 10800s\n"
		"rs-add    10.96.0.10:80/tcp  10.1.0.5:8080  default/web  weight 1\n"
		"rs-raise  10.96.0.10:80/tcp  10.1.0.5:8080  default/web  1 connection stays; weight 1\n"
		"serve     10.96.0.10:80/tcp                 default/web  new connections are let in\n"
		"unserve   10.96.0.10:80/tcp                 default/web  4 connections stay; new ones are refused\n"
		"rs-zero   10.96.0.10:80/tcp  10.1.0.5:8080  default/web  3 connections (drains; deleted when the kernel counts none)\n"
		"rs-del    10.96.0.10:80/tcp  10.1.0.5:8080  default/web  0 connections\n"
		"vs-del    10.96.0.10:80/tcp                 default/web  0 connections\n"
		"addr-del  10.96.0.10                                     is no address of this node any more\n"
		"unguard   10.96.0.10                                     nothing is refused there any more\n"
		"\n"
		"13 operations, 4 live connections touched\n");
}

/* Those of its virtual server are the same ones. */
static void a_connection_counts_once(void **state)
{
	struct planner_op ops[] = { planned(OP_UNSERVE, VS, NULL, 1), planned(OP_RS_ZERO, VS, RS, 1) };

	expect_text(ops, ARRAY_SIZE(ops),
		"unserve  10.96.0.10:80/tcp                 default/web  1 connection stays; new ones are refused\n"
		"rs-zero  10.96.0.10:80/tcp  10.1.0.5:8080  default/web  1 connection (drains; deleted when the kernel counts none)\n"
		"\n"
		"2 operations, 1 live connection touched\n");
}

static void json_has_its_promised_form(void **state)
{
	struct planner_op ops[] = { planned(OP_GUARD, "[fd00::10]:80/tcp", NULL, 0), planned(OP_VS_SET, VS, NULL, 3),
				    planned(OP_RS_ZERO, VS, RS, 3), planned(OP_RS_DEL, VS, RS, 0) };
	struct planner_rs rs[] = { { rs_of("10.1.0.6:8080"), 1 } };
	struct planner_vs vss[] = { { vs_of(VS), { "rr", VS_FLAG_PERSISTENT, 10800 }, "default/web", "http", rs, 1 } };
	struct ip addrs[] = { ip_of("10.96.0.10") };
	struct vs_key served[] = { vs_of(VS) };
	struct view_problem problems[] = { { "default/copy", "is younger" } };
	struct planner_result plan = { .ops = ops, .n_ops = 4, .vss = vss, .n_vss = 1, .addrs = addrs, .n_addrs = 1, .served = served,
				       .n_served = 1, .problems = problems, .n_problems = 1 };
	json_t *json = plan_json(&plan);
	char *text = json_dumps(json, JSON_COMPACT);

	assert_string_equal(text,
		"{\"version\":\"" SLUICE_VERSION "\",\"operations\":["
		"{\"operation\":\"guard\",\"address\":\"fd00::10\",\"virtualServer\":null,\"realServer\":null,\"service\":\"\","
		"\"connections\":0},"
		"{\"operation\":\"vs-set\",\"address\":\"10.96.0.10\",\"virtualServer\":\"10.96.0.10:80/tcp\",\"realServer\":null,"
		"\"service\":\"default/web\",\"connections\":3,\"scheduler\":\"rr\",\"persistenceTimeoutSeconds\":10800},"
		"{\"operation\":\"rs-zero\",\"address\":\"10.96.0.10\",\"virtualServer\":\"10.96.0.10:80/tcp\","
		"\"realServer\":\"10.1.0.5:8080\",\"service\":\"default/web\",\"connections\":3,\"weight\":0},"
		"{\"operation\":\"rs-del\",\"address\":\"10.96.0.10\",\"virtualServer\":\"10.96.0.10:80/tcp\","
		"\"realServer\":\"10.1.0.5:8080\",\"service\":\"default/web\",\"connections\":0}],"
		"\"connections\":3,\"problems\":[{\"object\":\"default/copy\",\"text\":\"is younger\"}],"
		"\"wanted\":{\"virtualServers\":[{\"address\":\"10.96.0.10\",\"port\":80,\"protocol\":\"TCP\",\"scheduler\":\"rr\","
		"\"persistenceTimeoutSeconds\":10800,\"service\":\"default/web\",\"portName\":\"http\",\"realServers\":["
		"{\"address\":\"10.1.0.6\",\"port\":8080,\"weight\":1}]}],"
		"\"boundAddresses\":[\"10.96.0.10\"],\"servedKeys\":[\"10.96.0.10:80/tcp\"]}}");
	free(text);
	json_decref(json);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unchanged_world_needs_nothing),
		cmocka_unit_test(each_operation_is_a_line),
		cmocka_unit_test(a_connection_counts_once),
		cmocka_unit_test(json_has_its_promised_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
