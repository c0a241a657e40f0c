#include "core/observed.h"
#include "test/unit/unit.h"

#include <string.h>

static char told[256];

static void lost(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs)
{
	(void)ctx;
	(void)vs;
	(void)rs;
	strcat(told, "lost ");
}

static void drift(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs, const char *what)
{
	(void)ctx;
	(void)vs;
	(void)rs;
	strcat(strcat(told, what), " ");
}

static const struct observed_listener listener = { NULL, lost, drift };

/* A present virtual server of ours with real servers 10.1.0.1 (weight 1) and 10.1.0.2 (weight 0, draining since 1000). */
static struct seen_vs *a_vs(struct observed *o)
{
	struct vs_key key = vs_of("10.96.0.10:80/tcp");
	struct rs_key one = rs_of("10.1.0.1:8080"), two = rs_of("10.1.0.2:8080");
	struct seen_vs *vs = observed_vs_get(o, &key);

	vs->present = vs->ours = vs->known = true;
	seen_rs_insert(vs, &two)->weight = 0;
	seen_rs_insert(vs, &one)->weight = 1;
	seen_drain_begin(o, vs, seen_rs_find(vs, &two), (struct mono){ 1000 }, (struct mono){ 1000 });
	told[0] = 0;
	return vs;
}

static bool take(struct observed *o, struct seen_vs *vs, int n, int64_t at)
{
	const struct rs_row rows[] = { { rs_of("10.1.0.1:8080"), 1, 5, 0, 0 }, { rs_of("10.1.0.2:8080"), 0, 1, 2, 0 } };

	return observed_take_rss(o, vs, rows, (size_t)n, (struct mono){ at }, 1000, &listener);
}

static void counters_are_taken(void **state)
{
	struct observed o = { 0 };
	struct seen_vs *vs = a_vs(&o);

	(void)state;
	assert_false(take(&o, vs, 2, 1010));
	assert_string_equal(told, "");
	assert_int_equal(vs->rs[1].active, 1);
	assert_int_equal(vs->rs[1].drain.inactive_start, 2);
	observed_fini(&o);
}

static void a_row_missing_once_is_not_gone(void **state)
{
	struct observed o = { 0 };
	struct seen_vs *vs = a_vs(&o);

	(void)state;
	assert_true(take(&o, vs, 1, 1010)); /* dump again */
	assert_int_equal(vs->n_rs, 2);
	assert_false(take(&o, vs, 2, 1010)); /* it was only skipped */
	assert_int_equal(vs->n_rs, 2);
	assert_string_equal(told, "");
	observed_fini(&o);
}

static void missing_twice_is_doubted_but_not_gone(void **state)
{
	struct observed o = { 0 };
	struct seen_vs *vs = a_vs(&o);

	(void)state;
	assert_true(take(&o, vs, 1, 1010));
	vs->dirty = false;
	o.dirty_vss = NULL;
	assert_false(take(&o, vs, 1, 1010)); /* in the same millisecond */
	assert_int_equal(vs->n_rs, 2);
	assert_true(vs->rs[1].missed);
	assert_true(vs->dirty); /* the plan is to ask for it */
	assert_int_equal(o.n_draining, 1);
	assert_string_equal(told, "");
	observed_fini(&o);
}

static void a_weight_changed_by_hand_ends_the_proof_of_a_drain(void **state)
{
	struct observed o = { 0 };
	struct seen_vs *vs = a_vs(&o);
	const struct rs_row rows[] = { { rs_of("10.1.0.1:8080"), 1, 0, 0, 0 }, { rs_of("10.1.0.2:8080"), 7, 0, 0, 0 } };

	(void)state;
	(void)observed_take_rss(&o, vs, rows, 2, (struct mono){ 1010 }, 1000, &listener);
	assert_false(vs->rs[1].drain.on);
	assert_string_equal(told, "rs-weight ");
	observed_fini(&o);
}

static void a_virtual_server_missing_from_a_list_is_read_before_it_counts_as_gone(void **state)
{
	struct observed o = { 0 };
	struct seen_vs *vs = a_vs(&o);

	(void)state;
	observed_take_vss(&o, NULL, 0, &listener);
	assert_true(vs->present);
	assert_true(vs->stale);
	observed_take_absent(&o, vs, &listener);
	assert_false(vs->present);
	assert_string_equal(told, "lost vs-gone ");
	observed_fini(&o);
}

static void a_new_virtual_server_is_foreign_unless_we_asked_for_it(void **state)
{
	struct observed o = { 0 };
	struct vs_row rows[] = { { vs_of("10.96.0.10:80/tcp"), { "rr", 0, 0 } }, { vs_of("10.96.0.11:80/tcp"), { "rr", 0, 0 } } };
	struct seen_vs *asked = observed_vs_get(&o, &rows[1].key);

	(void)state;
	asked->unsure = true;
	told[0] = 0;
	observed_take_vss(&o, rows, 2, &listener);
	assert_false(observed_vs(&o, &rows[0].key)->ours);
	assert_true(asked->ours);
	observed_fini(&o);
}

static void addresses_and_filter_differences(void **state)
{
	struct observed o = { 0 };
	struct seen_vs *vs = a_vs(&o);
	struct ip ip = vs->key.ip;

	(void)state;
	assert_int_equal(observed_take_addrs(&o, &ip, 1), 1);
	assert_int_equal(observed_take_addrs(&o, &ip, 1), 0);
	assert_int_equal(observed_take_addrs(&o, NULL, 0), 1);
	assert_int_equal(observed_take_filter(&o, &ip, 1, &vs->key, 1, &ip, 1), 2); /* the guard, and the key */
	assert_int_equal(observed_take_filter(&o, &ip, 1, &vs->key, 1, &ip, 1), 0);
	assert_true(vs->served);
	vs->dirty = false;
	o.dirty_vss = NULL;
	assert_int_equal(observed_take_filter(&o, &ip, 1, &vs->key, 1, NULL, 0), 2); /* its ping is refused: to be planned */
	assert_true(vs->served && vs->dirty && !vs->addr->pinged);
	observed_fini(&o);
}

static void retries_back_off_up_to_half_a_minute(void **state)
{
	struct retry r = { MONO_NEVER, 0 };
	int64_t last = 0;

	(void)state;
	for (int i = 0; i < 20; i++) {
		retry_later(&r, (struct mono){ 0 });
		assert_true(r.at.ms >= last && r.at.ms <= 30000);
		last = r.at.ms;
	}
	assert_int_equal(last, 30000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_taken), cmocka_unit_test(a_row_missing_once_is_not_gone),
		cmocka_unit_test(missing_twice_is_doubted_but_not_gone), cmocka_unit_test(a_weight_changed_by_hand_ends_the_proof_of_a_drain),
		cmocka_unit_test(a_virtual_server_missing_from_a_list_is_read_before_it_counts_as_gone),
		cmocka_unit_test(a_new_virtual_server_is_foreign_unless_we_asked_for_it),
		cmocka_unit_test(addresses_and_filter_differences), cmocka_unit_test(retries_back_off_up_to_half_a_minute),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
