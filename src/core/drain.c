/* The heart: when may a server of weight 0 be deleted. No I/O, no clock. */
#include "core/drain.h"

#include "core/policy.h"

static bool is_zero(const struct drain *drain, const struct drain_sight *sight)
{
	return sight->active == 0 && (sight->inactive == 0 || (mono_set(drain->over_at) && drain->over_at.ms == sight->dumped_at.ms));
}

enum drain_verdict drain_judge(const struct drain *drain, const struct drain_sight *sight, struct mono now)
{
	if (sight->wanted)
		return DRAIN_REVIVE;
	if (!sight->present)
		return DRAIN_GONE;
	if (mono_reached(drain->deadline, now))
		return DRAIN_FORCE;
	if (sight->dumped_at.ms <= drain->zeroed_at.ms)
		return DRAIN_SETTLE; /* a zero counted before the weight was zeroed proves nothing */
	if (!is_zero(drain, sight))
		return DRAIN_KEEP;
	/* Twice: a packet that was past the scheduler when the weight changed may still make an entry. */
	if (mono_set(drain->zero_since) && sight->dumped_at.ms - drain->zero_since.ms >= DRAIN_TWICE_MS)
		return DRAIN_DELETE;
	return DRAIN_SETTLE;
}

void drain_begin(struct drain *drain, struct mono since, struct mono now, int64_t limit_ms)
{
	*drain = (struct drain){
		.on = true,
		.since = since,
		.zeroed_at = now,
		.zero_since = MONO_NEVER,
		.limit_at = limit_ms == LIMIT_NONE ? MONO_NEVER : mono_after(now, limit_ms),
		.deadline = MONO_NEVER,
		.next_check = mono_after(now, DRAIN_TWICE_MS),
		.next_ask = now,
		.zero_before = MONO_NEVER,
		.over_at = MONO_NEVER,
		.verdict = DRAIN_SETTLE,
	};
}

void drain_again(struct drain *drain, struct mono now)
{
	drain->zeroed_at = now;
	drain->zero_since = drain->zero_before = drain->over_at = MONO_NEVER;
	drain->next_check = mono_after(now, DRAIN_TWICE_MS);
	drain->verdict = DRAIN_SETTLE;
}

/* After a first zero the second read follows at once; if it was zero twice and is still there, something holds the delete. */
static int64_t wait_ms(const struct drain *drain, struct mono dumped_at, int64_t period_ms)
{
	static const int64_t first[] = { 50, 250 };

	if (mono_set(drain->zero_since) && dumped_at.ms - drain->zero_since.ms < DRAIN_TWICE_MS)
		return DRAIN_TWICE_MS;
	return drain->checks <= ARRAY_SIZE(first) ? first[drain->checks - 1] : period_ms;
}

#define STRAGGLERS_MS 1000 /* what was past the scheduler when the weight became 0 has come by then */

void drain_note(struct drain *drain, const struct drain_sight *sight, uint32_t active_before, int64_t period_ms)
{
	bool zero = is_zero(drain, sight);

	if (sight->dumped_at.ms <= drain->zeroed_at.ms)
		return;
	if (!drain->counted) {
		drain->counted = true;
		drain->active_start = sight->active;
		drain->inactive_start = sight->inactive;
	} else if (zero && active_before > 0) {
		drain->dropped_at_once = true;
	} else if (sight->active > active_before && sight->dumped_at.ms - drain->zeroed_at.ms > STRAGGLERS_MS) {
		drain->grew = true;
	}
	if (drain->checks < UINT8_MAX)
		drain->checks++;
	drain->zero_before = drain->zero_since;
	if (!zero) {
		drain->zero_since = MONO_NEVER;
		drain->dropped_at_once = false;
	} else if (!mono_set(drain->zero_since)) {
		drain->zero_since = sight->dumped_at;
	}
	drain->next_check = mono_after(sight->dumped_at, wait_ms(drain, sight->dumped_at, period_ms));
}

void drain_over(struct drain *drain, struct mono dumped_at, int64_t period_ms)
{
	drain->over_at = dumped_at;
	drain->zero_since = mono_set(drain->zero_before) ? drain->zero_before : dumped_at;
	drain->next_check = mono_after(dumped_at, wait_ms(drain, dumped_at, period_ms));
}

int64_t drain_cost(int64_t smoothed_us, int64_t check_us)
{
	int64_t most = 2 * smoothed_us + 100;

	return smoothed_us + ((check_us < most ? check_us : most) - smoothed_us) / 8;
}

int64_t drain_period_ms(size_t n, int64_t cost_us)
{
	int64_t period_ms = (int64_t)n * cost_us * 100 / 1000;

	return period_ms > DRAIN_PERIOD_MIN_MS ? period_ms : DRAIN_PERIOD_MIN_MS;
}
