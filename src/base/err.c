/* Builds error sentences; prints nothing. */
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	assert(code < 0);
	if (!err)
		return code;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

void err_wrap(struct err *err, const char *fmt, ...)
{
	char old[ERR_TEXT_MAX], prefix[ERR_TEXT_MAX / 2];
	va_list ap;

	if (!err)
		return;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	(void)vsnprintf(prefix, sizeof(prefix), fmt, ap);
	va_end(ap);
	(void)snprintf(err->text, sizeof(err->text), "%s: %.*s", prefix, (int)(sizeof(old) - strlen(prefix) - 3), old);
}
