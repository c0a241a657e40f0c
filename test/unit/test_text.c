#include "test/unit/unit.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

static void text_grows(void **state)
{
	CLEANUP(text_fini) struct text text = { 0 };

	assert_string_equal(text_str(&text), "");
	for (int i = 0; i < 1000; i++)
		text_add(&text, "%d,", i % 10);
	assert_int_equal(text.n, 2000);
	assert_int_equal(strlen(text_str(&text)), 2000);
	text_add_bytes(&text, "xyz", 2);
	assert_string_equal(text_str(&text) + 1996, "8,9,xy");
	text_fini(&text);
	assert_string_equal(text_str(&text), "");
}

static void spans_are_shown(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {
		{ -1, "none" },     { 0, "0ms" },          { 999, "999ms" },        { 1000, "1s" },
		{ 119999, "119s" }, { 120000, "2m00s" },   { 250000, "4m10s" },     { 3599000, "59m59s" },
		{ 3600000, "1h00m" }, { 11100000, "3h05m" }, { 86400000, "1d00h" }, { 183600000, "2d03h" },
	};
	char text[SPAN_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(span_format(cases[i].ms, text), cases[i].text);
}

static void spans_are_parsed(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} good[] = {
		{ "0", 0 }, { "0s", 0 }, { "250ms", 250 }, { "1500us", 1 }, { "1.5h", 5400000 }, { "1m30s", 90000 }, { "1h1m1s1ms", 3661001 },
		{ "87600h", 315360000000 },
	};
	static const char *const bad[] = { "", "5", "s", "-1s", "1d", "1 s", "1s ", "1.2.3s", ".s", "1e3s", "87601h", "99999999999999999999h",
		"1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s", "0x1s", "infs", "nan" };
	int64_t ms;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		if (span_parse(good[i].text, &ms) < 0)
			fail_msg("\"%s\" was refused", good[i].text);
		assert_int_equal(ms, good[i].ms);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (span_parse(bad[i], &ms) != -EINVAL)
			fail_msg("\"%s\" was taken as %lld", bad[i], (long long)ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_grows),
		cmocka_unit_test(spans_are_shown),
		cmocka_unit_test(spans_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
