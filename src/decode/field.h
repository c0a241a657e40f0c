/* Reading JSON that we expect to have a shape: a field knows its path, so each complaint can name it. */
#pragma once
#include "decode/kube_object.h"

#include <jansson.h>

/* A place in an object. Lives on the caller's stack; up outlives it. */
struct field {
	const struct field *up; /* NULL: the object itself */
	const char *key;        /* NULL: an item of a list, index counts */
	size_t index;
	const json_t *json;     /* NULL: absent or null */
};

struct field field_key(const struct field *up, const char *key);
struct field field_item(const struct field *up, size_t index);

/* Fills in path and reason; gives false back. */
bool field_bad(const struct field *f, struct object_error *error, const char *fmt, ...) PRINTF(3, 4);

/* Each gives false, with error filled in, if the field is there with another type. Absent is fine: texts are then NULL,
 * flags and numbers stay as they are. Texts are borrowed from the JSON. */
bool field_object(const struct field *f, struct object_error *error);
bool field_array(const struct field *f, size_t max, struct object_error *error);
bool field_text(const struct field *f, const char **ret_text, struct object_error *error);
bool field_flag(const struct field *f, bool *ret_flag, struct object_error *error);
bool field_number(const struct field *f, int64_t min, int64_t max, int64_t *ret_number, struct object_error *error);
/* One of words; absent or "" is word 0. */
bool field_word(const struct field *f, const char *const words[], size_t n, size_t *ret_word, struct object_error *error);

#define FIELD_SHOW 64
/* The value as a person would write it, in short; gives ret back. */
const char *field_show(const json_t *json, char ret[FIELD_SHOW]);
