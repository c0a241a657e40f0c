/* Writes log lines. Control characters of foreign text are replaced, so one event stays one line. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static enum log_level max_level = LOG_INFO;
static void (*sink_fn)(void *, enum log_level, const char *);
static void *sink_ctx;

void log_verbosity(int v)
{
	max_level = v >= 4 ? LOG_DEBUG : LOG_INFO;
}

bool log_on(enum log_level level)
{
	return level <= max_level;
}

void log_sink(void (*sink)(void *, enum log_level, const char *), void *ctx)
{
	sink_fn = sink;
	sink_ctx = ctx;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = { "error", "warn ", "info ", "debug" };
	char line[2048], when[32];
	struct timespec ts;
	struct tm tm;
	va_list ap;

	if (!log_on(level))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	if (sink_fn) {
		sink_fn(sink_ctx, level, line);
		return;
	}
	(void)clock_gettime(CLOCK_REALTIME, &ts);
	(void)gmtime_r(&ts.tv_sec, &tm);
	(void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)fprintf(stderr, "%s.%03ldZ %s %s\n", when, ts.tv_nsec / 1000000, names[level], line);
}
