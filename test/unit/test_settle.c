#include "core/settle.h"
#include "core/plan.h"
#include "test/unit/unit.h"

#include <errno.h>

static struct observed o;
static struct seen_vs *vs;

static const struct mono now = { 5000 };

/* Ours, bound, guarded, served, with 10.1.0.1 at weight 1 and 10.1.0.2 draining and counted zero twice. */
static int setup(void **state)
{
	struct vs_key key = vs_of("10.96.0.10:80/tcp");
	struct rs_key one = rs_of("10.1.0.1:8080"), two = rs_of("10.1.0.2:8080");

	(void)state;
	vs = observed_vs_get(&o, &key);
	vs->present = vs->ours = vs->served = true;
	vs->addr->bound = vs->addr->ours = vs->addr->guarded = true;
	seen_rs_insert(vs, &one)->weight = 1;
	seen_rs_insert(vs, &two)->weight = 0;
	seen_drain_begin(&o, vs, seen_rs_find(vs, &two), (struct mono){ 1000 }, (struct mono){ 1000 });
	seen_rs_find(vs, &two)->drain.verdict = DRAIN_DELETE;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	observed_fini(&o);
	return 0;
}

static struct op an_op(enum op_kind kind, const char *rs)
{
	struct op op = { .kind = kind, .vs = vs->key };

	if (rs)
		op.rs = rs_of(rs);
	return op;
}

static struct settled answer(enum op_kind kind, const char *rs, int code)
{
	struct op op = an_op(kind, rs);

	return settle(&o, &op, (struct op_result){ code }, now);
}

static void a_failure_changes_nothing_but_makes_it_doubtful(void **state)
{
	static const int codes[] = { -ENOMEM, -EBUSY, -EINVAL, -EPERM, -ETIMEDOUT };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		struct settled s = answer(OP_RS_DEL, "10.1.0.2:8080", codes[i]);

		assert_false(s.done);
		assert_false(s.drain_ended);
		assert_int_equal(vs->n_rs, 2);
		assert_true(vs->stale);
		assert_true(retry_waits(&vs->retry, now));
	}
}

static void missing_on_delete_is_done(void **state)
{
	(void)state;
	struct settled s = answer(OP_RS_DEL, "10.1.0.2:8080", -ENOENT);

	assert_true(s.done && s.drain_ended);
	assert_int_equal(s.outcome, OUTCOME_LOST);
	assert_int_equal(vs->n_rs, 1);
	assert_false(vs->stale);
}

static void no_virtual_server_makes_it_be_read(void **state)
{
	(void)state;
	assert_false(answer(OP_RS_ADD, "10.1.0.3:8080", -ESRCH).done);
	assert_true(vs->stale);
	assert_false(retry_waits(&vs->retry, now)); /* at once */
}

static void a_key_that_exists_is_foreign_unless_an_answer_was_missing_before(void **state)
{
	(void)state;
	vs->present = vs->ours = false;
	assert_true(answer(OP_VS_ADD, NULL, -EEXIST).foreign);
	assert_false(vs->unsure);
	(void)answer(OP_VS_ADD, NULL, -ETIMEDOUT);
	assert_true(vs->unsure);
	assert_false(answer(OP_VS_ADD, NULL, -EEXIST).foreign);
	assert_true(vs->unsure);
}

static void weight_zero_begins_a_drain_and_raising_ends_it(void **state)
{
	(void)state;
	assert_true(answer(OP_RS_ZERO, "10.1.0.1:8080", 0).drain_began);
	assert_int_equal(vs->n_draining, 2);
	assert_int_equal(vs->rs[0].drain.zeroed_at.ms, now.ms);
	struct op raise = an_op(OP_RS_RAISE, "10.1.0.2:8080");

	raise.weight = 1;
	struct settled s = settle(&o, &raise, (struct op_result){ 0 }, now);

	assert_true(s.drain_ended);
	assert_int_equal(s.outcome, OUTCOME_UNDRAINED);
	assert_int_equal(vs->rs[1].weight, 1);
	assert_int_equal(vs->n_draining, 1);
}

static void addresses(void **state)
{
	(void)state;
	struct op op = { .kind = OP_ADDR_ADD, .vs.ip = vs->key.ip };

	vs->addr->bound = vs->addr->ours = false;
	assert_true(settle(&o, &op, (struct op_result){ -EEXIST }, now).done);
	assert_true(vs->addr->bound);
	op.kind = OP_ADDR_DEL;
	assert_false(settle(&o, &op, (struct op_result){ -EPERM }, now).done);
	assert_true(vs->addr->bound);
	assert_true(settle(&o, &op, (struct op_result){ -EADDRNOTAVAIL }, now).done);
	assert_false(vs->addr->bound);
}

static bool ready(enum op_kind kind, const char *rs)
{
	struct op op = an_op(kind, rs);

	return plan_ready(&op, &o);
}

/* The last line of defence: nothing is sent whose ground is missing, whatever a plan said. */
static void nothing_is_sent_without_its_ground(void **state)
{
	(void)state;
	struct op bind = { .kind = OP_ADDR_ADD, .vs.ip = vs->key.ip }, unbind = { .kind = OP_ADDR_DEL, .vs.ip = vs->key.ip },
		  unguard = { .kind = OP_UNGUARD, .vs.ip = vs->key.ip };

	assert_true(ready(OP_RS_DEL, "10.1.0.2:8080"));
	assert_false(ready(OP_RS_DEL, "10.1.0.1:8080")); /* weight 1 */
	vs->rs[1].drain.verdict = DRAIN_KEEP;
	assert_false(ready(OP_RS_DEL, "10.1.0.2:8080"));
	assert_false(ready(OP_VS_DEL, NULL)); /* real servers, served */
	assert_false(plan_ready(&unbind, &o)); /* its virtual server is there */
	assert_false(plan_ready(&unguard, &o)); /* bound */
	vs->addr->bound = vs->addr->guarded = false;
	assert_false(plan_ready(&bind, &o)); /* not guarded */
	vs->present = false;
	assert_false(ready(OP_VS_ADD, NULL)); /* not bound */
	assert_false(ready(OP_SERVE, NULL));
	vs->addr->bound = vs->addr->guarded = vs->present = true;
	vs->served = false;
	assert_true(ready(OP_SERVE, NULL));
	vs->rs[0].weight = 0;
	assert_false(ready(OP_SERVE, NULL)); /* nobody there to serve */
	vs->ours = false;
	assert_false(ready(OP_RS_ZERO, "10.1.0.1:8080")); /* somebody else's */
	assert_false(ready(OP_VS_SET, NULL));
	vs->stale = true;
	vs->ours = true;
	assert_false(ready(OP_RS_ADD, "10.1.0.3:8080")); /* doubtful */
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_failure_changes_nothing_but_makes_it_doubtful), T(missing_on_delete_is_done), T(no_virtual_server_makes_it_be_read),
		T(a_key_that_exists_is_foreign_unless_an_answer_was_missing_before), T(weight_zero_begins_a_drain_and_raising_ends_it),
		T(addresses), T(nothing_is_sent_without_its_ground),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
