/* One draining real server: the verdict for it now, and when to look again. Pure. */
#pragma once
#include "base/mono.h"
#include "core/view.h"

#define DRAIN_TWICE_MS 10       /* two reads of zero lie at least this far apart */
#define DRAIN_PERIOD_MIN_MS 1000 /* between two checks of a held server */

/* Where a drain stands. Lives beside the real server in core/observed. */
struct drain {
	bool on;
	bool counted;            /* active_start, inactive_start are set */
	bool dropped_at_once;    /* active fell to zero between two checks and no inactive was seen */
	bool grew;               /* it got connections although its weight was 0 long before … */
	bool told;               /* … and that was said */
	uint8_t checks;          /* up to 255 */
	struct mono since;       /* when it began, perhaps before a restart */
	struct mono zeroed_at;   /* when the kernel acknowledged weight 0, or was found with it */
	struct mono zero_since;  /* begin of the first read of an unbroken row of zeros */
	struct mono limit_at;    /* its own limit, set when it began; MONO_NEVER */
	struct mono deadline;    /* that, or an earlier one of its virtual server */
	struct mono next_check;
	uint32_t active_start, inactive_start;
	struct mono next_ask;    /* which of its connections are only remembered; not before */
	struct mono zero_before; /* zero_since, before the last reading was noted */
	struct mono over_at;     /* the reading at this time found nothing but connections that are over; MONO_NEVER */
	enum drain_verdict verdict; /* of the last check */
};

/* What was read of it. */
struct drain_sight {
	bool wanted, present;
	uint32_t active, inactive;
	struct mono dumped_at; /* begin of the dump that the counts come from; MONO_NEVER = not read yet */
};

enum drain_verdict drain_judge(const struct drain *drain, const struct drain_sight *sight, struct mono now);

/* The weight became 0 at now: a new drain. limit_ms from now on; LIMIT_NONE. */
void drain_begin(struct drain *drain, struct mono since, struct mono now, int64_t limit_ms);
/* While it drained, its weight may have been another for a while before now: what was counted till now proves nothing. */
void drain_again(struct drain *drain, struct mono now);
/* Takes one reading into account: the row of zeros, the first counts, when to look again (10, 50, 250 ms, then every
 * period_ms; 10 ms after a first zero). */
void drain_note(struct drain *drain, const struct drain_sight *sight, uint32_t active_before, int64_t period_ms);

/* The reading that began at dumped_at, noted already, found inactive connections only; asked behind it, the kernel showed at least as many that
 * are over and none that is not: it counts as zero after all. A number that was found earlier would prove nothing: what was over then may be
 * forgotten now, and what is left be alive. */
void drain_over(struct drain *drain, struct mono dumped_at, int64_t period_ms);

/* What one check costs, in microseconds of processor time, smoothed over them. A single dear one moves it little: time that a
 * host took away from this machine is counted as ours, and must not slow the drains down. */
int64_t drain_cost(int64_t smoothed_us, int64_t check_us);
/* Between two checks of a held server, while n virtual servers are read in a round: rounds take 1 % of a processor at most. */
int64_t drain_period_ms(size_t n, int64_t cost_us);
