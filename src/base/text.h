/* Strings: formatting into memory of our own, and a growing buffer. */
#pragma once
#include "base/mem.h"

char *xfmt(const char *fmt, ...) PRINTF(1, 2); /* owned: free() */

/* A growing string; {0} is empty. Always NUL-terminated once something was added. */
struct text {
	char *s; /* owned; NULL while empty */
	size_t n, cap;
};
void text_add(struct text *text, const char *fmt, ...) PRINTF(2, 3);
void text_add_bytes(struct text *text, const void *p, size_t n);
const char *text_str(const struct text *text); /* "" while empty; borrowed until the next add */
void text_fini(struct text *text);

/* "350ms", "12s", "4m10s", "3h05m", "2d03h": how ages and limits are shown everywhere. */
#define SPAN_TEXT 32
const char *span_format(int64_t ms, char ret[SPAN_TEXT]);

/* Go's duration text ("1m30s", "250ms", "1.5h", "0"); -EINVAL, also if negative or over 10 years. */
MUST_CHECK int span_parse(const char *text, int64_t *ret_ms);
