#include "test/unit/unit.h"

#include "serve/status.h"

#include <jansson.h>
#include <string.h>

/* A view with one of everything. Its parts live as long as the test. */
static struct view_rs servers[2];
static struct view_vs virtuals[2];
static struct view_drain drains[2];
static struct view_outcome outcomes[1];
static struct view_problem problems[1];
static struct view_address addresses[2];

static struct view full(void)
{
	servers[0] = (struct view_rs){ rs_of("10.1.0.5:8080"), 1, 3, 12, true, false };
	servers[1] = (struct view_rs){ rs_of("10.1.0.6:8080"), 0, 4000000000u, 1, false, true };
	virtuals[0] = (struct view_vs){ vs_of("10.96.0.10:80/tcp"), { "wlc", VS_FLAG_PERSISTENT | VS_FLAG_HASHED, 10800 }, "default/web",
					"http", "serving", servers, 2 };
	virtuals[1] = (struct view_vs){ vs_of("[fd00::10]:53/udp"), { "rr", VS_FLAG_HASHED, 360 }, "kube-system/dns", "", "refusing",
					NULL, 0 };
	drains[0] = (struct view_drain){ vs_of("10.96.0.10:80/tcp"), rs_of("10.1.0.6:8080"), "default/web", 12345, 5, 0, 4, 1, -1, 1000,
					 "keep", false, { 0 }, NULL, 0 };
	drains[1] = (struct view_drain){ vs_of("[fd00::10]:53/tcp"), rs_of("[fd00::5]:53"), "", 0, 0, 0, 0, 0, 59650, 250, "settle",
					 false, { 0 }, NULL, 0 };
	outcomes[0] = (struct view_outcome){ vs_of("10.96.0.10:80/tcp"), rs_of("10.1.0.7:8080"), "default/web", "limit", 4000, 131250, 7 };
	problems[0] = (struct view_problem){ "default/copy", "10.96.0.10:80/tcp belongs to default/web" };
	addresses[0] = (struct view_address){ ip_of("10.96.0.10"), true, true, -1 };
	addresses[1] = (struct view_address){ ip_of("fd00::10"), true, false, 4500 };
	return (struct view){ .synced = true, .passes = 41, .ops = 1ull << 40, .op_failures = 1, .drift_repairs = 2,
			      .audit_age_ms = 12345, .vss = virtuals, .n_vss = 2, .drains = drains, .n_drains = 2, .outcomes = outcomes,
			      .n_outcomes = 1, .problems = problems, .n_problems = 1, .addresses = addresses, .n_addresses = 2 };
}

static void expect(json_t *json, const char *wanted)
{
	char *text;

	assert_non_null(json);
	text = json_dumps(json, STATUS_DUMP | JSON_COMPACT | JSON_ENCODE_ANY);
	assert_string_equal(text, wanted);
	free(text);
	json_decref(json);
}

static void expect_page(void (*page)(const struct view *view, struct text *ret), const struct view *view, const char *wanted)
{
	struct text text = { 0 };

	page(view, &text);
	assert_string_equal(text_str(&text), wanted);
	text_fini(&text);
}

/* A page must be JSON whatever is in the view. owned: json_decref(). */
static json_t *page_json(void (*page)(const struct view *view, struct text *ret), const struct view *view)
{
	struct text text = { 0 };
	json_error_t error;
	json_t *json;

	page(view, &text);
	json = json_loads(text_str(&text), JSON_REJECT_DUPLICATES, &error);
	if (!json)
		fail_msg("%s: %s", error.text, text_str(&text));
	text_fini(&text);
	return json;
}

/* These texts are promised in the man pages: scripts read them. */
static void status_has_its_promised_form(void **state)
{
	struct view view = full();

	expect_page(status_text, &view,
	       "{\"version\":\"" SLUICE_VERSION "\",\"synced\":true,\"partial\":false,\"auditAgeSeconds\":12.345,\"virtualServers\":["
	       "{\"address\":\"10.96.0.10\",\"port\":80,\"protocol\":\"TCP\",\"scheduler\":\"wlc\",\"persistenceTimeoutSeconds\":10800,"
	       "\"service\":\"default/web\",\"portName\":\"http\",\"state\":\"serving\",\"realServers\":["
	       "{\"address\":\"10.1.0.5\",\"port\":8080,\"weight\":1,\"activeConnections\":3,\"inactiveConnections\":12,"
	       "\"draining\":false},"
	       "{\"address\":\"10.1.0.6\",\"port\":8080,\"weight\":0,\"activeConnections\":4000000000,\"inactiveConnections\":1,"
	       "\"draining\":true}]},"
	       "{\"address\":\"fd00::10\",\"port\":53,\"protocol\":\"UDP\",\"scheduler\":\"rr\",\"persistenceTimeoutSeconds\":0,"
	       "\"service\":\"kube-system/dns\",\"portName\":\"\",\"state\":\"refusing\",\"realServers\":[]}],"
	       "\"drains\":[{\"virtualServer\":\"10.96.0.10:80/tcp\",\"realServer\":\"10.1.0.6:8080\",\"service\":\"default/web\","
	       "\"ageSeconds\":12.345,\"start\":{\"active\":5,\"inactive\":0},\"now\":{\"active\":4,\"inactive\":1},"
	       "\"limitSecondsLeft\":null,\"checkEverySeconds\":1.0,\"verdict\":\"keep\"},"
	       "{\"virtualServer\":\"[fd00::10]:53/tcp\",\"realServer\":\"[fd00::5]:53\",\"service\":\"\",\"ageSeconds\":0.0,"
	       "\"start\":{\"active\":0,\"inactive\":0},\"now\":{\"active\":0,\"inactive\":0},\"limitSecondsLeft\":59.65,"
	       "\"checkEverySeconds\":0.25,\"verdict\":\"settle\"}],"
	       "\"problems\":[{\"object\":\"default/copy\",\"text\":\"10.96.0.10:80/tcp belongs to default/web\"}],"
	       "\"addresses\":[{\"address\":\"10.96.0.10\",\"bound\":true,\"guarded\":true,\"lingerSecondsLeft\":null},"
	       "{\"address\":\"fd00::10\",\"bound\":true,\"guarded\":false,\"lingerSecondsLeft\":4.5}],"
	       "\"counters\":{\"passes\":41,\"operations\":1099511627776,\"operationFailures\":1,\"driftRepairs\":2}}");
}

static void drains_have_their_promised_form(void **state)
{
	struct view view = full();

	view.n_drains = 0;
	view.outcome_counts[OUTCOME_LIMIT] = 9;
	expect_page(drains_text, &view,
	       "{\"version\":\"" SLUICE_VERSION "\",\"drains\":[],\"outcomes\":[{\"virtualServer\":\"10.96.0.10:80/tcp\","
	       "\"realServer\":\"10.1.0.7:8080\",\"service\":\"default/web\",\"outcome\":\"limit\",\"endedSecondsAgo\":4.0,"
	       "\"tookSeconds\":131.25,\"connectionsCut\":7}],\"outcomeCounts\":{\"empty\":0,\"idle-expired\":0,\"limit\":9,\"undrained\":0,"
	       "\"superseded\":0,\"service-gone\":0,\"lost\":0}}");
}

static void who_holds_a_drain_is_shown_where_it_was_asked(void **state)
{
	struct flow held[] = { { ip_of("198.51.100.7"), FLOW_ESTABLISHED, 40000, 431 }, { ip_of("fd00::7"), FLOW_FIN_WAIT, 40001, 100 } };
	struct view view = full();
	json_t *json;

	(void)state;
	drains[0].asked = true;
	drains[0].by_state[FLOW_ESTABLISHED] = 4;
	drains[0].by_state[FLOW_FIN_WAIT] = 1;
	drains[0].holders = held;
	drains[0].n_holders = 2;
	json = page_json(drains_text, &view);
	expect(json_incref(json_object_get(json_array_get(json_object_get(json, "drains"), 0), "states")), "{\"established\":4,\"fin-wait\":1}");
	expect(json_incref(json_object_get(json_array_get(json_object_get(json, "drains"), 0), "holders")),
	       "[{\"client\":\"198.51.100.7\",\"port\":40000,\"state\":\"established\",\"forgottenInSeconds\":431},"
	       "{\"client\":\"fd00::7\",\"port\":40001,\"state\":\"fin-wait\",\"forgottenInSeconds\":100}]");
	assert_null(json_object_get(json_array_get(json_object_get(json, "drains"), 1), "holders"));
	json_decref(json);
}

static void an_empty_view_has_all_lists(void **state)
{
	struct view view = { .audit_age_ms = -1 };

	expect_page(status_text, &view,
	       "{\"version\":\"" SLUICE_VERSION "\",\"synced\":false,\"partial\":false,\"auditAgeSeconds\":null,\"virtualServers\":[],"
	       "\"drains\":[],\"problems\":[],\"addresses\":[],"
	       "\"counters\":{\"passes\":0,\"operations\":0,\"operationFailures\":0,\"driftRepairs\":0}}");
}

/* Text that is no UTF-8 must not make the whole answer vanish. */
static void bytes_that_are_no_utf8_are_replaced(void **state)
{
	struct view view = full();

	expect(status_word("a\xff\xfe" "b"), "\"a??b\"");
	expect(status_word("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
	expect(status_word("\"\n\033"), "\"\\\"\\n\\u001B\"");
	expect(status_word(NULL), "\"\"");
	problems[0].text = "\xc3";
	virtuals[0].service = "\x80";
	drains[0].verdict = NULL;
	json_decref(page_json(status_text, &view));
	json_decref(page_json(drains_text, &view));
}

static void every_protocol_has_its_name(void **state)
{
	static const char *const names[] = { "TCP", "UDP", "SCTP" };
	static const uint8_t protos[] = { PROTO_TCP, PROTO_UDP, PROTO_SCTP };
	struct view view = full();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_t *json;

		virtuals[0].key.proto = protos[i];
		json = page_json(status_text, &view);
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(json_object_get(json, "virtualServers"), 0), "protocol")), names[i]);
		json_decref(json);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_has_its_promised_form),
		cmocka_unit_test(drains_have_their_promised_form),
		cmocka_unit_test(who_holds_a_drain_is_shown_where_it_was_asked), cmocka_unit_test(an_empty_view_has_all_lists),
		cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
		cmocka_unit_test(every_protocol_has_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
