/* The frame of the programs in this folder: each test runs in a process of its own, some side by side; one line is printed for
 * each, and a last line with the counts. A test fails by need() or await(); what it built dies with its process. */
#pragma once
#include "base/mono.h"
#include "base/text.h"

struct check_test {
	const char *name; /* what is proved, as a word with dashes */
	void (*run)(void);
	int limit_s;      /* longer than this is a failure; 0 = 240 */
};

/* Arguments: [-j N] [-l] [NAME…] (none: all). Gives main()'s exit status: 0 all passed, 1 some failed, 2 wrong usage. */
int check_main(int argc, char **argv, const struct check_test *tests, size_t n);

/* Ends this test as failed. From any thread. */
void check_fail(const char *fmt, ...) PRINTF(1, 2) __attribute__((noreturn));
/* The same for something that did not happen in time. On a machine that does much else that says little, so the test is run once more, alone,
 * when all others are over; what happened and was wrong is never excused. */
void check_late(const char *fmt, ...) PRINTF(1, 2) __attribute__((noreturn));
/* A line that is shown with the result: something measured. */
void check_note(const char *fmt, ...) PRINTF(1, 2);
/* A directory of this test's own; removed after it. */
extern const char *check_dir;
/* Called once when the test fails, to show what helps to understand it (a log's end). */
extern void (*check_explain)(void);

#define need(condition, ...)                                                                          \
	do {                                                                                          \
		if (!(condition))                                                                     \
			check_fail(__VA_ARGS__);                                                      \
	} while (0)

/* Polls every 2 ms until the condition holds; fails with the sentence when it does not within the limit. */
#define await(limit_ms, condition, ...)                                                               \
	do {                                                                                          \
		int64_t await_end_ = now_us() + (int64_t)(limit_ms) * 1000;                           \
		while (!(condition)) {                                                                \
			if (now_us() > await_end_)                                                    \
				check_late(__VA_ARGS__);                                              \
			pause_ms(2);                                                                  \
		}                                                                                     \
	} while (0)

/* Holds the condition for that long: fails as soon as it does not. */
#define hold(span_ms, condition, ...)                                                                 \
	do {                                                                                          \
		int64_t hold_end_ = now_us() + (int64_t)(span_ms) * 1000;                             \
		while (now_us() < hold_end_) {                                                        \
			need(condition, __VA_ARGS__);                                                 \
			pause_ms(2);                                                                  \
		}                                                                                     \
	} while (0)

static inline int64_t now_us(void) { return mono_cost_us(); }
void pause_ms(int ms); /* between two looks at something */

/* A file's whole text ("" if it is not there); owned: free(). */
char *read_text(const char *path);
/* Replaces a file at once (written beside it, then renamed), as editors and tools that care do. */
void write_text(const char *path, const char *text);
