#include "test/unit/unit.h"

#include "daemon/option.h"

#include <errno.h>
#include <string.h>

struct target {
	bool flag, other;
	const char *text, *pick;
	int number;
	int64_t span_ms;
};

#define MEMBER(m) offsetof(struct target, m)
static const struct option_row rows[] = {
	{ "flag", 'f', OPTION_BOOL, 0, MEMBER(flag), NULL, NULL, NULL, "a flag" },
	{ "other", 0, OPTION_BOOL, 2, MEMBER(other), NULL, NULL, NULL, "only for the other command" },
	{ "text", 't', OPTION_TEXT, 0, MEMBER(text), "TEXT", "standard", NULL, "a text" },
	{ "pick", 0, OPTION_TEXT, 0, MEMBER(pick), "WORD", "one", "one|two", "one of two" },
	{ "v", 'v', OPTION_NUMBER, 0, MEMBER(number), "N", NULL, NULL, "a number" },
	{ "span", 0, OPTION_SPAN, 0, MEMBER(span_ms), "TIME", "30s", NULL, "a time" },
};
static const struct options options = { rows, ARRAY_SIZE(rows), 1 };

#define ARGS_MAX 8
struct result {
	int code;
	struct target target;
	const char *args[ARGS_MAX];
	size_t n_args;
	bool help;
	struct err err;
};

/* Words apart by single blanks. */
static struct result parse(const char *line)
{
	static char copy[256];
	struct result result = { 0 };
	char *argv[ARGS_MAX + 1] = { (char *)"command" }, *rest = strcpy(copy, line);
	int argc = 1;

	for (char *word; (word = strsep(&rest, " ")) != NULL && *line;) {
		assert_true(argc < ARGS_MAX);
		argv[argc++] = word;
	}
	memset(&result.target, 0x55, sizeof(result.target)); /* nothing may be left unset */
	result.code = options_parse(&options, &result.target, argc, argv, result.args, &result.n_args, &result.help, &result.err);
	return result;
}

static void without_options_all_is_standard(void **state)
{
	struct result r = parse("");

	assert_int_equal(r.code, 0);
	assert_false(r.target.flag);
	assert_string_equal(r.target.text, "standard");
	assert_string_equal(r.target.pick, "one");
	assert_int_equal(r.target.number, 0);
	assert_int_equal(r.target.span_ms, 30000);
	assert_int_equal(r.n_args, 0);
}

static void every_spelling_is_understood(void **state)
{
	static const struct {
		const char *line;
		bool flag;
		const char *text;
		int number;
	} cases[] = {
		{ "--flag", true, "standard", 0 },        { "-f", true, "standard", 0 },
		{ "--flag=true", true, "standard", 0 },   { "--flag=false", false, "standard", 0 },
		{ "--flag --flag=0", false, "standard", 0 }, { "-f=false", false, "standard", 0 },
		{ "--text x", false, "x", 0 },            { "--text=x", false, "x", 0 },
		{ "--text=", false, "", 0 },              { "--text=a=b", false, "a=b", 0 },
		{ "-t x", false, "x", 0 },                { "-tx", false, "x", 0 },
		{ "-t=x", false, "x", 0 },                { "-t -f", false, "-f", 0 },
		{ "-v 5", false, "standard", 5 },         { "-v=5", false, "standard", 5 },
		{ "-v5", false, "standard", 5 },          { "--v=5", false, "standard", 5 },
		{ "--v 5 --v 6", false, "standard", 6 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct result r = parse(cases[i].line);

		if (r.code || r.target.flag != cases[i].flag || strcmp(r.target.text, cases[i].text) != 0 ||
		    r.target.number != cases[i].number || r.n_args)
			fail_msg("\"%s\": %d %s", cases[i].line, r.code, r.err.text);
	}
}

static void what_is_no_option_is_left(void **state)
{
	struct result r = parse("a --flag b - -- --text c");

	assert_int_equal(r.code, 0);
	assert_true(r.target.flag);
	assert_int_equal(r.n_args, 5);
	assert_string_equal(r.args[0], "a");
	assert_string_equal(r.args[1], "b");
	assert_string_equal(r.args[2], "-");
	assert_string_equal(r.args[3], "--text");
	assert_string_equal(r.args[4], "c");
}

static void a_wrong_option_is_named(void **state)
{
	static const struct {
		const char *line, *sentence;
	} cases[] = {
		{ "--nothing", "unknown option --nothing" },
		{ "--nothing=secret", "unknown option --nothing" },
		{ "--fla", "unknown option --fla" },
		{ "--flagg", "unknown option --flagg" },
		{ "--other", "unknown option --other" },
		{ "--", "" },
		{ "-x", "unknown option -x" },
		{ "-fx", "unknown option -fx" },
		{ "--text", "option --text needs a value (TEXT)" },
		{ "-v", "option -v needs a value (N)" },
		{ "--flag=maybe", "option --flag: \"maybe\" is neither true nor false" },
		{ "--pick=three", "option --pick: \"three\" is not one of one|two" },
		{ "--pick=on", "option --pick: \"on\" is not one of one|two" },
		{ "--pick=", "option --pick: \"\" is not one of one|two" },
		{ "-v x", "option -v: \"x\" is not a number" },
		{ "-v -1", "option -v: \"-1\" is not a number" },
		{ "-v=", "option -v: \"\" is not a number" },
		{ "-v 5x", "option -v: \"5x\" is not a number" },
		{ "-v 1000001", "option -v: 1000001 is too large" },
		{ "-v 99999999999", "option -v: \"99999999999\" is not a number" },
		{ "--span 5", "option --span: \"5\" is not a duration like 30s or 1m30s" },
		{ "--span=-5s", "option --span: \"-5s\" is not a duration like 30s or 1m30s" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct result r = parse(cases[i].line);

		if (r.code != (*cases[i].sentence ? -EINVAL : 0) || strcmp(r.err.text, cases[i].sentence) != 0)
			fail_msg("\"%s\": %d \"%s\"", cases[i].line, r.code, r.err.text);
	}
}

static void help_is_asked_for(void **state)
{
	assert_true(parse("--help").help);
	assert_true(parse("-h --nonsense").help);
	assert_true(parse("--flag -h").help);
	assert_false(parse("-- -h").help);
	assert_int_equal(parse("--nonsense -h").code, -EINVAL);
}

static void help_names_every_option_of_the_command(void **state)
{
	struct text text = { 0 };

	options_help(&options, &text);
	assert_non_null(strstr(text_str(&text), "  -f, --flag "));
	assert_non_null(strstr(text_str(&text), "  -t, --text TEXT "));
	assert_non_null(strstr(text_str(&text), "a text (default standard)\n"));
	assert_non_null(strstr(text_str(&text), "      --span TIME "));
	assert_non_null(strstr(text_str(&text), "  -v N "));
	assert_non_null(strstr(text_str(&text), "  -h, --help "));
	assert_null(strstr(text_str(&text), "other"));
	text_fini(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_all_is_standard),
		cmocka_unit_test(every_spelling_is_understood),
		cmocka_unit_test(what_is_no_option_is_left),
		cmocka_unit_test(a_wrong_option_is_named),
		cmocka_unit_test(help_is_asked_for),
		cmocka_unit_test(help_names_every_option_of_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
