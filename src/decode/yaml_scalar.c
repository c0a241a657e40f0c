/* Gives plain YAML scalars their type. Knows nothing of events, documents or Kubernetes. */
#include "decode/yaml_scalar.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* Longer runs of digits are no number that anybody means; strtod() would still work on each digit. */
#define NUMBER_TEXT_MAX 64

#define DIGITS "0123456789"

static bool one_of(const char *text, const char *const words[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return false;
}

static const char *after_sign(const char *text)
{
	return text + (*text == '-' || *text == '+');
}

static bool all_of(const char *text, const char *set)
{
	size_t n = 0;

	while (text[n] && strchr(set, text[n]))
		n++;
	return n > 0 && text[n] == 0;
}

/* The base of an integer's text, 0 if it is none. */
static int integer_base(const char *text)
{
	if (strncmp(text, "0x", 2) == 0 && all_of(text + 2, DIGITS "abcdefABCDEF"))
		return 16;
	if (strncmp(text, "0o", 2) == 0 && all_of(text + 2, "01234567"))
		return 8;
	return all_of(after_sign(text), DIGITS) ? 10 : 0;
}

static json_t *integer(const char *text, int base, const char **ret_why)
{
	long long value;

	errno = 0;
	value = strtoll(base == 10 ? text : text + 2, NULL, base);
	if (errno) {
		*ret_why = "the number does not fit into 64 bits";
		return NULL;
	}
	return json_integer(value);
}

/* [-+]? ( \.[0-9]+ | [0-9]+ (\.[0-9]*)? ) ([eE][-+]?[0-9]+)? */
static bool is_float(const char *text)
{
	size_t before, behind = 0;

	text = after_sign(text);
	before = strspn(text, DIGITS);
	text += before;
	if (*text == '.') {
		behind = strspn(text + 1, DIGITS);
		text += 1 + behind;
	}
	if (!before && !behind)
		return false;
	if (*text == 'e' || *text == 'E') {
		text = after_sign(text + 1);
		return all_of(text, DIGITS);
	}
	return *text == 0;
}

static bool is_infinite(const char *text)
{
	static const char *const inf[] = { ".inf", ".Inf", ".INF" }, *const nan[] = { ".nan", ".NaN", ".NAN" };

	return one_of(after_sign(text), inf, ARRAY_SIZE(inf)) || one_of(text, nan, ARRAY_SIZE(nan));
}

static json_t *real(const char *text, const char **ret_why)
{
	json_t *value = json_real(strtod(text, NULL)); /* NULL for infinity */

	if (!value)
		*ret_why = "the number is too large";
	return value;
}

json_t *yaml_scalar_plain(const char *text, size_t n, const char **ret_why)
{
	static const char *const null[] = { "~", "null", "Null", "NULL" };
	static const char *const yes[] = { "true", "True", "TRUE" }, *const no[] = { "false", "False", "FALSE" };
	json_t *string;
	int base;

	if (n == 0 || one_of(text, null, ARRAY_SIZE(null)))
		return json_null();
	if (one_of(text, yes, ARRAY_SIZE(yes)))
		return json_true();
	if (one_of(text, no, ARRAY_SIZE(no)))
		return json_false();
	base = integer_base(text);
	if ((base || is_float(text)) && n > NUMBER_TEXT_MAX) {
		*ret_why = "the number has too many digits";
		return NULL;
	}
	if (base)
		return integer(text, base, ret_why);
	if (is_float(text))
		return real(text, ret_why);
	if (is_infinite(text)) {
		*ret_why = "infinity and NaN cannot be used here";
		return NULL;
	}
	string = json_stringn(text, n);
	if (!string)
		*ret_why = "the text is not valid UTF-8";
	return string;
}
