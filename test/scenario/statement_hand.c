/* Statements of what a foreign hand does to the kernel. */
#include "scenario/statement.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- a foreign hand ---- */

static bool hand_attrs(struct play *p, char **a, size_t n, struct vs_attrs *ret)
{
	*ret = (struct vs_attrs){ .sched = "rr" };
	for (size_t i = 0; i < n; i++) {
		int64_t ms;

		if (i + 1 < n && word_is(a[i], "affinity")) {
			if (!word_span(p, a[++i], &ms))
				return false;
			ret->flags = VS_FLAG_PERSISTENT;
			ret->timeout_s = (uint32_t)(ms / 1000);
		} else {
			*ret = (struct vs_attrs){ .flags = ret->flags, .timeout_s = ret->timeout_s };
			(void)snprintf(ret->sched, sizeof(ret->sched), "%s", a[i]);
		}
	}
	return true;
}

static bool done(struct play *p, int rc)
{
	return rc == 0 || p->faulted ? true : play_fail(p, "the kernel answered %s", code_word(rc));
}

static bool hand_rss(struct play *p, const struct vs_key *vs, struct rs_key rs, char **a, size_t n)
{
	int64_t count, weight;
	int rc = 0;

	if (!play_need(p, n, 3) || !word_number(p, a[0], &count) || !word_number(p, a[2], &weight))
		return false;
	for (; count > 0 && rc == 0; count--, next_ip(&rs.ip))
		rc = fake_rs_add(p->w.fake, vs, &rs, (int32_t)weight);
	return done(p, rc);
}

/* foreign rs-add|rs-set VS RS WEIGHT, rs-del VS RS, rss VS RS COUNT weight WEIGHT */
static bool hand_rs(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	struct vs_key vs;
	struct rs_key rs;
	int64_t weight = 0;

	if (!play_need(p, n, 3) || !word_vs(p, a[1], &vs) || !word_rs(p, a[2], &rs))
		return false;
	if (word_is(a[0], "rss"))
		return hand_rss(p, &vs, rs, a + 3, n - 3);
	if (word_is(a[0], "rs-del"))
		return done(p, EVENTUALLY(p, fake_rs_del(f, &vs, &rs) == 0) ? 0 : -ENOENT);
	if (!play_need(p, n, 4) || !word_number(p, a[3], &weight))
		return false;
	if (word_is(a[0], "rs-add"))
		return done(p, fake_rs_add(f, &vs, &rs, (int32_t)weight));
	return done(p, EVENTUALLY(p, fake_rs_set(f, &vs, &rs, (int32_t)weight) == 0) ? 0 : -ENOENT);
}

/* foreign vs-add|vs-set VS [SCHED] [affinity SPAN], vs-del VS, unserve VS */
static bool hand_vs(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	struct vs_attrs attrs;
	struct vs_key vs;

	if (!play_need(p, n, 2) || !word_vs(p, a[1], &vs) || !hand_attrs(p, a + 2, n - 2, &attrs))
		return false;
	if (word_is(a[0], "vs-add")) {
		*vec_push(&p->foreign) = xstrdup(a[1]);
		return done(p, fake_vs_add(f, &vs, &attrs));
	}
	if (word_is(a[0], "vs-set"))
		return done(p, EVENTUALLY(p, fake_vs_set(f, &vs, &attrs) == 0) ? 0 : -ESRCH);
	if (word_is(a[0], "unserve"))
		return done(p, EVENTUALLY(p, fake_unserve(f, &vs) == 0) ? 0 : -ENOENT);
	return done(p, EVENTUALLY(p, fake_vs_del(f, &vs) == 0) ? 0 : -ESRCH);
}

static bool hand_addr(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	struct ip ip;

	if (!play_need(p, n, 2) || !word_ip(p, a[1], &ip))
		return false;
	if (word_is(a[0], "addr-add"))
		return done(p, fake_addr_add(f, &ip));
	if (word_is(a[0], "addr-del"))
		return done(p, EVENTUALLY(p, fake_addr_del(f, &ip) == 0) ? 0 : -ENOENT);
	return done(p, EVENTUALLY(p, fake_unguard(f, &ip) == 0) ? 0 : -ENOENT);
}

static bool hand(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	int64_t mark;

	if (!play_need(p, n, 1))
		return false;
	if (word_is(a[0], "flush-vs"))
		fake_vs_flush(f);
	else if (word_is(a[0], "flush-addresses"))
		fake_addr_flush(f);
	else if (word_is(a[0], "flush-filter"))
		fake_filter_flush(f);
	else if (word_is(a[0], "damage-filter"))
		fake_filter_damage(f);
	else if (word_is(a[0], "rename-device"))
		fake_device_rename(p->w.fake);
	else if (word_is(a[0], "delete-device"))
		fake_device_del(f);
	else if (word_is(a[0], "fwmark") && n > 1 && word_number(p, a[1], &mark))
		fake_fwmark_add(f, (uint32_t)mark);
	else if (!strncmp(a[0], "rs", 2))
		return hand_rs(p, a, n);
	else if (!strncmp(a[0], "vs-", 3) || word_is(a[0], "unserve"))
		return hand_vs(p, a, n);
	else if (!strncmp(a[0], "addr-", 5) || word_is(a[0], "unguard"))
		return hand_addr(p, a, n);
	else
		return play_fail(p, "no foreign hand does '%s'", a[0]);
	return true;
}

bool st_foreign(struct play *p, char **a, size_t n)
{
	return hand(p, a, n);
}

/* It is told by nobody: the audit has to find it. */
bool st_quietly(struct play *p, char **a, size_t n)
{
	bool ok;

	fake_quiet(p->w.fake, true);
	ok = hand(p, a, n);
	fake_quiet(p->w.fake, false);
	return ok;
}

/* The virtual server that a foreign hand made is ours by adoption: what is in it is judged. */
bool st_ours(struct play *p, char **a, size_t n)
{
	struct vs_key vs;

	if (!play_need(p, n, 1) || !word_vs(p, a[0], &vs))
		return false;
	fake_own(p->w.fake, &vs);
	for (size_t i = 0; i < p->foreign.n; i++) {
		if (strcmp(p->foreign.v[i], a[0]))
			continue;
		free(p->foreign.v[i]);
		p->foreign.v[i] = p->foreign.v[--p->foreign.n];
		return true;
	}
	return play_fail(p, "no foreign hand made %s", a[0]);
}

/* A virtual server that we made and cannot know any more: nobody's to judge. */
bool st_theirs(struct play *p, char **a, size_t n)
{
	if (!play_need(p, n, 1))
		return false;
	*vec_push(&p->foreign) = xstrdup(a[0]);
	return true;
}
