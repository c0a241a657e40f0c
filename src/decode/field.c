/* Typed reading of JSON fields with a path for each complaint. Knows no object's shape. */
#include "decode/field.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const json_t *not_null(const json_t *json)
{
	return json_is_null(json) ? NULL : json;
}

struct field field_key(const struct field *up, const char *key)
{
	return (struct field){ .up = up, .key = key, .json = not_null(json_object_get(up->json, key)) };
}

struct field field_item(const struct field *up, size_t index)
{
	return (struct field){ .up = up, .index = index, .json = not_null(json_array_get(up->json, index)) };
}

/* Appends the path of f; gives its length back, at most size - 1. */
static size_t path_format(const struct field *f, char *ret, size_t size)
{
	size_t n;
	int more;

	if (!f->up)
		return 0;
	n = path_format(f->up, ret, size);
	if (f->key)
		more = snprintf(ret + n, size - n, "%s%s", n ? "." : "", f->key);
	else
		more = snprintf(ret + n, size - n, "[%zu]", f->index);
	n += more > 0 ? (size_t)more : 0;
	return n < size ? n : size - 1;
}

bool field_bad(const struct field *f, struct object_error *error, const char *fmt, ...)
{
	va_list ap;

	error->path[0] = 0;
	(void)path_format(f, error->path, sizeof(error->path));
	va_start(ap, fmt);
	(void)vsnprintf(error->reason, sizeof(error->reason), fmt, ap);
	va_end(ap);
	return false;
}

const char *field_show(const json_t *json, char ret[FIELD_SHOW])
{
	const char *word = "absent";
	char real[32];

	(void)snprintf(real, sizeof(real), "%g", json_real_value(json));
	if (json_is_string(json))
		(void)snprintf(ret, FIELD_SHOW, json_string_length(json) > 40 ? "\"%.40s…\"" : "\"%s\"", json_string_value(json));
	else if (json_is_integer(json))
		(void)snprintf(ret, FIELD_SHOW, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
	else if (json_is_real(json))
		(void)snprintf(ret, FIELD_SHOW, strpbrk(real, ".en") ? "%s" : "%s.0", real); /* 80.0 is no whole number, and looks so */
	else {
		if (json_is_object(json))
			word = "a mapping";
		else if (json_is_array(json))
			word = "a list";
		else if (json_is_boolean(json))
			word = json_is_true(json) ? "true" : "false";
		(void)snprintf(ret, FIELD_SHOW, "%s", word);
	}
	return ret;
}

static bool must_be(const struct field *f, const char *what, struct object_error *error)
{
	char text[FIELD_SHOW];

	(void)field_bad(f, error, "must be %s, is %s", what, field_show(f->json, text));
	return false;
}

bool field_object(const struct field *f, struct object_error *error)
{
	return !f->json || json_is_object(f->json) || must_be(f, "a mapping", error);
}

bool field_array(const struct field *f, size_t max, struct object_error *error)
{
	if (f->json && !json_is_array(f->json))
		return must_be(f, "a list", error);
	if (json_array_size(f->json) > max)
		return field_bad(f, error, "has %zu entries, more than %zu", json_array_size(f->json), max);
	return true;
}

bool field_text(const struct field *f, const char **ret_text, struct object_error *error)
{
	if (f->json && !json_is_string(f->json))
		return must_be(f, "a text", error);
	*ret_text = json_string_value(f->json);
	return true;
}

bool field_flag(const struct field *f, bool *ret_flag, struct object_error *error)
{
	if (!f->json)
		return true;
	if (!json_is_boolean(f->json))
		return must_be(f, "true or false", error);
	*ret_flag = json_is_true(f->json);
	return true;
}

bool field_number(const struct field *f, int64_t min, int64_t max, int64_t *ret_number, struct object_error *error)
{
	char text[FIELD_SHOW];

	if (!f->json)
		return true;
	if (!json_is_integer(f->json) || json_integer_value(f->json) < min || json_integer_value(f->json) > max)
		return field_bad(f, error, "must be a whole number from %" PRId64 " to %" PRId64 ", is %s", min, max,
				 field_show(f->json, text));
	*ret_number = json_integer_value(f->json);
	return true;
}

static bool not_a_word(const struct field *f, const char *const words[], size_t n, struct object_error *error)
{
	char list[128] = "", text[FIELD_SHOW];
	size_t used = 0;

	for (size_t i = 0; i < n && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ",
					 words[i]);
	return field_bad(f, error, "must be %s, is %s", list, field_show(f->json, text));
}

bool field_word(const struct field *f, const char *const words[], size_t n, size_t *ret_word, struct object_error *error)
{
	const char *text;

	if (!field_text(f, &text, error))
		return false;
	*ret_word = 0;
	if (!text || !*text)
		return true;
	for (size_t i = 0; i < n; i++)
		if (strcmp(words[i], text) == 0) {
			*ret_word = i;
			return true;
		}
	return not_a_word(f, words, n, error);
}
