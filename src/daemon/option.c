/* Parses a command line by its table of options. Knows no option by name, prints nothing. */
#include "daemon/option.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_MAX 1000000
#define HELP_INDENT 36
#define HELP_WIDTH 100

/* One option on its way through the command line. */
struct given {
	const struct option_row *row;
	const char *value;      /* NULL: none yet */
	char shown[64];         /* as the user wrote it, for sentences */
};

static bool row_counts(const struct options *options, const struct option_row *row)
{
	return !options->only || !row->only || (row->only & options->only);
}

static const struct option_row *find_long(const struct options *options, const char *name, size_t n)
{
	for (size_t i = 0; i < options->n; i++) {
		const struct option_row *row = &options->rows[i];

		if (row_counts(options, row) && strlen(row->name) == n && memcmp(row->name, name, n) == 0)
			return row;
	}
	return NULL;
}

static const struct option_row *find_letter(const struct options *options, char letter)
{
	for (size_t i = 0; i < options->n; i++)
		if (row_counts(options, &options->rows[i]) && options->rows[i].letter == letter)
			return &options->rows[i];
	return NULL;
}

static int set_bool(bool *member, const struct given *given, const char *value, struct err *err)
{
	static const char *const yes[] = { "true", "True", "TRUE", "t", "T", "1" };
	static const char *const no[] = { "false", "False", "FALSE", "f", "F", "0" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (strcmp(value, yes[i]) == 0 || strcmp(value, no[i]) == 0) {
			*member = strcmp(value, yes[i]) == 0;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "option %s: \"%s\" is neither true nor false", given->shown, value);
}

static int set_number(int *member, const struct given *given, const char *value, struct err *err)
{
	int number = 0;
	size_t digits = strspn(value, "0123456789");

	if (!digits || value[digits] || digits > 9)
		return err_set(err, -EINVAL, "option %s: \"%s\" is not a number", given->shown, value);
	for (; *value; value++)
		number = number * 10 + (*value - '0');
	if (number > NUMBER_MAX)
		return err_set(err, -EINVAL, "option %s: %d is too large", given->shown, number);
	*member = number;
	return 0;
}

static bool is_choice(const char *choices, const char *value)
{
	size_t n = strlen(value);

	while (n && *choices) {
		size_t len = strcspn(choices, "|");

		if (len == n && memcmp(choices, value, n) == 0)
			return true;
		choices += len + (choices[len] == '|');
	}
	return false;
}

static int set_value(void *target, const struct given *given, const char *value, struct err *err)
{
	const struct option_row *row = given->row;
	void *member = (char *)target + row->offset;

	switch (row->type) {
	case OPTION_BOOL:
		return set_bool(member, given, value, err);
	case OPTION_NUMBER:
		return set_number(member, given, value, err);
	case OPTION_SPAN:
		if (span_parse(value, member) < 0)
			return err_set(err, -EINVAL, "option %s: \"%s\" is not a duration like 30s or 1m30s", given->shown, value);
		return 0;
	case OPTION_TEXT:
		if (row->choices && !is_choice(row->choices, value))
			return err_set(err, -EINVAL, "option %s: \"%s\" is not one of %s", given->shown, value, row->choices);
		*(const char **)member = value;
		return 0;
	}
	return -EINVAL;
}

static void set_standard(const struct option_row *row, void *target)
{
	struct given given = { .row = row };
	void *member = (char *)target + row->offset;

	switch (row->type) {
	case OPTION_BOOL:
		*(bool *)member = false;
		break;
	case OPTION_NUMBER:
		*(int *)member = 0;
		break;
	case OPTION_SPAN:
		*(int64_t *)member = 0;
		break;
	case OPTION_TEXT:
		*(const char **)member = NULL;
		break;
	}
	if (row->standard && set_value(target, &given, row->standard, NULL) < 0)
		abort(); /* the row itself is wrong */
}

/* "--name", "--name=value". */
static int take_long(const struct options *options, const char *arg, struct given *ret, struct err *err)
{
	size_t n = strcspn(arg + 2, "=");

	(void)snprintf(ret->shown, sizeof(ret->shown), "%.*s", (int)(n + 2), arg);
	ret->row = find_long(options, arg + 2, n);
	if (!ret->row)
		return err_set(err, -EINVAL, "unknown option %s", ret->shown);
	ret->value = arg[2 + n] == '=' ? arg + 2 + n + 1 : NULL;
	return 0;
}

/* "-v", "-v5", "-v=5". */
static int take_short(const struct options *options, const char *arg, struct given *ret, struct err *err)
{
	(void)snprintf(ret->shown, sizeof(ret->shown), "-%c", arg[1]);
	ret->row = find_letter(options, arg[1]);
	if (!ret->row || (ret->row->type == OPTION_BOOL && arg[2] && arg[2] != '='))
		return err_set(err, -EINVAL, "unknown option %.60s", arg);
	ret->value = arg[2] ? arg + 2 + (arg[2] == '=') : NULL;
	return 0;
}

static bool is_help(const char *arg)
{
	return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

int options_parse(const struct options *options, void *target, int argc, char **argv, const char **args, size_t *ret_n_args,
		  bool *ret_help, struct err *err)
{
	size_t n_args = 0;
	bool only_args = false;

	*ret_help = false;
	for (size_t i = 0; i < options->n; i++)
		set_standard(&options->rows[i], target);
	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		struct given given = { 0 };
		int r;

		if (only_args || arg[0] != '-' || !arg[1]) {
			args[n_args++] = arg;
			continue;
		}
		if (strcmp(arg, "--") == 0) {
			only_args = true;
			continue;
		}
		if (is_help(arg)) {
			*ret_help = true;
			break;
		}
		r = arg[1] == '-' ? take_long(options, arg, &given, err) : take_short(options, arg, &given, err);
		if (r < 0)
			return r;
		if (!given.value && given.row->type == OPTION_BOOL)
			given.value = "true";
		if (!given.value && i + 1 < argc)
			given.value = argv[++i];
		if (!given.value)
			return err_set(err, -EINVAL, "option %s needs a value (%s)", given.shown, given.row->value);
		r = set_value(target, &given, given.value, err);
		if (r < 0)
			return r;
	}
	*ret_n_args = n_args;
	return 0;
}

/* Adds words with line breaks; every line after the first starts at the column of the help texts. */
static void add_wrapped(struct text *ret, const char *words)
{
	size_t column = HELP_INDENT;

	while (*words) {
		size_t n = strcspn(words, " ");

		if (column > HELP_INDENT && column + 1 + n > HELP_WIDTH) {
			text_add(ret, "\n%*s", HELP_INDENT, "");
			column = HELP_INDENT;
		} else if (column > HELP_INDENT) {
			text_add(ret, " ");
			column++;
		}
		text_add_bytes(ret, words, n);
		column += n;
		words += n + strspn(words + n, " ");
	}
}

static void help_row(const struct option_row *row, struct text *ret)
{
	CLEANUP(free_p) char *name = NULL;
	CLEANUP(free_p) char *words = NULL;
	bool single = !row->name[1]; /* "v": shown as -v alone */

	if (single)
		name = xfmt("  -%s %s", row->name, row->value);
	else if (row->letter)
		name = xfmt("  -%c, --%s%s%s", row->letter, row->name, row->value ? " " : "", row->value ? row->value : "");
	else
		name = xfmt("      --%s%s%s", row->name, row->value ? " " : "", row->value ? row->value : "");
	words = row->standard && *row->standard ? xfmt("%s (default %s)", row->help, row->standard) : xstrdup(row->help);
	text_add(ret, "%-*s", HELP_INDENT - 1, name);
	if (strlen(name) >= HELP_INDENT)
		text_add(ret, "\n%*s", HELP_INDENT, "");
	else
		text_add(ret, " ");
	add_wrapped(ret, words);
	text_add(ret, "\n");
}

void options_help(const struct options *options, struct text *ret)
{
	for (size_t i = 0; i < options->n; i++)
		if (row_counts(options, &options->rows[i]))
			help_row(&options->rows[i], ret);
	text_add(ret, "  -h, --help%*sthis text\n", HELP_INDENT - 12, "");
}
