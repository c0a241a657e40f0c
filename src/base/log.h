/* One event, one line on standard error: "2026-01-02T03:04:05.678Z info  message key=value …".
 * Levels: error = sluice can't do its job; warn = it went on despite something; info = the kernel or
 * the configuration was changed; debug = anything else. Only daemon/, cli/ and main.c log. */
#pragma once
#include "base/mem.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* kubectl's verbosity: 0-3 = up to info (the default), 4 and more = debug too. */
void log_verbosity(int v);
bool log_on(enum log_level level);

/* Receives each line (without time and newline) instead of standard error; NULL: standard error again. */
void log_sink(void (*sink)(void *ctx, enum log_level level, const char *line), void *ctx);

void log_line(enum log_level level, const char *fmt, ...) PRINTF(2, 3);
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
