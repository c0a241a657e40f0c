/* Far moments come in any order: a leap makes those of one kind due, and leaves the others far. Near ones have come then. */
#include "exhaustive/clock.h"

#include "exhaustive/daemon.h"
#include "exhaustive/mirror.h"

#define LEAP_MS 15 /* behind all that is near */

/* Every timer of a state, for reading and for writing. */
#define EACH_TIMER(w, X)                                              \
	X((w)->daemon.mirror.rs[A].next_check, TO_CHECK)              \
	X((w)->daemon.mirror.rs[B].next_check, TO_CHECK)              \
	X((w)->daemon.mirror.retry, TO_RETRY)                         \
	X((w)->daemon.mirror.addr_retry, TO_RETRY)                    \
	X((w)->daemon.read_retry, TO_RETRY)                           \
	X((w)->daemon.mirror.rs[A].flush_next, TO_CHECK)              \
	X((w)->daemon.mirror.rs[B].flush_next, TO_CHECK)              \
	X((w)->daemon.mirror.rs[A].deadline, to_deadline(w, A))       \
	X((w)->daemon.mirror.rs[B].deadline, to_deadline(w, B))       \
	X((w)->daemon.mirror.rs[A].limit, TO_LIMIT_A)                 \
	X((w)->daemon.mirror.rs[B].limit, TO_LIMIT_B)                 \
	X((w)->kernel.rs[A].limit, TO_LIMIT_A)                        \
	X((w)->kernel.rs[B].limit, TO_LIMIT_B)                        \
	X((w)->daemon.mirror.gone_until, TO_LIMIT)                    \
	X((w)->journal.gone_until, TO_LIMIT)                          \
	X((w)->journal.until_a, TO_LIMIT_A)                           \
	X((w)->journal.until_b, TO_LIMIT_B)                           \
	X((w)->daemon.mirror.linger, TO_LINGER)                       \
	X((w)->journal.linger_until, TO_LINGER)                       \
	X((w)->daemon.wake, TO_ALL)

/* Which moments a deadline comes from: that of its Service, its own, or the earlier one of both. */
static int to_deadline(const struct world *w, int i)
{
	const struct mirror *m = &w->daemon.mirror;
	int own = m->rs[i].limit == FAR ? (i == A ? TO_LIMIT_A : TO_LIMIT_B) : 0;

	return own | (own && m->gone_until == NEVER ? 0 : TO_LIMIT);
}

static void pass(struct world *w, int64_t ms)
{
	struct mono now = mono_after(NOW, ms);
	struct observed o;

	for (int i = 0; i < SERVERS; i++) {
		struct kernel_rs *rs = &w->kernel.rs[i];

		rs->late = rs->late * TICK_MS > ms ? (uint8_t)(rs->late - ms / TICK_MS) : 0;
	}
	mirror_thaw(&w->daemon.mirror, &o);
	w->daemon.mirror = mirror_freeze(&o, now);
	observed_fini(&o);
	w->daemon.wake = when_of(when_at(w->daemon.wake), now);
	w->daemon.read_retry = when_of(when_at(w->daemon.read_retry), now);
	w->journal.gone_until = when_of(when_at(w->journal.gone_until), now);
	w->journal.linger_until = when_of(when_at(w->journal.linger_until), now);
	w->journal.until_a = when_of(when_at(w->journal.until_a), now);
	w->journal.until_b = when_of(when_at(w->journal.until_b), now);
}

static bool near(uint8_t when)
{
	return when == IN_5MS || when == IN_10MS;
}

static bool young(const struct mirror_rs *rs)
{
	return rs->on && (rs->zeroed_at == 1 || (rs->counted_at && rs->counted_at < 3));
}

bool clock_can_tick(const struct world *w)
{
	for (int i = 0; i < SERVERS; i++)
		if (w->kernel.rs[i].late || young(&w->daemon.mirror.rs[i]))
			return true;
#define X(timer, kind) \
	if (near(timer)) \
		return true;
	EACH_TIMER(w, X)
#undef X
	return false;
}

void clock_tick(struct world *w)
{
	pass(w, TICK_MS);
}

bool clock_can_leap(const struct world *w, enum moment moments)
{
	if (daemon_next(w) != STEP_NONE)
		return false;
#define X(timer, kind)                                                  \
	if (((kind) & moments) && (kind) != TO_ALL && (timer) > DUE)    \
		return true;
	EACH_TIMER(w, X)
#undef X
	return moments == TO_ALL && w->daemon.wake > DUE;
}

void clock_leap(struct world *w, enum moment moments)
{
	pass(w, LEAP_MS);
#define X(timer, kind)                                  \
	if (((kind) & moments) && (timer) == FAR)       \
		(timer) = DUE;
	EACH_TIMER(w, X)
#undef X
	if ((moments & TO_LIMIT) && bounds.limit && !w->source.service)
		w->limit_came = 1;
}
