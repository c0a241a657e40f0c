/* Points in time on the boot clock (it goes on in suspend, and a journal of the same boot can name them). */
#pragma once
#include "base/mem.h"

struct mono {
	int64_t ms; /* since boot; MONO_NEVER.ms = never, not set */
};
#define MONO_NEVER ((struct mono){ -1 })

struct mono mono_now(void); /* CLOCK_BOOTTIME; core never calls it, it is given the time */

int64_t mono_cost_us(void); /* CLOCK_MONOTONIC in microseconds: only to measure how long something took */
int64_t mono_cpu_us(void);  /* processor time of this thread in microseconds, the kernel's part included */

static inline bool mono_set(struct mono t) { return t.ms >= 0; }
static inline struct mono mono_after(struct mono t, int64_t ms) { return (struct mono){ t.ms + ms }; }
static inline bool mono_reached(struct mono t, struct mono now) { return t.ms >= 0 && now.ms >= t.ms; }
/* The earlier of two, where MONO_NEVER is later than all. */
static inline struct mono mono_min(struct mono a, struct mono b)
{
	return a.ms < 0 ? b : b.ms < 0 ? a : a.ms < b.ms ? a : b;
}
