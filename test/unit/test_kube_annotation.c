/* What a Service's annotations ask for, and what is passed over. */
#include "test/unit/kube_decode.h"

#define ANNOTATED(annotations) META("name: web, namespace: shop, annotations: {" annotations "}")

static void annotations_are_wishes(void **state)
{
	struct outcome o;
	struct service *s = service_of(&o, ANNOTATED("sluice/scheduler: wlc, sluice/drain-limit: 1m30s, sluice/service-drain-limit: none, "
						     "sluice/drain-until: ignore-time-wait, other/key: [1]"));

	(void)state;
	assert_string_equal(o.sentence, "");
	assert_string_equal(s->sched, "wlc");
	assert_int_equal(s->drain.limit_ms, 90000);
	assert_int_equal(s->drain.gone_limit_ms, LIMIT_NONE);
	assert_true(s->drain.ignore_time_wait);
	change_fini(&o.change);
	s = service_of(&o, ANNOTATED("sluice/drain-until: empty"));
	assert_string_equal(s->sched, "");
	assert_int_equal(s->drain.limit_ms, LIMIT_NODE);
	assert_int_equal(s->drain.gone_limit_ms, LIMIT_NODE);
	assert_false(s->drain.ignore_time_wait);
	change_fini(&o.change);
}

/* The Service is served, and the warning says what is wrong. */
static void wrong_annotations_are_warnings(void **state)
{
	static const struct refusal cases[] = {
		{ ANNOTATED("sluice/drain-limit: soon"), "metadata.annotations.sluice/drain-limit must be a duration like 30s or 1m30s, or none, is "
							 "\"soon\": the node's value holds" },
		{ ANNOTATED("sluice/drain-limit: 30"), "metadata.annotations.sluice/drain-limit must be a duration like 30s or 1m30s, or none, is 30: "
						       "the node's value holds" },
		{ ANNOTATED("sluice/drain-limit: -1s"), "metadata.annotations.sluice/drain-limit must be a duration like 30s or 1m30s, or none, is "
							"\"-1s\": the node's value holds" },
		{ ANNOTATED("sluice/scheduler: round-robin-with-a-name-that-is-long"), "metadata.annotations.sluice/scheduler must be the name of a "
		  "scheduler, is \"round-robin-with-a-name-that-is-long\": the node's value holds" },
		{ ANNOTATED("sluice/scheduler: ''"), "metadata.annotations.sluice/scheduler must be the name of a scheduler, is \"\": the node's value holds" },
		{ ANNOTATED("sluice/drain-until: never"), "metadata.annotations.sluice/drain-until must be empty or ignore-time-wait, is \"never\": the "
							  "node's value holds" },
		{ ANNOTATED("sluice/drain-limits: 1m"), "metadata.annotations.sluice/drain-limits is no annotation that sluice knows, is \"1m\": the "
							"node's value holds" },
		{ ANNOTATED("sluice/drain-until: [], sluice/scheduler: 'a b'"), "metadata.annotations.sluice/drain-until must be empty or "
		  "ignore-time-wait, is a list: the node's value holds; sluice/scheduler must be the name of a scheduler" },
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases), OBJECT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(annotations_are_wishes),
		cmocka_unit_test(wrong_annotations_are_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
