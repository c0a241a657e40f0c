/* Strings and durations as text. */
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *xfmt(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	return s;
}

void text_add_bytes(struct text *text, const void *p, size_t n)
{
	if (text->n + n + 1 > text->cap) {
		text->cap = (text->n + n + 1) * 2;
		text->s = xrealloc(text->s, text->cap);
	}
	memcpy(text->s + text->n, p, n);
	text->n += n;
	text->s[text->n] = 0;
}

void text_add(struct text *text, const char *fmt, ...)
{
	CLEANUP(free_p) char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	text_add_bytes(text, s, (size_t)n);
}

const char *text_str(const struct text *text)
{
	return text->s ? text->s : "";
}

void text_fini(struct text *text)
{
	free(text->s);
	*text = (struct text){ 0 };
}

const char *span_format(int64_t ms, char ret[SPAN_TEXT])
{
	int64_t s = ms / 1000;

	if (ms < 0)
		(void)snprintf(ret, SPAN_TEXT, "none");
	else if (ms < 1000)
		(void)snprintf(ret, SPAN_TEXT, "%" PRId64 "ms", ms);
	else if (s < 120)
		(void)snprintf(ret, SPAN_TEXT, "%" PRId64 "s", s);
	else if (s < 3600)
		(void)snprintf(ret, SPAN_TEXT, "%" PRId64 "m%02" PRId64 "s", s / 60, s % 60);
	else if (s < 86400)
		(void)snprintf(ret, SPAN_TEXT, "%" PRId64 "h%02" PRId64 "m", s / 3600, s / 60 % 60);
	else
		(void)snprintf(ret, SPAN_TEXT, "%" PRId64 "d%02" PRId64 "h", s / 86400, s / 3600 % 24);
	return ret;
}

static int64_t unit_us(const char *unit, size_t n)
{
	static const struct {
		const char *name;
		int64_t us;
	} units[] = { { "us", 1 }, { "ms", 1000 }, { "s", 1000000 }, { "m", 60000000 }, { "h", 3600000000 } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == n && memcmp(units[i].name, unit, n) == 0)
			return units[i].us;
	return -1;
}

int span_parse(const char *text, int64_t *ret_ms)
{
	double total_us = 0;

	if (strcmp(text, "0") == 0) {
		*ret_ms = 0;
		return 0;
	}
	if (!*text || strlen(text) > 40)
		return -EINVAL;
	while (*text) {
		size_t digits = strspn(text, "0123456789."), letters;
		double value;
		int64_t us;
		int used = 0;

		if (!digits || sscanf(text, "%30lf%n", &value, &used) != 1 || (size_t)used != digits)
			return -EINVAL;
		text += digits;
		letters = strspn(text, "uhms");
		us = unit_us(text, letters);
		if (us < 0)
			return -EINVAL;
		total_us += value * (double)us;
		text += letters;
	}
	if (total_us > 10.0 * 365 * 86400 * 1e6)
		return -EINVAL;
	*ret_ms = (int64_t)(total_us / 1000);
	return 0;
}
