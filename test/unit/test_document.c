#include "test/unit/unit.h"

#include "base/text.h"
#include "decode/document.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Collects what documents there are as compact JSON: "0:{"a":1} 1:[2] ". */
static void collect(void *ctx, struct json_t *tree, unsigned index)
{
	char *dump = json_dumps(tree, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);

	text_add(ctx, "%u:%s ", index, dump);
	free(dump);
}

static int parse_n(const char *text, size_t n, bool is_json, struct text *out, struct document_error *error)
{
	*error = (struct document_error){ 0 };
	return document_parse(text, n, is_json, collect, out, error);
}

struct good {
	const char *text, *trees;
};

static void check_good(const struct good *good, size_t n, bool is_json)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(text_fini) struct text out = { 0 };
		struct document_error error;

		if (parse_n(good[i].text, strlen(good[i].text), is_json, &out, &error) < 0)
			fail_msg("\"%s\": %u:%u: %s", good[i].text, error.line, error.column, error.reason);
		assert_string_equal(text_str(&out), good[i].trees);
	}
}

struct bad {
	const char *text;
	int code;
	unsigned line, column;
	const char *reason; /* a part of it */
};

static void check_bad(const struct bad *bad, size_t n, bool is_json)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(text_fini) struct text out = { 0 };
		struct document_error error;
		int r = parse_n(bad[i].text, strlen(bad[i].text), is_json, &out, &error);

		if (r != bad[i].code || !strstr(error.reason, bad[i].reason) || error.line != bad[i].line ||
		    error.column != bad[i].column)
			fail_msg("\"%s\": %d, %u:%u: %s", bad[i].text, r, error.line, error.column, error.reason);
		assert_string_equal(text_str(&out), ""); /* all documents or none */
	}
}

static void yaml_becomes_the_same_tree_as_json(void **state)
{
	static const struct good good[] = {
		{ "", "" },
		{ "# only a comment\n", "" },
		{ "---\n---\n# nothing\n---\nnull\n", "" },
		{ "a: 1\n", "0:{\"a\":1} " },
		{ "\xef\xbb\xbf" "a: 1\n", "0:{\"a\":1} " },
		{ "{\"a\":[1,{\"b\":null}]}", "0:{\"a\":[1,{\"b\":null}]} " },
		{ "---\na: 1\n---\n---\n- 2\n...\n", "0:{\"a\":1} 2:[2] " },
		{ "a:\n- b\n- c: {d: e}\n", "0:{\"a\":[\"b\",{\"c\":{\"d\":\"e\"}}]} " },
		{ "a: |\n  x\n  y\nb: >\n  x\n  y\n", "0:{\"a\":\"x\\ny\\n\",\"b\":\"x y\\n\"} " },
		{ "1: x\ntrue: y\n", "0:{\"1\":\"x\",\"true\":\"y\"} " },
		{ "a: \"\\u00e4\\t\"\n", "0:{\"a\":\"ä\\t\"} " },
		{ "\"<<\": 1\n", "0:{\"<<\":1} " },
		{ "just text", "0:\"just text\" " },
	};

	check_good(good, ARRAY_SIZE(good), false);
}

static void plain_scalars_have_the_types_of_the_core_schema(void **state)
{
	static const struct good good[] = {
		{ "[~, null, Null, NULL, ]", "0:[null,null,null,null] " },
		{ "a:\nb: ''\n", "0:{\"a\":null,\"b\":\"\"} " },
		{ "[true, True, TRUE, false, False, FALSE]", "0:[true,true,true,false,false,false] " },
		{ "[yes, no, on, off, y, tRUE]", "0:[\"yes\",\"no\",\"on\",\"off\",\"y\",\"tRUE\"] " },
		{ "[0, -0, 7, +7, -7, 007, 0x1F, 0o17]", "0:[0,0,7,7,-7,7,31,15] " },
		{ "[9223372036854775807, -9223372036854775808]", "0:[9223372036854775807,-9223372036854775808] " },
		{ "[1.5, -.5, 1., 1e3, 1.5E-1, +.5e+1]", "0:[1.5,-0.5,1.0,1000.0,0.14999999999999999,5.0] " },
		{ "[0x, 0o8, 0b1, 1_000, ., -, +, e3, 1e, 1.5.2, 12:30, -0x1]",
		  "0:[\"0x\",\"0o8\",\"0b1\",\"1_000\",\".\",\"-\",\"+\",\"e3\",\"1e\",\"1.5.2\",\"12:30\",\"-0x1\"] " },
		{ "[\"80\", '80', \"true\", 'null']", "0:[\"80\",\"80\",\"true\",\"null\"] " },
		{ "t: 2026-01-02T03:04:05Z\nd: 2026-01-02\n", "0:{\"d\":\"2026-01-02\",\"t\":\"2026-01-02T03:04:05Z\"} " },
		{ "[!!str 80, !!int \"80\", !!float 1, !!bool 'true', !!null '', ! \"80\"]", "0:[\"80\",80,1,true,null,\"80\"] " },
		{ "!!map {a: !!seq [b]}", "0:{\"a\":[\"b\"]} " },
	};

	check_good(good, ARRAY_SIZE(good), false);
}

static void aliases_share_what_they_name(void **state)
{
	static const struct good good[] = {
		{ "a: &x {p: 1}\nb: *x\nc: [*x, *x]\n", "0:{\"a\":{\"p\":1},\"b\":{\"p\":1},\"c\":[{\"p\":1},{\"p\":1}]} " },
		{ "[&x 1, *x, &x 2, *x]", "0:[1,1,2,2] " },
		{ "- &x a\n---\n- &x b\n- *x\n", "0:[\"a\"] 1:[\"b\",\"b\"] " },
	};
	static const struct bad bad[] = {
		{ "a: *nobody\n", -EINVAL, 1, 4, "*nobody" },
		{ "&x a: 1\n", -EINVAL, 1, 1, "anchor" },
		{ "a: &x [*x]\n", -EINVAL, 1, 8, "*x" },                /* a ring */
		{ "- &x a\n---\n- *x\n", -EINVAL, 3, 3, "*x" },         /* of another document */
		{ "- &x a\n- {*x : 1}\n", -EINVAL, 2, 4, "not an alias" },
	};

	check_good(good, ARRAY_SIZE(good), false);
	check_bad(bad, ARRAY_SIZE(bad), false);
}

static void bad_yaml_is_refused_with_its_place(void **state)
{
	static const struct bad bad[] = {
		{ "a: 1\nb: [1, 2\n", -EINVAL, 3, 1, "did not find expected ',' or ']'" },
		{ "a: 1\n b: 2\n", -EINVAL, 2, 3, "mapping values are not allowed" },
		{ "a:\n\t- b\n", -EINVAL, 2, 1, "cannot start any token" },
		{ "a: 1\nb: 2\na: 3\n", -EINVAL, 3, 1, "\"a\" is here twice" },
		{ "a: 1\n---\n{x: 1, \"x\": 2}\n", -EINVAL, 3, 8, "\"x\" is here twice" },
		{ "a: &x {b: 1}\nc:\n  <<: *x\n", -EINVAL, 3, 3, "merge keys" },
		{ "? [a]\n: 1\n", -EINVAL, 1, 3, "a key must be a word" },
		{ "? {a: b}\n: 1\n", -EINVAL, 1, 3, "a key must be a word" },
		{ "a: !foo b\n", -EINVAL, 1, 4, "tag !foo" },
		{ "a: !!binary aGk=\n", -EINVAL, 1, 4, "binary" },
		{ "a: !!set {b}\n", -EINVAL, 1, 4, "set" },
		{ "a: !!map [b]\n", -EINVAL, 1, 4, "map" },
		{ "!!int a: 1\n", -EINVAL, 1, 1, "int" },
		{ "a: !!int x\n", -EINVAL, 1, 4, "does not fit its tag" },
		{ "a: !!bool 1\n", -EINVAL, 1, 4, "does not fit its tag" },
		{ "a: 9223372036854775808\n", -EINVAL, 1, 4, "64 bits" },
		{ "a: -9223372036854775809\n", -EINVAL, 1, 4, "64 bits" },
		{ "a: 0xffffffffffffffff\n", -EINVAL, 1, 4, "64 bits" },
		{ "a: 1e999\n", -EINVAL, 1, 4, "too large" },
		{ "a: .inf\n", -EINVAL, 1, 4, "infinity" },
		{ "a: -.Inf\n", -EINVAL, 1, 4, "infinity" },
		{ "a: .NaN\n", -EINVAL, 1, 4, "NaN" },
		{ "a: 00000000000000000000000000000000000000000000000000000000000000001\n", -EINVAL, 1, 4, "too many digits" },
		{ "a: \"x\\0y\"\n", -EINVAL, 1, 4, "NUL" },
		{ "\"x\\0y\": 1\n", -EINVAL, 1, 1, "NUL" },
		{ "a: 1\nb: \xff\n", -EINVAL, 2, 4, "UTF-8" },
		{ "a: \xc3(\n", -EINVAL, 1, 5, "UTF-8" },
		{ "a: \x01\n", -EINVAL, 1, 4, "control characters" },
		{ "%FOO bar\n--- a\n", -EINVAL, 1, 5, "unknown directive" },
	};

	check_bad(bad, ARRAY_SIZE(bad), false);
}

static void json_is_strict(void **state)
{
	static const struct good good[] = {
		{ "", "" },
		{ " \n\t", "" },
		{ "{\"a\": [1, 2.5, \"x\", null, true]}\n", "0:{\"a\":[1,2.5,\"x\",null,true]} " },
		{ "\xef\xbb\xbf{}", "0:{} " },
		{ "{\"a\": \"[[[[\\\"]]\"}", "0:{\"a\":\"[[[[\\\"]]\"} " },
	};
	static const struct bad bad[] = {
		{ "a: 1\n", -EINVAL, 1, 1, "'[' or '{' expected" },
		{ "{\"a\": 1,}", -EINVAL, 1, 9, "expected" },
		{ "{\"a\": 1}\n{\"b\": 2}", -EINVAL, 2, 1, "end of file expected" },
		{ "{\"a\": 1,\n \"a\": 2}", -EINVAL, 2, 4, "duplicate" },
		{ "{\"a\": 9223372036854775808}", -EINVAL, 1, 25, "too big" },
		{ "{\"a\": 1e999}", -EINVAL, 1, 11, "overflow" },
		{ "{\"a\": \"\\u0000\"}", -EINVAL, 1, 14, "" },
		{ "{\"a\": \"\xff\"}", -EINVAL, 1, 7, "0xff" },
		{ "{\"a\":\n", -EINVAL, 2, 1, "end of file" },
		{ "{} x", -EINVAL, 1, 4, "end of file expected" },
		{ "]]]]", -EINVAL, 1, 1, "" },
	};

	check_good(good, ARRAY_SIZE(good), true);
	check_bad(bad, ARRAY_SIZE(bad), true);
}

static void nul_bytes_are_no_text(void **state)
{
	CLEANUP(text_fini) struct text out = { 0 };
	struct document_error error;

	for (int is_json = 0; is_json < 2; is_json++) {
		assert_int_equal(parse_n("[1,\n2,\0 3]", 10, is_json, &out, &error), -EINVAL);
		assert_int_equal(error.line, 2);
		assert_int_equal(error.column, 3);
		assert_non_null(strstr(error.reason, "NUL"));
	}
}

static char *nested(size_t depth, const char *open, const char *close)
{
	struct text text = { 0 };

	for (size_t i = 0; i < depth; i++)
		text_add(&text, "%s", open);
	for (size_t i = 0; i < depth; i++)
		text_add(&text, "%s", close);
	return text.s;
}

static void depth_is_limited(void **state)
{
	static const struct {
		const char *open, *close;
	} shapes[] = { { "[", "]" }, { "[{\"a\":", "}]" } };

	for (int is_json = 0; is_json < 2; is_json++)
		for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
			CLEANUP(free_p) char *fits = nested(i ? DOCUMENT_DEPTH_MAX / 2 - 1 : DOCUMENT_DEPTH_MAX, shapes[i].open, shapes[i].close);
			CLEANUP(free_p) char *deep = nested(100000, shapes[i].open, shapes[i].close);
			CLEANUP(text_fini) struct text out = { 0 };
			struct document_error error;

			if (i == 0)
				assert_int_equal(parse_n(fits, strlen(fits), is_json, &out, &error), 0);
			assert_int_equal(parse_n(deep, strlen(deep), is_json, &out, &error), -E2BIG);
			assert_non_null(strstr(error.reason, "deep"));
		}
}

/* Aliases add to the depth, too: a tree is walked by functions that call themselves. */
static void depth_through_aliases_is_limited(void **state)
{
	CLEANUP(text_fini) struct text yaml = { 0 }, out = { 0 };
	struct document_error error;

	text_add(&yaml, "a0: &a0 [x]\n");
	for (int i = 1; i < 70; i++)
		text_add(&yaml, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	assert_int_equal(parse_n(yaml.s, yaml.n, false, &out, &error), -E2BIG);
	assert_non_null(strstr(error.reason, "deep"));
	assert_int_equal(error.line, 64);
}

static void billion_laughs_are_refused_at_once(void **state)
{
	CLEANUP(text_fini) struct text yaml = { 0 }, out = { 0 };
	struct document_error error;

	text_add(&yaml, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 10; i++)
		text_add(&yaml, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1, i - 1,
			 i - 1, i - 1, i - 1, i - 1, i - 1);
	assert_int_equal(parse_n(yaml.s, yaml.n, false, &out, &error), -E2BIG);
	assert_non_null(strstr(error.reason, "too many values"));
	assert_int_equal(error.line, 7);
}

static void size_is_limited(void **state)
{
	CLEANUP(free_p) char *big = xzalloc(DOCUMENT_BYTES_MAX + 1);
	CLEANUP(text_fini) struct text out = { 0 };
	struct document_error error;

	memset(big, ' ', DOCUMENT_BYTES_MAX + 1);
	assert_int_equal(parse_n(big, DOCUMENT_BYTES_MAX + 1, false, &out, &error), -E2BIG);
	assert_non_null(strstr(error.reason, "16777217"));
	assert_int_equal(parse_n(big, DOCUMENT_BYTES_MAX, true, &out, &error), 0);
	memset(big, ',', DOCUMENT_BYTES_MAX);
	assert_int_equal(parse_n(big, DOCUMENT_BYTES_MAX, true, &out, &error), -E2BIG);
	assert_non_null(strstr(error.reason, "too many values"));
}

static void many_tag_directives_are_refused(void **state)
{
	CLEANUP(text_fini) struct text yaml = { 0 }, out = { 0 };
	struct document_error error;

	for (int i = 0; i < 200000; i++)
		text_add(&yaml, "%%TAG !a%d! x\n", i);
	assert_int_equal(parse_n(yaml.s, yaml.n, false, &out, &error), -E2BIG);
	assert_non_null(strstr(error.reason, "%TAG"));
}

static void places_are_found(void **state)
{
	static const char yaml[] = "# first\n"
				   "kind: A\n"
				   "---\n"
				   "metadata:\n"
				   "  labels:\n"
				   "    kubernetes.io/service-name: 7\n"
				   "spec:\n"
				   "  ports:\n"
				   "  - name: a\n"
				   "    port: 1\n"
				   "  - {name: b, port: 70000}\n"
				   "  x: *gone\n"
				   "  y: 1\n";
	static const char json[] = "{\n  \"spec\":{\"ports\":[{\"port\":1},\n\t{\"port\":70000}]}\n}\n";
	static const struct {
		const char *text;
		unsigned index;
		const char *path;
		unsigned line, column;
	} cases[] = {
		{ yaml, 0, "kind", 2, 7 },
		{ yaml, 0, "spec.ports", 2, 1 },                 /* not there: the object */
		{ yaml, 1, "", 4, 1 },
		{ yaml, 1, "spec.ports[0].port", 10, 11 },
		{ yaml, 1, "spec.ports[1].port", 11, 21 },
		{ yaml, 1, "spec.ports[1].protocol", 11, 5 },    /* the deepest part that is there */
		{ yaml, 1, "spec.ports[2].port", 9, 3 },
		{ yaml, 1, "spec.ports[x].port", 9, 3 },
		{ yaml, 1, "spec.ports.port", 9, 3 },
		{ yaml, 1, "spec.x.y", 12, 6 },
		{ yaml, 1, "metadata.labels.kubernetes.io/service-name", 6, 33 },
		{ yaml, 1, "metadata.labels.kubernetes.io", 6, 5 },
		{ yaml, 2, "kind", 3, 1 },
		{ json, 0, "spec.ports[1].port", 3, 10 },
		{ json, 0, "spec.type", 2, 10 },
		{ "a: [1\n", 0, "b", 1, 1 },
		{ "", 0, "a", 1, 1 },
		{ "\xef\xbb\xbf" "a: b", 0, "a", 1, 4 },
		{ "\xff", 0, "a", 1, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned line = 0, column = 0;

		document_locate(cases[i].text, strlen(cases[i].text), cases[i].index, cases[i].path, &line, &column);
		if (line != cases[i].line || column != cases[i].column)
			fail_msg("case %zu, %s: %u:%u", i, cases[i].path, line, column);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(yaml_becomes_the_same_tree_as_json),
		cmocka_unit_test(plain_scalars_have_the_types_of_the_core_schema),
		cmocka_unit_test(aliases_share_what_they_name),
		cmocka_unit_test(bad_yaml_is_refused_with_its_place),
		cmocka_unit_test(json_is_strict),
		cmocka_unit_test(nul_bytes_are_no_text),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(depth_through_aliases_is_limited),
		cmocka_unit_test(billion_laughs_are_refused_at_once),
		cmocka_unit_test(size_is_limited),
		cmocka_unit_test(many_tag_directives_are_refused),
		cmocka_unit_test(places_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
