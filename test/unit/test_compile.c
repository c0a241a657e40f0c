#include "core/compile.h"
#include "test/unit/objects.h"

#include <sys/socket.h>

static const struct node_facts facts = { .node = "n1", .sched = "rr" };

/* The real servers of default/web's only virtual server as one text. */
static const char *chosen(struct slice **slices, size_t n, bool local)
{
	static char text[512];
	struct service *service = a_service("web", "10.96.0.10");
	struct subject s = { .name = (char *)"default/web", .service = service };
	struct compiled *c;
	char rs[RS_TEXT];

	service->internal_local = local;
	for (size_t i = 0; i < n; i++)
		*vec_push(&s.slices) = slices[i];
	c = compile(&s, &facts);
	assert_int_equal(c->n_vss, 1);
	text[0] = 0;
	for (size_t i = 0; i < c->vss[0].n_rs; i++) {
		strcat(text, i ? " " : "");
		strcat(text, rs_format(&c->vss[0].rs[i].key, rs));
	}
	compiled_free(c);
	free(s.slices.v);
	service_free(service);
	return text;
}

static void check(const char *conditions[3], bool local, const char *expected)
{
	static const char *const ips[] = { "10.1.0.1", "10.1.0.2", "10.1.0.3" };
	struct slice *slice = a_slice("web-1", "web", AF_INET);

	for (int i = 0; i < 3; i++)
		if (conditions[i])
			an_endpoint(slice, ips[i], conditions[i], i == 0 ? "n1" : "n2");
	assert_string_equal(chosen(&slice, 1, local), expected);
	slice_free(slice);
}

static void selection(void **state)
{
	(void)state;
	check((const char *[]){ "rs", "rs", "rs" }, false, "10.1.0.1:8080 10.1.0.2:8080 10.1.0.3:8080");
	check((const char *[]){ "rs", "st", "" }, false, "10.1.0.1:8080");
	check((const char *[]){ "st", "st", "s" }, false, "10.1.0.1:8080 10.1.0.2:8080"); /* none ready: serving and terminating */
	check((const char *[]){ "t", "s", "" }, false, "");                                /* never one that does not serve */
	check((const char *[]){ "rs", "rs", NULL }, true, "10.1.0.1:8080");
	check((const char *[]){ "st", "rs", NULL }, true, "10.1.0.1:8080");
	check((const char *[]){ NULL, "rs", NULL }, true, "");
}

static void the_ready_record_of_an_address_wins_in_any_order(void **state)
{
	struct slice *a = a_slice("a", "web", AF_INET), *b = a_slice("b", "web", AF_INET);

	(void)state;
	an_endpoint(a, "10.1.0.1", "t", NULL);
	an_endpoint(a, "10.1.0.1", "rs", NULL);
	an_endpoint(b, "10.1.0.1", "st", NULL);
	assert_string_equal(chosen((struct slice *[]){ a, b }, 2, false), "10.1.0.1:8080");
	assert_string_equal(chosen((struct slice *[]){ b, a }, 2, false), "10.1.0.1:8080");
	slice_free(a);
	slice_free(b);
}

static void other_family_port_name_and_protocol_do_not_count(void **state)
{
	struct slice *six = a_slice("six", "web", AF_INET6), *other = a_slice("other", "web", AF_INET), *udp = a_slice("udp", "web", AF_INET);

	(void)state;
	an_endpoint(six, "fd00::1", "rs", NULL);
	an_endpoint(other, "10.1.0.1", "rs", NULL);
	other->ports[0].name = "metrics";
	an_endpoint(udp, "10.1.0.2", "rs", NULL);
	udp->ports[0].proto = PROTO_UDP;
	assert_string_equal(chosen((struct slice *[]){ six, other, udp }, 3, false), "");
	slice_free(six);
	slice_free(other);
	slice_free(udp);
}

static void one_name_with_two_port_numbers(void **state)
{
	struct slice *a = a_slice("a", "web", AF_INET), *b = a_slice("b", "web", AF_INET);

	(void)state;
	an_endpoint(a, "10.1.0.1", "rs", NULL);
	an_endpoint(b, "10.1.0.1", "rs", NULL);
	b->ports[0].port = 9090;
	assert_string_equal(chosen((struct slice *[]){ b, a }, 2, false), "10.1.0.1:8080 10.1.0.1:9090");
	slice_free(a);
	slice_free(b);
}

static void dual_stack_and_affinity(void **state)
{
	struct service *service = a_service("web", "10.96.0.10");
	struct subject s = { .name = (char *)"default/web", .service = service };
	struct compiled *c;

	(void)state;
	service->cluster_ips[1] = ip_of("fd00::10");
	service->n_cluster_ips = 2;
	service->affinity_s = 600;
	c = compile(&s, &facts);
	assert_int_equal(c->n_vss, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(c->vss[i].attrs.flags, VS_FLAG_PERSISTENT);
		assert_int_equal(c->vss[i].attrs.timeout_s, 600);
		assert_string_equal(c->vss[i].attrs.sched, "rr");
		assert_int_equal(c->vss[i].key.ip.family, i ? AF_INET6 : AF_INET);
	}
	compiled_free(c);
	service_free(service);
}

static void no_service_wants_nothing(void **state)
{
	struct subject s = { .name = (char *)"default/web" };
	struct compiled *c = compile(&s, &facts);

	(void)state;
	assert_int_equal(c->n_vss, 0);
	compiled_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selection), cmocka_unit_test(the_ready_record_of_an_address_wins_in_any_order),
		cmocka_unit_test(other_family_port_name_and_protocol_do_not_count), cmocka_unit_test(one_name_with_two_port_numbers),
		cmocka_unit_test(dual_stack_and_affinity), cmocka_unit_test(no_service_wants_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
