/* A new kind of trouble is a row here: when it can happen, and what it does. */
#include "exhaustive/event.h"

#include "exhaustive/clock.h"
#include "exhaustive/daemon.h"
#include "exhaustive/kernel.h"
#include "exhaustive/source.h"

#include <stdio.h>
#include <string.h>

struct event {
	const char *name;
	bool (*can)(const struct world *w, struct mishap arg);
	void (*happen)(struct world *w, struct mishap arg);
	struct mishap arg; /* of the daemon; else which alone is used */
};

/* ---- source ---- */

static bool can_say(const struct world *w, struct mishap arg)
{
	if (bounds.pods && arg.which == READY)
		return false; /* then it says which pod */
	return w->source.a != (unsigned)arg.which;
}

static void say_a(struct world *w, struct mishap arg)
{
	struct source said = w->source;

	said.a = (uint8_t)arg.which;
	if (said.a == GONE)
		said.pod = POD_UNKNOWN;
	daemon_hears(w, said);
}

static bool can_say_pod(const struct world *w, struct mishap arg)
{
	return bounds.pods && (w->source.a != READY || w->source.pod != (unsigned)arg.which);
}

static void say_pod(struct world *w, struct mishap arg)
{
	struct source said = w->source;

	said.a = READY;
	said.pod = (uint8_t)(arg.which & 3);
	daemon_hears(w, said);
}

static bool can_lose_all(const struct world *w, struct mishap arg)
{
	(void)arg;
	return !bounds.steady && w->source.a != GONE && w->source.b != GONE;
}

static void lose_all(struct world *w, struct mishap arg)
{
	struct source said = w->source;

	(void)arg;
	said.a = said.b = GONE;
	said.pod = POD_UNKNOWN;
	daemon_hears(w, said);
}

static bool can_get_b(const struct world *w, struct mishap arg)
{
	(void)arg;
	return bounds.b_back && w->source.b == GONE;
}

static void get_b(struct world *w, struct mishap arg)
{
	struct source said = w->source;

	(void)arg;
	said.b = READY;
	daemon_hears(w, said);
}

static bool can_say_service(const struct world *w, struct mishap arg)
{
	return !bounds.steady && w->source.service != (unsigned)arg.which;
}

static void say_service(struct world *w, struct mishap arg)
{
	struct source said = w->source;

	said.service = (uint8_t)arg.which;
	daemon_hears(w, said);
}

/* ---- clients ---- */

static bool can_connect(const struct world *w, struct mishap arg)
{
	return w->kernel.served && w->kernel.vs && is_live(&w->kernel, arg.which) && clients_of(&w->kernel.rs[arg.which]) < bounds.clients[arg.which];
}

static bool can_straggle(const struct world *w, struct mishap arg)
{
	const struct kernel_rs *rs = &w->kernel.rs[arg.which];

	return rs->present && rs->late && clients_of(rs) < bounds.clients[arg.which];
}

static void connect_to(struct world *w, struct mishap arg)
{
	w->kernel.rs[arg.which].active++;
}

static bool has_active(const struct world *w, struct mishap arg)
{
	return w->kernel.rs[arg.which].active > 0;
}

static void become_inactive(struct world *w, struct mishap arg)
{
	w->kernel.rs[arg.which].active--;
	w->kernel.rs[arg.which].inactive++;
}

static void forget_idle(struct world *w, struct mishap arg)
{
	w->kernel.rs[arg.which].active = 0;
}

static bool has_inactive(const struct world *w, struct mishap arg)
{
	return w->kernel.rs[arg.which].inactive > 0;
}

static void end_inactive(struct world *w, struct mishap arg)
{
	w->kernel.rs[arg.which].inactive--;
}

static bool any_client(const struct world *w, struct mishap arg)
{
	(void)arg;
	return clients_of(&w->kernel.rs[A]) || clients_of(&w->kernel.rs[B]);
}

static void all_leave(struct world *w, struct mishap arg)
{
	(void)arg;
	for (int i = 0; i < SERVERS; i++)
		w->kernel.rs[i].active = w->kernel.rs[i].inactive = 0;
}

static bool has_left(const struct world *w, struct mishap arg)
{
	return w->kernel.rs[arg.which].left > 0;
}

static void end_left(struct world *w, struct mishap arg)
{
	w->kernel.rs[arg.which].left = w->kernel.rs[arg.which].left_pods = 0;
}

/* ---- the daemon ---- */

static bool can_step(const struct world *w, struct mishap arg)
{
	if (arg.trouble >= REFUSED && arg.trouble <= INTERRUPTED && arg.trouble != DIES && !w->failures)
		return false;
	if (arg.trouble == DIES && !w->restarts)
		return false;
	if (arg.trouble >= SKIPPED && w->skips <= arg.trouble - SKIPPED)
		return false;
	return daemon_can(w, arg);
}

static void spend(struct world *w, enum trouble trouble)
{
	if (trouble == DIES)
		w->restarts--;
	else if (trouble >= SKIPPED)
		w->skips = (uint8_t)(w->skips - (trouble - SKIPPED + 1));
	else if (trouble != NO_TROUBLE)
		w->failures--;
}

static void step(struct world *w, struct mishap arg)
{
	spend(w, arg.trouble);
	daemon_step(w, arg);
}

static bool can_audit(const struct world *w, struct mishap arg)
{
	if (!daemon_can_audit(w))
		return false;
	if (arg.trouble == INTERRUPTED)
		return w->failures && w->kernel.vs;
	if (arg.trouble >= SKIPPED)
		return w->skips > arg.trouble - SKIPPED && w->kernel.rs[arg.which].present;
	return true;
}

static void audit(struct world *w, struct mishap arg)
{
	spend(w, arg.trouble);
	daemon_audit(w, arg);
}

static bool can_restart(const struct world *w, struct mishap arg)
{
	(void)arg;
	return w->restarts > 0;
}

static void restart(struct world *w, struct mishap arg)
{
	(void)arg;
	w->restarts--;
	daemon_restart(w);
}

/* ---- the clock ---- */

static bool can_tick(const struct world *w, struct mishap arg)
{
	(void)arg;
	return clock_can_tick(w);
}

static void tick(struct world *w, struct mishap arg)
{
	(void)arg;
	clock_tick(w);
}

static bool can_leap(const struct world *w, struct mishap arg)
{
	return clock_can_leap(w, (enum moment)arg.which);
}

static void leap(struct world *w, struct mishap arg)
{
	clock_leap(w, (enum moment)arg.which);
}

/* ---- a foreign hand ---- */

static bool hand_can(const struct world *w, struct mishap arg)
{
	return bounds.hand && w->hand == HAND_FREE && w->kernel.vs && w->kernel.rs[arg.which].present;
}

static void hand_deletes(struct world *w, struct mishap arg)
{
	w->hand = HAND_UNSEEN;
	memset(&w->kernel.rs[arg.which], 0, sizeof(w->kernel.rs[arg.which]));
}

static bool hand_can_vs(const struct world *w, struct mishap arg)
{
	(void)arg;
	return bounds.hand && w->hand == HAND_FREE && w->kernel.vs;
}

static void hand_deletes_vs(struct world *w, struct mishap arg)
{
	(void)arg;
	w->hand = HAND_UNSEEN;
	memset(w->kernel.rs, 0, sizeof(w->kernel.rs));
	w->kernel.vs = 0;
}

static bool hand_can_raise(const struct world *w, struct mishap arg)
{
	return hand_can(w, arg) && !w->kernel.rs[arg.which].weight;
}

static void hand_raises(struct world *w, struct mishap arg)
{
	w->hand = HAND_UNSEEN;
	kernel_weigh(&w->kernel.rs[arg.which], 1);
	w->kernel.rs[arg.which].raised = 1;
}

static bool hand_can_zero(const struct world *w, struct mishap arg)
{
	return hand_can(w, arg) && w->kernel.rs[arg.which].weight;
}

static void hand_zeroes(struct world *w, struct mishap arg)
{
	w->hand = HAND_UNSEEN;
	kernel_weigh(&w->kernel.rs[arg.which], 0);
	w->kernel.rs[arg.which].late = 0; /* a read may follow in the same millisecond: when it was done, nobody but the hand can know */
}

enum { GOES_ON, AUDITS, LEAVE, FLUSHES, LEAP_ALL }; /* places in the table */

static const struct event events[] = {
	[GOES_ON] = { "the daemon", can_step, step, { NO_TROUBLE, 0 } },
	[AUDITS] = { "audit", can_audit, audit, { NO_TROUBLE, 0 } },
	[LEAVE] = { "all clients leave", any_client, all_leave, { NO_TROUBLE, 0 } },
	[FLUSHES] = { "the kernel ends what A had when it was deleted", has_left, end_left, { NO_TROUBLE, A } },
	[LEAP_ALL] = { "clock: everything that waits is due", can_leap, leap, { NO_TROUBLE, TO_ALL } },
	{ "source: A ready", can_say, say_a, { NO_TROUBLE, READY } },
	{ "source: A ready, the first pod", can_say_pod, say_pod, { NO_TROUBLE, POD_ONE } },
	{ "source: A ready, the second pod", can_say_pod, say_pod, { NO_TROUBLE, POD_TWO } },
	{ "source: A ready, an unknown pod", can_say_pod, say_pod, { NO_TROUBLE, POD_UNKNOWN } },
	{ "source: A terminating", can_say, say_a, { NO_TROUBLE, TERMINATING } },
	{ "source: A gone", can_say, say_a, { NO_TROUBLE, GONE } },
	{ "source: B back", can_get_b, get_b, { NO_TROUBLE, 0 } },
	{ "source: A and B gone", can_lose_all, lose_all, { NO_TROUBLE, 0 } },
	{ "source: the Service gone", can_say_service, say_service, { NO_TROUBLE, false } },
	{ "source: the Service back", can_say_service, say_service, { NO_TROUBLE, true } },
	{ "a client connects to A", can_connect, connect_to, { NO_TROUBLE, A } },
	{ "a client connects to B", can_connect, connect_to, { NO_TROUBLE, B } },
	{ "a straggler comes to A", can_straggle, connect_to, { NO_TROUBLE, A } },
	{ "a straggler comes to B", can_straggle, connect_to, { NO_TROUBLE, B } },
	{ "a connection to A becomes inactive", has_active, become_inactive, { NO_TROUBLE, A } },
	{ "a connection to B becomes inactive", has_active, become_inactive, { NO_TROUBLE, B } },
	{ "the idle ones on A are forgotten", has_active, forget_idle, { NO_TROUBLE, A } },
	{ "the idle ones on B are forgotten", has_active, forget_idle, { NO_TROUBLE, B } },
	{ "an inactive one on A ends", has_inactive, end_inactive, { NO_TROUBLE, A } },
	{ "an inactive one on B ends", has_inactive, end_inactive, { NO_TROUBLE, B } },
	{ "the daemon: ENOMEM", can_step, step, { REFUSED, 0 } },
	{ "the daemon: ENOMEM for the second", can_step, step, { REFUSED, 1 } },
	{ "the daemon: no answer, done", can_step, step, { UNHEARD, 0 } },
	{ "the daemon: no answer, the second done", can_step, step, { UNHEARD, 1 } },
	{ "the daemon: no answer, not done", can_step, step, { UNDONE, 0 } },
	{ "the daemon: no answer, the second not done", can_step, step, { UNDONE, 1 } },
	{ "the daemon: dies behind it", can_step, step, { DIES, 0 } },
	{ "the daemon: interrupted", can_step, step, { INTERRUPTED, 0 } },
	{ "the daemon: a dump misses A", can_step, step, { SKIPPED, A } },
	{ "the daemon: a dump misses B", can_step, step, { SKIPPED, B } },
	{ "the daemon: two dumps miss A", can_step, step, { SKIPPED_TWICE, A } },
	{ "the daemon: two dumps miss B", can_step, step, { SKIPPED_TWICE, B } },
	{ "audit: interrupted", can_audit, audit, { INTERRUPTED, 0 } },
	{ "audit: a dump misses A", can_audit, audit, { SKIPPED, A } },
	{ "audit: a dump misses B", can_audit, audit, { SKIPPED, B } },
	{ "audit: two dumps miss A", can_audit, audit, { SKIPPED_TWICE, A } },
	{ "audit: two dumps miss B", can_audit, audit, { SKIPPED_TWICE, B } },
	{ "restart", can_restart, restart, { NO_TROUBLE, 0 } },
	{ "clock: +5 ms", can_tick, tick, { NO_TROUBLE, 0 } },
	{ "clock: to the next check", can_leap, leap, { NO_TROUBLE, TO_CHECK } },
	{ "clock: to the next retry", can_leap, leap, { NO_TROUBLE, TO_RETRY } },
	{ "clock: to the end of the drains of the Service", can_leap, leap, { NO_TROUBLE, TO_LIMIT } },
	{ "clock: to the limit of the drain of A", can_leap, leap, { NO_TROUBLE, TO_LIMIT_A } },
	{ "clock: to the limit of the drain of B", can_leap, leap, { NO_TROUBLE, TO_LIMIT_B } },
	{ "clock: to the end of the address", can_leap, leap, { NO_TROUBLE, TO_LINGER } },
	{ "a foreign hand deletes A", hand_can, hand_deletes, { NO_TROUBLE, A } },
	{ "a foreign hand deletes the virtual server", hand_can_vs, hand_deletes_vs, { NO_TROUBLE, 0 } },
	{ "a foreign hand raises A", hand_can_raise, hand_raises, { NO_TROUBLE, A } },
	{ "a foreign hand sets A to 0", hand_can_zero, hand_zeroes, { NO_TROUBLE, A } },
};

size_t event_count(void)
{
	return ARRAY_SIZE(events);
}

bool event_can(size_t event, const struct world *w)
{
	return events[event].can(w, events[event].arg);
}

void event_happen(size_t event, struct world *w)
{
	events[event].happen(w, events[event].arg);
}

bool event_quiet_next(const struct world *w, bool clients_leave, size_t *ret_event)
{
	static const size_t order[] = { LEAVE, GOES_ON, AUDITS, FLUSHES, LEAP_ALL };

	for (size_t i = clients_leave ? 0 : 1; i < ARRAY_SIZE(order); i++) {
		*ret_event = order[i];
		if (event_can(order[i], w) && (order[i] != AUDITS || w->hand == HAND_UNSEEN || w->blind))
			return true;
	}
	return false;
}

static void describe_step(const struct world *w, char *ret, size_t size)
{
	static const char *const words[] = {
		[STEP_NONE] = "nothing", [STEP_START] = "starts", [STEP_APPLY] = "applies", [STEP_LIST] = "lists",
		[STEP_READ] = "reads", [STEP_CHECK] = "checks its drains", [STEP_FLUSH] = "looks for the connections of another pod",
		[STEP_PLAN] = "plans",
	};
	const struct daemon_model *d = &w->daemon;
	enum step next = daemon_next(w);
	size_t n = (size_t)snprintf(ret, size, " %s", words[next]);

	for (int i = 0; next == STEP_APPLY && i < d->n_ops && d->ops[i].kind == d->ops[0].kind && n < size; i++) {
		enum op_kind kind = (enum op_kind)d->ops[i].kind;
		bool of_rs = kind == OP_RS_ADD || kind == OP_RS_RAISE || kind == OP_RS_ZERO || kind == OP_RS_DEL;

		n += (size_t)snprintf(ret + n, size - n, " %s%s", op_word(kind), !of_rs ? "" : d->ops[i].rs == A ? " A" : " B");
	}
}

void event_describe(size_t event, const struct world *before, char *ret, size_t size)
{
	const struct event *e = &events[event];
	size_t daemon = strlen(events[GOES_ON].name);
	char did[200] = "";

	if (e->happen == step)
		describe_step(before, did, sizeof(did));
	else
		daemon = strlen(e->name);
	(void)snprintf(ret, size, "%.*s%s%s", (int)daemon, e->name, did, e->name + daemon);
}
