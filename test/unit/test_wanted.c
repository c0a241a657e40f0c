#include "core/wanted.h"
#include "test/unit/objects.h"

#include <stdio.h>

static char said[512];

static void touched(void *ctx, const struct vs_key *key)
{
	(void)ctx;
	(void)key;
}

static void conflict(void *ctx, const struct vs_key *key, const char *loser, const char *winner)
{
	(void)ctx;
	(void)key;
	(void)snprintf(said, sizeof(said), "%s loses to %s", loser, winner);
}

static const struct wanted_listener listener = { NULL, touched, conflict };
static const struct node_facts facts = { .node = "n1", .sched = "rr" };

static void claim(struct wanted *w, const char *name, const char *ip, int64_t created)
{
	CLEANUP(free_p) char *full = NULL;
	struct subject s = { .service = ip ? a_service(name, ip) : NULL };

	if (asprintf(&full, "default/%s", name) < 0)
		abort();
	s.name = full;
	wanted_set(w, full, created, compile(&s, &facts), &listener);
	service_free(s.service);
}

static const char *owner(const struct wanted *w)
{
	struct vs_key key = vs_of("10.96.0.10:80/tcp");
	const char *service;

	return wanted_find(w, &key, &service) ? service : "nobody";
}

static void the_older_service_has_the_key_in_any_order(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct wanted *w = wanted_new();

		said[0] = 0;
		claim(w, order ? "young" : "old", "10.96.0.10", order ? 200 : 100);
		assert_string_equal(said, "");
		claim(w, order ? "old" : "young", "10.96.0.10", order ? 100 : 200);
		assert_string_equal(said, "default/young loses to default/old");
		assert_string_equal(owner(w), "default/old");
		claim(w, "old", NULL, 100);
		assert_string_equal(owner(w), "default/young");
		claim(w, "young", NULL, 0);
		assert_string_equal(owner(w), "nobody");
		wanted_free(w);
	}
}

static void without_a_time_it_is_the_youngest_and_names_decide(void **state)
{
	struct wanted *w = wanted_new();

	(void)state;
	claim(w, "a", "10.96.0.10", CREATED_UNKNOWN);
	claim(w, "z", "10.96.0.10", 5);
	assert_string_equal(owner(w), "default/z");
	claim(w, "z", "10.96.0.10", CREATED_UNKNOWN);
	assert_string_equal(owner(w), "default/a");
	wanted_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_older_service_has_the_key_in_any_order),
		cmocka_unit_test(without_a_time_it_is_the_youngest_and_names_decide),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
