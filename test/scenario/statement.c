/* The statements of a scenario that say what happens: one function and one row each. */
#include "scenario/statement.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- time ---- */

static bool st_pass(struct play *p, char **a, size_t n)
{
	(void)a;
	(void)n;
	(void)world_pass(&p->w);
	return true;
}

static bool st_clock(struct play *p, char **a, size_t n)
{
	int64_t ms;

	if (!play_need(p, n, 1) || !word_span(p, a[0], &ms))
		return false;
	fake_advance(p->w.fake, ms);
	(void)world_pass(&p->w);
	return true;
}

static bool st_run(struct play *p, char **a, size_t n)
{
	int64_t ms;

	if (!play_need(p, n, 1) || !word_span(p, a[0], &ms))
		return false;
	world_run(&p->w, ms);
	return true;
}

/* ---- clients ---- */

struct found {
	VEC(struct vs_key) vss;
	const struct rs_key *rs;
};

static void note_vs(void *ctx, const struct vs_key *vs, const struct rs_row *row)
{
	struct found *found = ctx;

	if (rs_cmp(&row->key, found->rs) == 0)
		*vec_push(&found->vss) = *vs;
}

static int each_counters(struct play *p, const struct vs_key *on, const struct rs_key *rs, uint32_t active, uint32_t inactive)
{
	struct found found = { .rs = rs };
	int rc = -ENOENT;

	if (on)
		return fake_counters(p->w.fake, on, rs, active, inactive);
	fake_each_rs(p->w.fake, note_vs, &found);
	for (size_t i = 0; i < found.vss.n; i++)
		rc = fake_counters(p->w.fake, &found.vss.v[i], rs, active, inactive);
	free(found.vss.v);
	return rc;
}

static bool st_counters(struct play *p, char **a, size_t n)
{
	int64_t active = 0, inactive = 0;
	struct vs_key vs;
	struct rs_key rs;
	bool on = false;

	if (!play_need(p, n, 3) || !word_rs(p, a[0], &rs))
		return false;
	for (size_t i = 1; i + 1 < n; i += 2) {
		if (word_is(a[i], "active") ? !word_number(p, a[i + 1], &active) :
		    word_is(a[i], "inactive") ? !word_number(p, a[i + 1], &inactive) :
		    word_is(a[i], "on") ? !word_vs(p, a[i + 1], &vs) : !play_fail(p, "'%s' is no count", a[i]))
			return false;
		on = on || word_is(a[i], "on");
	}
	if (EVENTUALLY(p, each_counters(p, on ? &vs : NULL, &rs, (uint32_t)active, (uint32_t)inactive) == 0))
		return true;
	/* A drain of zero that was over sooner or later than the text thinks: nothing to count. */
	return p->faulted ? true : play_fail(p, "%s is not in the kernel", a[0]);
}

static bool connects(struct play *p, const char *name, const char *client, const struct vs_key *vs, const struct rs_key *want)
{
	struct rs_key rs;

	if (fake_connect(p->w.fake, name, client, vs, &rs) != FAKE_ACCEPTED)
		return false;
	if (!want || rs_cmp(&rs, want) == 0)
		return true;
	(void)fake_reset(p->w.fake, name); /* the client of the text is another one's */
	return false;
}

/* connect NAME VS [to RS] [from CLIENT] */
static bool st_connect(struct play *p, char **a, size_t n)
{
	size_t to = word_find(a, n, "to"), from = word_find(a, n, "from");
	struct rs_key want;
	struct vs_key vs;
	const char *client;

	if (!play_need(p, n, 2) || !word_vs(p, a[1], &vs) || (to + 1 < n && !word_rs(p, a[to + 1], &want)))
		return false;
	client = from + 1 < n ? a[from + 1] : a[0];
	if (EVENTUALLY(p, connects(p, a[0], client, &vs, to + 1 < n ? &want : NULL)) || p->faulted)
		return true;
	return play_fail(p, "%s was not taken as it should: %s", a[0], fake_conn_word(p->w.fake, a[0]));
}

static bool st_straggler(struct play *p, char **a, size_t n)
{
	struct vs_key vs;
	struct rs_key rs;

	if (!play_need(p, n, 3) || !word_vs(p, a[1], &vs) || !word_rs(p, a[2], &rs))
		return false;
	return fake_straggler(p->w.fake, a[0], &vs, &rs) == 0 || p->faulted ? true : play_fail(p, "%s is not in the kernel", a[2]);
}

static bool on_conn(struct play *p, char **a, size_t n, int (*fn)(struct fake_kernel *f, const char *name))
{
	if (!play_need(p, n, 1))
		return false;
	return fn(p->w.fake, a[0]) == 0 || p->faulted ? true : play_fail(p, "%s is %s", a[0], fake_conn_word(p->w.fake, a[0]));
}

static bool st_close(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_close);
}

static bool st_reset(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_reset);
}

static bool st_fin(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_fin);
}

static bool st_untrack(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_untrack);
}

static bool st_send(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_send);
}

/* ---- trouble ---- */

/* fail op N CODE; fail KIND CODE [TIMES] */
static bool st_fail(struct play *p, char **a, size_t n)
{
	int64_t times = 1;
	enum op_kind kind = 0;
	int code;

	if (!play_need(p, n, 2))
		return false;
	if (word_is(a[0], "op")) {
		if (!play_need(p, n, 3) || !word_number(p, a[1], &times) || !word_code(p, a[2], &code))
			return false;
		fake_fault_nth(p->w.fake, FAKE_FAIL, (size_t)times, code);
		return true;
	}
	if (!word_is(a[0], "prepare") && !word_kind(a[0], &kind))
		return play_fail(p, "'%s' is no operation", a[0]);
	if (!word_code(p, a[1], &code) || (n > 2 && !word_number(p, a[2], &times)))
		return false;
	fake_fault_kind(p->w.fake, FAKE_FAIL, kind, (size_t)times, code);
	return true;
}

/* silent op N [done|call] */
static bool st_silent(struct play *p, char **a, size_t n)
{
	int64_t at;

	if (!play_need(p, n, 2) || !word_number(p, a[1], &at))
		return false;
	fake_fault_nth(p->w.fake, n < 3 ? FAKE_SILENT : word_is(a[2], "done") ? FAKE_SILENT_DONE : FAKE_SILENT_CALL, (size_t)at, 0);
	return true;
}

/* die before|after op N */
static bool st_die(struct play *p, char **a, size_t n)
{
	int64_t at;

	if (!play_need(p, n, 3) || !word_number(p, a[2], &at))
		return false;
	fake_fault_nth(p->w.fake, word_is(a[0], "before") ? FAKE_DIE_BEFORE : FAKE_DIE_AFTER, (size_t)at, 0);
	return true;
}

static bool st_heal(struct play *p, char **a, size_t n)
{
	(void)a;
	(void)n;
	fake_faults_clear(p->w.fake);
	return true;
}

static bool st_interrupt(struct play *p, char **a, size_t n)
{
	int64_t lists;

	if (!play_need(p, n, 1) || !word_number(p, a[0], &lists))
		return false;
	fake_interrupt(p->w.fake, (size_t)lists);
	return true;
}

/* skip-row|repeat-row VS RS DUMPS */
static bool row(struct play *p, char **a, size_t n, bool repeat)
{
	struct vs_key vs;
	struct rs_key rs;
	int64_t dumps;

	if (!play_need(p, n, 3) || !word_vs(p, a[0], &vs) || !word_rs(p, a[1], &rs) || !word_number(p, a[2], &dumps))
		return false;
	(repeat ? fake_repeat_row : fake_skip_row)(p->w.fake, &vs, &rs, (size_t)dumps);
	return true;
}

static bool st_skip_row(struct play *p, char **a, size_t n)
{
	return row(p, a, n, false);
}

static bool st_repeat_row(struct play *p, char **a, size_t n)
{
	return row(p, a, n, true);
}

/* restart [without-journal|damaged-journal] */
static bool st_restart(struct play *p, char **a, size_t n)
{
	world_restart(&p->w);
	if (n && word_is(a[0], "without-journal"))
		world_drop_journal(&p->w);
	else if (n && word_is(a[0], "damaged-journal"))
		world_damage_journal(&p->w);
	else if (n)
		return play_fail(p, "'%s'?", a[0]);
	return true;
}

/* at KIND|read STATEMENT: once, just before it. */
static bool st_at(struct play *p, char **a, size_t n)
{
	struct text text = { 0 };
	enum op_kind kind = 0;

	if (!play_need(p, n, 2))
		return false;
	if (!word_is(a[0], "read") && !word_kind(a[0], &kind))
		return play_fail(p, "'%s' is no operation", a[0]);
	for (size_t i = 1; i < n; i++)
		text_add(&text, "%s%s", i > 1 ? " " : "", a[i]);
	*vec_push(&p->traps) = (struct play_trap){ kind, text.s };
	return true;
}

static const struct {
	const char *word;
	bool (*fn)(struct play *p, char **a, size_t n);
} statements[] = {
	{ "service", st_service },     { "endpoint", st_endpoint },     { "endpoints", st_endpoints }, { "remove", st_remove },
	{ "sync", st_sync },           { "option", st_option },         { "pass", st_pass },           { "clock", st_clock },
	{ "run", st_run },             { "counters", st_counters },     { "connect", st_connect },     { "straggler", st_straggler },
	{ "close", st_close },         { "reset", st_reset },           { "fin", st_fin },             { "untrack", st_untrack },             { "send", st_send },
	{ "foreign", st_foreign },     { "quietly", st_quietly },       { "ours", st_ours },           { "theirs", st_theirs },
	{ "fail", st_fail },           	{ "silent", st_silent },       { "die", st_die },               { "heal", st_heal },           { "interrupt", st_interrupt },
	{ "skip-row", st_skip_row },   { "repeat-row", st_repeat_row }, { "restart", st_restart },     { "at", st_at },
	{ "expect", play_expect },
};

bool play_statement(struct play *p, const char *text)
{
	CLEANUP(free_p) char *copy = xstrdup(text);
	char *words[WORDS_MAX];
	size_t n = words_split(copy, words);

	for (size_t i = 0; n && i < ARRAY_SIZE(statements); i++)
		if (word_is(words[0], statements[i].word))
			return statements[i].fn(p, words + 1, n - 1);
	return play_fail(p, "'%s' is no statement", n ? words[0] : "");
}
