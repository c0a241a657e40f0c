#include "base/cidr.h"
#include "test/unit/unit.h"

#include <errno.h>

static void membership(void **state)
{
	static const struct {
		const char *cidr, *ip;
		bool in;
	} cases[] = {
		{ "10.96.0.0/12", "10.96.0.1", true }, { "10.96.0.0/12", "10.111.255.255", true }, { "10.96.0.0/12", "10.112.0.0", false },
		{ "10.96.0.7/12", "10.96.0.1", true }, { "0.0.0.0/0", "255.1.2.3", true }, { "0.0.0.0/0", "::1", false },
		{ "192.0.2.1/32", "192.0.2.1", true }, { "192.0.2.1/32", "192.0.2.2", false }, { "fd00::/9", "fd7f::1", true },
		{ "fd00::/9", "fd80::1", false }, { "::/0", "fd00::1", true }, { "fd00::1/128", "fd00::1", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ip ip = ip_of(cases[i].ip);
		struct cidr cidr;

		assert_int_equal(cidr_parse(cases[i].cidr, &cidr), 0);
		if (cidr_has(&cidr, &ip) != cases[i].in)
			fail_msg("%s in %s", cases[i].ip, cases[i].cidr);
	}
}

static void bad_ones_are_named(void **state)
{
	static const char *const bad[] = { "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1", "fd00::/129", "/8", "x/8", "10.0.0.0/8x", "10.0.0.0/9999" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct cidrs cidrs = { 0 };
		struct err err = { 0 };

		if (cidrs_parse(bad[i], &cidrs, &err) != -EINVAL || !err.text[0])
			fail_msg("\"%s\" was taken", bad[i]);
		free(cidrs.list.v);
	}
}

static void lists(void **state)
{
	struct cidrs cidrs = { 0 };
	struct ip in = ip_of("192.0.2.9"), out = ip_of("192.0.3.9");

	(void)state;
	assert_int_equal(cidrs_parse(" 10.0.0.0/8 ,192.0.2.0/24,", &cidrs, NULL), 0);
	assert_int_equal(cidrs.list.n, 2);
	assert_true(cidrs_have(&cidrs, &in));
	assert_false(cidrs_have(&cidrs, &out));
	assert_false(cidrs_have(NULL, &in));
	free(cidrs.list.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(membership), cmocka_unit_test(bad_ones_are_named), cmocka_unit_test(lists) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
