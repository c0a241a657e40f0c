/* What the daemon finds out about the kernel: reads, checks of drains, whether connections of another pod are gone, the start. */
#include "exhaustive/kernel.h"
#include "exhaustive/source.h"
#include "exhaustive/turn.h"

#include <string.h>

#define FIRST_PERIOD_MS 1000

static void on_lost(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs)
{
	struct turn *t = ctx;

	(void)vs;
	journal_drain(&t->w->journal, server_of(&rs->key), false, NEVER, 0);
}

static void on_drift(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs, const char *what)
{
	(void)ctx;
	(void)vs;
	(void)rs;
	(void)what;
}

void journal_drain(struct journal_model *j, int rs, bool on, uint8_t until, unsigned uid)
{
	if (rs == A) {
		j->drain_a = on;
		j->until_a = until;
		j->uid_a = uid & 3;
	} else {
		j->drain_b = on;
		j->until_b = until;
	}
}

/* ---- reads ---- */

static size_t dump(struct turn *t, bool skip, struct rs_row *rows)
{
	size_t n = 0;

	for (int i = 0; i < SERVERS; i++) {
		struct kernel_rs *rs = &t->w->kernel.rs[i];

		if (!rs->present)
			continue;
		if (skip && i == t->mishap.which) {
			t->w->blind |= !t->w->daemon.mirror.rs[i].exists;
			continue;
		}
		rows[n++] = (struct rs_row){ .key = the_rs[i], .weight = rs->weight, .active = rs->active, .inactive = rs->inactive };
		rs->read = rs->acked && !rs->weight;
		rs->acked = rs->weight == 0;
	}
	return n;
}

static bool list_rss(struct turn *t, struct seen_vs *vs, bool skip)
{
	const struct observed_listener listener = { t, on_lost, on_drift };
	struct rs_row rows[SERVERS];

	if (t->w->kernel.vs)
		return observed_take_rss(&t->o, vs, rows, dump(t, skip, rows), NOW, FIRST_PERIOD_MS, &listener);
	observed_take_absent(&t->o, vs, &listener);
	return false;
}

void look_vs(struct turn *t, struct seen_vs *vs)
{
	enum trouble trouble = t->mishap.trouble;

	if (trouble == INTERRUPTED) {
		vs->stale = true;
		retry_later(&vs->retry, NOW);
		observed_dirty(&t->o, vs);
		return;
	}
	if (list_rss(t, vs, trouble == SKIPPED || trouble == SKIPPED_TWICE))
		(void)list_rss(t, vs, trouble == SKIPPED_TWICE);
}

void look_vss(struct turn *t)
{
	const struct observed_listener listener = { t, on_lost, on_drift };
	const struct vs_row row = { the_vs, the_attrs };

	observed_take_vss(&t->o, &row, t->w->kernel.vs, &listener);
}

void look_addrs(struct turn *t)
{
	(void)observed_take_addrs(&t->o, &the_vs.ip, t->w->kernel.bound);
}

void look_filter(struct turn *t)
{
	const struct kernel_model *k = &t->w->kernel;

	(void)observed_take_filter(&t->o, &the_vs.ip, k->guarded, &the_vs, k->served, &the_vs.ip, k->pinged);
}

static bool list_fails(struct turn *t)
{
	struct retry retry = { .at = MONO_NEVER };
	bool fails = t->mishap.trouble == INTERRUPTED;

	if (fails)
		retry_later(&retry, NOW);
	t->w->daemon.read_retry = waits_of(&retry, NOW);
	return fails;
}

void step_list(struct turn *t)
{
	if (list_fails(t))
		return;
	if (t->o.vss_stale)
		look_vss(t);
	else if (t->o.addrs_stale)
		look_addrs(t);
	else
		look_filter(t);
}

void step_check(struct turn *t)
{
	struct seen_vs *vs = t->o.draining;

	look_vs(t, vs);
	for (int i = 0; i < SERVERS; i++) {
		struct seen_rs *rs = seen_rs_find(vs, &the_rs[i]);

		if (rs && rs->drain.on && rs->drain.checks == 1)
			journal_drain(&t->w->journal, i, true, when_of(rs->drain.limit_at, NOW), pod_of(rs->uid));
	}
	observed_dirty(&t->o, vs);
	t->w->daemon.checked = 1;
}

/* ---- another pod on the address ---- */

/* It is to stay after all: nothing is to be waited for. */
static bool is_void(struct turn *t, struct flush *flush)
{
	struct seen_vs *vs = observed_vs(&t->o, &flush->vs);
	const struct seen_rs *rs = vs && vs->present ? seen_rs_find(vs, &flush->rs) : NULL;

	if (flush->deleted)
		return false;
	if (!rs) {
		flush->deleted = true;
		flush->since = flush->next = NOW;
	}
	return rs && !rs->superseded;
}

/* What connection tracking has of it: the server's own, and those of one that was deleted. */
static bool is_over(const struct turn *t, const struct flush *flush)
{
	const struct kernel_rs *rs = &t->w->kernel.rs[server_of(&flush->rs)];

	return t->mishap.trouble != INTERRUPTED && clients_of(rs) + rs->left == 0;
}

void step_flush(struct turn *t)
{
	for (size_t i = t->o.flushes.n; i-- > 0;) {
		struct flush *flush = &t->o.flushes.v[i];
		bool done = is_void(t, flush);

		if (!done && (!flush->deleted || !mono_reached(flush->next, NOW)))
			continue;
		if (!done && !is_over(t, flush)) {
			flush->next = mono_after(NOW, FLUSH_LOOK_MS);
			continue;
		}
		*flush = t->o.flushes.v[--t->o.flushes.n];
	}
}

bool flush_due(const struct mirror *m)
{
	for (int i = 0; i < SERVERS; i++) {
		const struct mirror_rs *rs = &m->rs[i];

		if (rs->flush == FLUSH_AHEAD && (!m->present || !rs->exists || !rs->superseded))
			return true;
		if (rs->flush == FLUSH_BEGUN && rs->flush_next == DUE)
			return true;
	}
	return false;
}

/* ---- the start: what of it is ours, and what runs on it ---- */

static void take_owners(struct turn *t)
{
	struct journal_model *j = &t->w->journal;
	struct seen_vs *vs = observed_vs(&t->o, &the_vs);
	struct seen_addr *addr = observed_addr(&t->o, &the_vs.ip);

	j->vs = j->vs && vs && vs->present;
	j->addr = j->addr && addr && addr->bound;
	if (j->vs)
		vs->ours = true;
	if (j->addr)
		addr->ours = true;
}

static void take_drain(struct turn *t, struct seen_vs *vs, int i, bool journaled, uint8_t until, unsigned uid)
{
	struct seen_rs *rs = vs && journaled ? seen_rs_find(vs, &the_rs[i]) : NULL;
	bool goes_on = rs && rs->weight == 0;

	journal_drain(&t->w->journal, i, goes_on, goes_on ? until : NEVER, goes_on ? uid : 0);
	if (!goes_on)
		return;
	seen_drain_begin(&t->o, vs, rs, NOW, NOW);
	rs->drain.limit_at = when_at(until);
	rs->uid = the_uid[uid];
}

static void take_lifetimes(struct turn *t)
{
	struct journal_model *j = &t->w->journal;
	struct seen_vs *vs = observed_vs(&t->o, &the_vs);
	struct seen_addr *addr = observed_addr(&t->o, &the_vs.ip);

	take_drain(t, vs, A, j->drain_a, j->until_a, j->uid_a);
	take_drain(t, vs, B, j->drain_b, j->until_b, 0);
	j->gone = j->gone && vs && vs->present && vs->ours;
	if (j->gone) {
		vs->gone_since = NOW;
		vs->gone_until = when_at(j->gone_until);
	} else {
		j->gone_until = NEVER;
	}
	j->linger = j->linger && addr && addr->bound && addr->ours;
	if (j->linger)
		addr->linger_until = when_at(j->linger_until);
	else
		j->linger_until = NEVER;
}

void step_start(struct turn *t)
{
	struct seen_vs *vs;

	if (t->w->daemon.phase == START_LIST) {
		if (list_fails(t))
			return;
		look_addrs(t);
		look_vss(t);
		look_filter(t);
		take_owners(t);
		t->w->daemon.phase = START_RSS;
		return;
	}
	vs = t->o.dirty_vss;
	if (vs && vs->stale && !retry_waits(&vs->retry, NOW) && vs->present && !vs->ours && !vs->unsure) {
		vs->stale = false;
	} else if (vs && vs->stale && !retry_waits(&vs->retry, NOW)) {
		look_vs(t, vs);
	} else {
		take_lifetimes(t);
		if (source_vs(&t->w->source))
			observed_supersede(&t->o, source_vs(&t->w->source));
		t->w->daemon.phase = RUN;
	}
}
