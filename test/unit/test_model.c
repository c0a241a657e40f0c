#include "core/model.h"
#include "test/unit/objects.h"

#include <sys/socket.h>

static void apply(struct model *m, struct change change)
{
	model_apply(m, &change);
}

/* The names that are dirty, in order, as one text; nothing is dirty behind. */
static const char *dirty(struct model *m)
{
	static char text[256];
	struct subject *s;

	text[0] = 0;
	while ((s = model_next_dirty(m))) {
		strcat(strcat(text, text[0] ? " " : ""), s->name);
		model_forget(m, s);
	}
	return text;
}

static void what_is_touched_is_dirty_once(void **state)
{
	struct model *m = model_new();

	(void)state;
	apply(m, service_change(a_service("web", "10.96.0.10")));
	apply(m, slice_change(a_slice("web-1", "web", AF_INET)));
	apply(m, service_change(a_service("db", "10.96.0.11")));
	assert_int_equal(model_services(m), 2);
	assert_string_equal(dirty(m), "default/web default/db");
	apply(m, service_change(a_service("web", "10.96.0.10")));
	apply(m, slice_change(a_slice("web-1", "web", AF_INET)));
	assert_string_equal(dirty(m), ""); /* nothing is different */
	apply(m, gone_change(CHANGE_SERVICE_GONE, "web"));
	assert_string_equal(dirty(m), "default/web");
	assert_int_equal(model_services(m), 1);
	model_free(m);
}

static void a_slice_that_names_another_service_leaves_the_first(void **state)
{
	struct model *m = model_new();
	struct subject *s;

	(void)state;
	apply(m, slice_change(a_slice("x", "web", AF_INET)));
	apply(m, slice_change(a_slice("y", "web", AF_INET)));
	assert_string_equal(dirty(m), "default/web");
	apply(m, slice_change(a_slice("x", "db", AF_INET)));
	s = model_next_dirty(m);
	assert_string_equal(s->name, "default/web");
	assert_int_equal(s->slices.n, 1);
	s = model_next_dirty(m);
	assert_string_equal(s->name, "default/db");
	assert_int_equal(s->slices.n, 1);
	model_free(m);
}

static void forgotten_when_nothing_is_left(void **state)
{
	struct model *m = model_new();

	(void)state;
	apply(m, slice_change(a_slice("x", "web", AF_INET)));
	apply(m, gone_change(CHANGE_SLICE_GONE, "x"));
	apply(m, gone_change(CHANGE_SLICE_GONE, "never-was"));
	assert_string_equal(dirty(m), "default/web");
	assert_null(model_next_dirty(m));
	apply(m, slice_change(a_slice("x", "web", AF_INET)));
	assert_string_equal(dirty(m), "default/web");
	model_free(m);
}

/* A field forgotten in a comparison is the classic bug: each is changed once. */
static void every_field_of_a_service_counts(void **state)
{
	struct service *a = a_service("web", "10.96.0.10");

	(void)state;
	for (int field = 0; field <= 10; field++) {
		struct service *b = a_service("web", "10.96.0.10");

		switch (field) {
		case 0: break;
		case 1: b->ns = "other"; break;
		case 2: b->name = "other"; break;
		case 3: b->created = 5; break;
		case 4: b->cluster_ips[0] = ip_of("10.96.0.99"); break;
		case 5: b->n_cluster_ips = 0; break;
		case 6: b->ports[0].name = "x"; break;
		case 7: b->ports[0].proto = PROTO_UDP; break;
		case 8: b->ports[0].port = 81; break;
		case 9: b->affinity_s = 1; break;
		case 10: b->internal_local = true; break;
		}
		assert_int_equal(service_equal(a, b), field == 0);
		service_free(b);
	}
	service_free(a);
}

static void every_field_of_a_slice_counts(void **state)
{
	struct slice *a = a_slice("x", "web", AF_INET);

	(void)state;
	an_endpoint(a, "10.1.0.1", "rs", "n1");
	for (int field = 0; field <= 14; field++) {
		struct slice *b = a_slice("x", "web", AF_INET);

		an_endpoint(b, "10.1.0.1", "rs", "n1");
		switch (field) {
		case 0: break;
		case 1: b->ns = "other"; break;
		case 2: b->name = "other"; break;
		case 3: b->service = "other"; break;
		case 4: b->family = AF_INET6; break;
		case 5: b->ports[0].name = "x"; break;
		case 6: b->ports[0].proto = PROTO_UDP; break;
		case 7: b->ports[0].port = 81; break;
		case 8: b->n_ports = 0; break;
		case 9: b->endpoints[0].ip = ip_of("10.1.0.2"); break;
		case 10: b->endpoints[0].node = NULL; break;
		case 11: b->endpoints[0].uid = "u"; break;
		case 12: b->endpoints[0].ready = false; break;
		case 13: b->endpoints[0].serving = false; break;
		case 14: b->endpoints[0].terminating = true; break;
		}
		assert_int_equal(slice_equal(a, b), field == 0);
		slice_free(b);
	}
	slice_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_touched_is_dirty_once), cmocka_unit_test(a_slice_that_names_another_service_leaves_the_first),
		cmocka_unit_test(forgotten_when_nothing_is_left), cmocka_unit_test(every_field_of_a_service_counts),
		cmocka_unit_test(every_field_of_a_slice_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
