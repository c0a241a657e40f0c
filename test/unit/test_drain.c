#include "core/drain.h"
#include "core/policy.h"
#include "test/unit/unit.h"

#define NEVER (-1)

/* weight 0 acknowledged at 1000; deadline, zero_since and sight as given. */
static const struct {
	const char *name;
	int64_t deadline, zero_since, dumped, now;
	uint32_t active, inactive;
	bool wanted, gone;
	enum drain_verdict verdict;
} cases[] = {
	{ "never read", NEVER, NEVER, NEVER, 1000, 0, 0, false, false, DRAIN_SETTLE },
	{ "a zero counted before weight 0 proves nothing", NEVER, NEVER, 999, 1010, 0, 0, false, false, DRAIN_SETTLE },
	{ "a zero of the same instant proves nothing", NEVER, 990, 1000, 1010, 0, 0, false, false, DRAIN_SETTLE },
	{ "first zero", NEVER, 1010, 1010, 1010, 0, 0, false, false, DRAIN_SETTLE },
	{ "second zero too early", NEVER, 1010, 1019, 1019, 0, 0, false, false, DRAIN_SETTLE },
	{ "second zero", NEVER, 1010, 1020, 1020, 0, 0, false, false, DRAIN_DELETE },
	{ "active", NEVER, NEVER, 1020, 1020, 1, 0, false, false, DRAIN_KEEP },
	{ "only inactive holds too", NEVER, NEVER, 1020, 1020, 0, 1, false, false, DRAIN_KEEP },
	{ "limit not yet", 2000, NEVER, 1999, 1999, 1, 0, false, false, DRAIN_KEEP },
	{ "limit", 2000, NEVER, 1999, 2000, 1, 0, false, false, DRAIN_FORCE },
	{ "wanted again", 2000, NEVER, 1999, 3000, 1, 0, true, false, DRAIN_REVIVE },
	{ "deleted by somebody", NEVER, NEVER, 1999, 3000, 1, 0, false, true, DRAIN_GONE },
};

static void verdicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drain d;
		struct drain_sight s = { cases[i].wanted, !cases[i].gone, cases[i].active, cases[i].inactive, { cases[i].dumped } };

		drain_begin(&d, (struct mono){ 1000 }, (struct mono){ 1000 }, LIMIT_NONE);
		d.deadline.ms = cases[i].deadline;
		d.zero_since.ms = cases[i].zero_since;
		if (drain_judge(&d, &s, (struct mono){ cases[i].now }) != cases[i].verdict)
			fail_msg("%s", cases[i].name);
	}
}

static void note(struct drain *d, int64_t at, uint32_t active, uint32_t inactive, uint32_t before)
{
	struct drain_sight s = { false, true, active, inactive, { at } };

	drain_note(d, &s, before, 1000);
}

static void checks_are_fast_then_slow(void **state)
{
	struct drain d;

	(void)state;
	drain_begin(&d, (struct mono){ 1000 }, (struct mono){ 1000 }, LIMIT_NONE);
	assert_int_equal(d.next_check.ms, 1010);
	note(&d, 1010, 1, 2, 1);
	assert_int_equal(d.active_start, 1);
	assert_int_equal(d.inactive_start, 2);
	assert_int_equal(d.next_check.ms, 1060);
	note(&d, 1060, 1, 0, 1);
	assert_int_equal(d.next_check.ms, 1310);
	note(&d, 1310, 1, 0, 1);
	assert_int_equal(d.next_check.ms, 2310);
	note(&d, 2310, 0, 1, 1);
	assert_int_equal(d.next_check.ms, 3310);
	note(&d, 3310, 0, 0, 0);
	assert_int_equal(d.next_check.ms, 3320); /* a first zero: the second read follows */
	note(&d, 3320, 0, 0, 0);
	assert_false(d.dropped_at_once);
	assert_int_equal(d.active_start, 1);
	assert_int_equal(d.next_check.ms, 4320); /* zero twice and still here: not read without pause */
}

static void a_connection_breaks_the_row_of_zeros(void **state)
{
	struct drain d;
	struct drain_sight s = { false, true, 0, 0, { 1035 } };

	(void)state;
	drain_begin(&d, (struct mono){ 1000 }, (struct mono){ 1000 }, LIMIT_NONE);
	note(&d, 1010, 0, 0, 0);
	note(&d, 1015, 1, 0, 0);
	note(&d, 1030, 0, 0, 1);
	assert_int_equal(drain_judge(&d, &s, s.dumped_at), DRAIN_SETTLE);
}

static void idle_expiry_is_told_from_emptiness(void **state)
{
	struct drain d;

	(void)state;
	drain_begin(&d, (struct mono){ 1000 }, (struct mono){ 1000 }, LIMIT_NONE);
	note(&d, 1010, 3, 0, 3);
	note(&d, 2010, 0, 0, 3);
	note(&d, 2020, 0, 0, 0);
	assert_true(d.dropped_at_once);
}

static void an_old_reading_is_not_taken(void **state)
{
	struct drain d;

	(void)state;
	drain_begin(&d, (struct mono){ 1000 }, (struct mono){ 1000 }, LIMIT_NONE);
	note(&d, 1000, 0, 0, 0);
	assert_false(mono_set(d.zero_since));
	assert_false(d.counted);
}

static void one_dear_check_does_not_slow_the_rest(void **state)
{
	int64_t cost = 0;

	(void)state;
	for (int i = 0; i < 200; i++)
		cost = drain_cost(cost, 2000);
	assert_in_range(cost, 1900, 2000);
	cost = drain_cost(cost, 500000); /* the host did something else in between */
	assert_in_range(cost, 1900, 2300);
	assert_int_equal(drain_period_ms(2, cost), 1000);
	for (int i = 0; i < 200; i++)
		cost = drain_cost(cost, 50);
	assert_in_range(cost, 50, 60);
}

static void many_checks_take_one_percent(void **state)
{
	(void)state;
	assert_int_equal(drain_period_ms(0, 0), 1000);
	assert_int_equal(drain_period_ms(100, 100), 1000);
	assert_int_equal(drain_period_ms(1000, 50), 5000);
	assert_int_equal(drain_period_ms(5000, 200), 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts), cmocka_unit_test(checks_are_fast_then_slow), cmocka_unit_test(a_connection_breaks_the_row_of_zeros),
		cmocka_unit_test(idle_expiry_is_told_from_emptiness), cmocka_unit_test(an_old_reading_is_not_taken),
		cmocka_unit_test(one_dear_check_does_not_slow_the_rest), cmocka_unit_test(many_checks_take_one_percent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
