/* The one place that asks the system for the time. */
#include "base/mono.h"

#include <time.h>

struct mono mono_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_BOOTTIME, &ts);
	return (struct mono){ (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000 };
}

static int64_t clock_us(clockid_t clock)
{
	struct timespec ts;

	(void)clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t mono_cost_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

int64_t mono_cpu_us(void)
{
	return clock_us(CLOCK_THREAD_CPUTIME_ID);
}
