/* What a plain (unquoted) YAML scalar means: YAML 1.2's core schema. */
#pragma once
#include "base/mem.h"

struct json_t;

/* null, true/false, integers (also 0x and 0o), floats; everything else is a string, so are timestamps.
 * owned: json_decref(). NULL: JSON cannot hold the value; *ret_why (static) says so. */
struct json_t *yaml_scalar_plain(const char *text, size_t n, const char **ret_why);
