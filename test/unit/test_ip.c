#include "test/unit/unit.h"

#include "base/ip.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static void addresses_are_parsed_and_written(void **state)
{
	static const char *const cases[][2] = {
		{ "10.0.0.1", "10.0.0.1" },
		{ "010.000.0.001", "10.0.0.1" },
		{ "255.255.255.255", "255.255.255.255" },
		{ "0.0.0.0", "0.0.0.0" },
		{ "FD00:0::0:A", "fd00::a" },
		{ "::", "::" },
		{ "2001:db8::10.0.0.1", "2001:db8::a00:1" },
	};
	char text[IP_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ip ip = ip_of(cases[i][0]);

		assert_string_equal(ip_format(&ip, text), cases[i][1]);
		assert_int_equal(ip_size(&ip), strchr(cases[i][0], ':') ? 16 : 4);
	}
	assert_string_equal(ip_format(&(struct ip){ 0 }, text), "none");
	assert_int_equal(ip_size(&(struct ip){ 0 }), 0);
}

static void bad_addresses_are_refused(void **state)
{
	static const char *const bad[] = { "", " ", "10", "10.0.0", "10.0.0.256", "10.0.0.1 ", " 10.0.0.1", "10.0.0.1.2", "10.0.0.0x1", "a.b.c.d",
		"10..0.1", ":", ":::", "1::2::3", "::g", "fe80::1%eth0", "::ffff:10.0.0.1", "::FFFF:0a00:1", "1:2:3:4:5:6:7:8:9",
		"0000000000000000000000000000000000000000000000000000000000000010.0.0.1.1.1.1.1.1.1.1" };
	struct ip ip;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (ip_parse(bad[i], &ip) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
}

static void kinds_of_addresses(void **state)
{
	static const struct {
		const char *text;
		bool loopback, link_local, multicast, unspecified;
	} cases[] = {
		{ "10.0.0.1", false, false, false, false },     { "127.0.0.1", true, false, false, false },
		{ "127.255.255.255", true, false, false, false }, { "128.0.0.1", false, false, false, false },
		{ "169.254.0.1", false, true, false, false },   { "169.253.0.1", false, false, false, false },
		{ "224.0.0.1", false, false, true, false },     { "239.255.255.255", false, false, true, false },
		{ "240.0.0.1", false, false, false, false },    { "223.1.1.1", false, false, false, false },
		{ "0.0.0.0", false, false, false, true },       { "0.0.0.1", false, false, false, false },
		{ "::", false, false, false, true },            { "::1", true, false, false, false },
		{ "::2", false, false, false, false },          { "fe80::1", false, true, false, false },
		{ "febf::1", false, true, false, false },       { "fec0::1", false, false, false, false },
		{ "ff02::1", false, false, true, false },       { "fd00::1", false, false, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ip ip = ip_of(cases[i].text);

		if (ip_is_loopback(&ip) != cases[i].loopback || ip_is_link_local(&ip) != cases[i].link_local ||
		    ip_is_multicast(&ip) != cases[i].multicast || ip_is_unspecified(&ip) != cases[i].unspecified)
			fail_msg("%s is taken for something else", cases[i].text);
	}
}

static void order_is_total(void **state)
{
	static const char *const sorted[] = { "0.0.0.0", "9.0.0.1", "10.0.0.1", "10.0.0.2", "::", "::1", "fd00::1" };

	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		for (size_t j = 0; j < ARRAY_SIZE(sorted); j++) {
			struct ip a = ip_of(sorted[i]), b = ip_of(sorted[j]);
			int cmp = ip_cmp(&a, &b);

			assert_int_equal((cmp > 0) - (cmp < 0), (i > j) - (i < j));
			assert_int_equal(ip_equal(&a, &b), i == j);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_parsed_and_written),
		cmocka_unit_test(bad_addresses_are_refused),
		cmocka_unit_test(kinds_of_addresses),
		cmocka_unit_test(order_is_total),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
