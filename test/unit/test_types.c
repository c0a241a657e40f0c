#include "test/unit/unit.h"

#include <errno.h>
#include <string.h>

static void keys_round_trip(void **state)
{
	static const char *const vss[] = { "10.96.0.10:80/tcp", "[fd00::1]:53/udp", "255.255.255.255:65535/sctp", "[::1]:1/tcp" };
	static const char *const rss[] = { "10.1.0.5:8080", "[2001:db8::5]:1" };
	char text[VS_TEXT];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vss); i++) {
		struct vs_key vs = vs_of(vss[i]);

		assert_string_equal(vs_format(&vs, text), vss[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rss); i++) {
		struct rs_key rs = rs_of(rss[i]);

		assert_string_equal(rs_format(&rs, text), rss[i]);
	}
}

static void bad_keys_are_refused(void **state)
{
	static const char *const bad[] = { "", ":", "/tcp", "10.0.0.1/tcp", "10.0.0.1:/tcp", "10.0.0.1:0/tcp", "10.0.0.1:65536/tcp",
		"10.0.0.1:080/tcp", "10.0.0.1:80/icmp", "[10.0.0.1]:80/tcp", "fd00::1:80/tcp", "[fd00::1:80/tcp", "[fd00::1]80/tcp",
		"[]:80/tcp", "[:80/tcp", "10.0.0.1:80", "10.0.0.1:80/", "10.0.0.1:8x/tcp", "10.0.0.1:-1/tcp",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:80/tcp" };
	struct vs_key vs;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (vs_parse(bad[i], &vs) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
}

static void order_is_by_address_port_protocol(void **state)
{
	static const char *const sorted[] = { "10.0.0.1:80/tcp", "10.0.0.1:80/udp", "10.0.0.1:81/tcp", "10.0.0.2:1/tcp", "[::2]:1/tcp" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		for (size_t j = 0; j < ARRAY_SIZE(sorted); j++) {
			struct vs_key a = vs_of(sorted[i]), b = vs_of(sorted[j]);
			int c = vs_cmp(&a, &b);

			assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
		}
}

static void attributes_compare_without_the_kernels_mark(void **state)
{
	struct vs_attrs a = { "rr", 1, 10 }, b = a;

	(void)state;
	b.flags |= VS_FLAG_HASHED;
	assert_true(vs_attrs_equal(&a, &b));
	b.flags = 0;
	assert_false(vs_attrs_equal(&a, &b));
	b = a;
	b.timeout_s = 11;
	assert_false(vs_attrs_equal(&a, &b));
	b = a;
	strcpy(b.sched, "wrr");
	assert_false(vs_attrs_equal(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_round_trip), cmocka_unit_test(bad_keys_are_refused),
		cmocka_unit_test(order_is_by_address_port_protocol), cmocka_unit_test(attributes_compare_without_the_kernels_mark),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
