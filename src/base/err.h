/* One error: a sentence for a person, beside the negative errno that the function returns. */
#pragma once
#include "base/mem.h"

#define ERR_TEXT_MAX 1024

struct err {
	char text[ERR_TEXT_MAX]; /* "" = no error; too long a sentence is cut */
};

/* Writes the sentence (%m works) and gives code back: return err_set(err, -errno, "open %s: %m", path);
 * err may be NULL. code must be negative. */
int err_set(struct err *err, int code, const char *fmt, ...) PRINTF(3, 4);

/* Puts "prefix: " before the sentence that is there. */
void err_wrap(struct err *err, const char *fmt, ...) PRINTF(2, 3);
