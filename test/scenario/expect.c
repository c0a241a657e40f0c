/* "expect …": what a scenario says must be so. Clauses are separated by ";". In a world with a fault more nothing is expected. */
#include "scenario/play.h"

#include <stdio.h>
#include <string.h>

/* ---- operations since the mark ---- */

struct words {
	VEC(char *) list;
};

static void words_free(struct words *words)
{
	for (size_t i = 0; i < words->list.n; i++)
		free(words->list.v[i]);
	free(words->list.v);
}

static bool op_of_rs(enum op_kind kind)
{
	return kind == OP_RS_ADD || kind == OP_RS_RAISE || kind == OP_RS_ZERO || kind == OP_RS_DEL;
}

static bool op_of_ip(enum op_kind kind)
{
	return kind == OP_GUARD || kind == OP_UNGUARD || kind == OP_ADDR_ADD || kind == OP_ADDR_DEL;
}

/* "rs-zero 10.1.0.5:8080", "…!ENOMEM"; with whole: "rs-zero 10.1.0.5:8080@10.96.0.10:80/tcp". */
static char *op_text(const struct fake_logged *l, bool whole)
{
	char vs[VS_TEXT], rs[RS_TEXT], ip[IP_TEXT];
	const char *target = op_of_rs(l->op.kind) ? rs_format(&l->op.rs, rs) : op_of_ip(l->op.kind) ? ip_format(&l->op.vs.ip, ip) : vs_format(&l->op.vs, vs);

	return xfmt("%s %s%s%s%s%s", op_word(l->op.kind), target, whole && op_of_rs(l->op.kind) ? "@" : "",
		    whole && op_of_rs(l->op.kind) ? vs_format(&l->op.vs, vs) : "", l->code ? "!" : "", l->code ? code_word(l->code) : "");
}

static int text_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Within a row of one kind the order is nobody's business (new servers are shuffled). */
static void sort_rows(struct words *words)
{
	for (size_t i = 0, j; i < words->list.n; i = j) {
		size_t n = strcspn(words->list.v[i], " ");

		for (j = i + 1; j < words->list.n && !strncmp(words->list.v[i], words->list.v[j], n + 1); j++)
			;
		qsort(&words->list.v[i], j - i, sizeof(char *), text_cmp);
	}
}

static void seen_ops(struct play *p, bool whole, struct words *ret)
{
	const struct fake_logged *log;
	size_t n = fake_log(p->w.fake, &log);

	for (size_t i = p->w.log_mark; i < n; i++)
		if (log[i].op.kind)
			*vec_push(&ret->list) = op_text(&log[i], whole);
	sort_rows(ret);
}

static bool wanted_ops(struct play *p, char **a, size_t n, struct words *ret)
{
	const char *word = NULL;
	enum op_kind kind;

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(a[i]);

		if (len && a[i][len - 1] == ',')
			a[i][len - 1] = 0;
		if (word_kind(a[i], &kind))
			word = a[i];
		else if (word)
			*vec_push(&ret->list) = xfmt("%s %s", word, a[i]);
		else
			return play_fail(p, "'%s' is no operation", a[i]);
	}
	sort_rows(ret);
	return true;
}

static bool same(const struct words *a, const struct words *b)
{
	if (a->list.n != b->list.n)
		return false;
	for (size_t i = 0; i < a->list.n; i++)
		if (strcmp(a->list.v[i], b->list.v[i]))
			return false;
	return true;
}

static bool ex_ops(struct play *p, char **a, size_t n)
{
	struct words seen = { 0 }, wanted = { 0 };
	struct text text = { 0 };
	bool ok, whole = false;

	for (size_t i = 0; i < n; i++)
		whole = whole || strchr(a[i], '@');
	seen_ops(p, whole, &seen);
	ok = (n == 1 && word_is(a[0], "none")) || wanted_ops(p, a, n, &wanted);
	if (ok && !same(&seen, &wanted)) {
		for (size_t i = 0; i < seen.list.n; i++)
			text_add(&text, "%s%s", i ? ", " : "", seen.list.v[i]);
		ok = play_fail(p, "operations were: %s", text.n ? text_str(&text) : "none");
	}
	text_fini(&text);
	words_free(&seen);
	words_free(&wanted);
	return ok;
}

/* messages N [KIND]: how many writes, of whatever kind, answered or not. */
static bool ex_messages(struct play *p, char **a, size_t n)
{
	const struct fake_logged *log;
	size_t all = fake_log(p->w.fake, &log);
	enum op_kind kind = 0;
	int64_t want, count = 0;

	if (!n || !word_number(p, a[0], &want))
		return false;
	if (n > 1 && !word_kind(a[1], &kind))
		return play_fail(p, "'%s' is no operation", a[1]);
	for (size_t i = p->w.log_mark; i < all; i++)
		count += !kind || log[i].op.kind == kind;
	return count == want ? true : play_fail(p, "%lld messages were sent", (long long)count);
}

static bool ex_reads(struct play *p, char **a, size_t n)
{
	int64_t want, count = (int64_t)(fake_reads(p->w.fake) - p->w.read_mark);

	if (!n || !word_number(p, a[n - 1], &want))
		return false;
	if (n > 1 && word_is(a[0], "at-most"))
		return count <= want ? true : play_fail(p, "%lld reads", (long long)count);
	return count == want ? true : play_fail(p, "%lld reads", (long long)count);
}

/* readds N: real servers that were added while the kernel still remembered them. */
static bool ex_readds(struct play *p, char **a, size_t n)
{
	int64_t want;

	if (!n || !word_number(p, a[0], &want))
		return false;
	return fake_readds(p->w.fake) == (size_t)want ? true : play_fail(p, "%zu were added again", fake_readds(p->w.fake));
}

/* remembered N: real servers that the kernel still remembers. */
static bool ex_remembered(struct play *p, char **a, size_t n)
{
	int64_t want;

	if (!n || !word_number(p, a[0], &want))
		return false;
	return fake_trash(p->w.fake) == (size_t)want ? true : play_fail(p, "%zu are remembered", fake_trash(p->w.fake));
}

/* ---- the kernel ---- */

struct rs_search {
	const struct rs_key *rs;
	const struct vs_key *on; /* NULL: any */
	struct rs_row row;
	size_t found;
	bool differ;
};

static void search_rs(void *ctx, const struct vs_key *vs, const struct rs_row *row)
{
	struct rs_search *s = ctx;

	if (rs_cmp(&row->key, s->rs) || (s->on && vs_cmp(vs, s->on)))
		return;
	s->differ = s->differ || (s->found && s->row.weight != row->weight);
	s->row = *row;
	s->found++;
}

static bool find_rs(struct play *p, char **a, size_t n, struct rs_search *ret, struct rs_key *rs, struct vs_key *vs)
{
	size_t on = word_find(a, n, "on");

	*ret = (struct rs_search){ .rs = rs };
	if (!n || !word_rs(p, a[0], rs) || (on + 1 < n && !word_vs(p, a[on + 1], vs)))
		return false;
	ret->on = on + 1 < n ? vs : NULL;
	fake_each_rs(p->w.fake, search_rs, ret);
	return true;
}

/* rs RS weight N | none | active N | inactive N  [on VS] */
static bool ex_rs(struct play *p, char **a, size_t n)
{
	struct rs_search s;
	struct rs_key rs;
	struct vs_key vs;

	if (!find_rs(p, a, n, &s, &rs, &vs))
		return false;
	if (word_is(n > 1 ? a[1] : NULL, "none"))
		return s.found ? play_fail(p, "%s is in the kernel with weight %d", a[0], s.row.weight) : true;
	if (!s.found)
		return play_fail(p, "%s is not in the kernel", a[0]);
	if (s.differ)
		return play_fail(p, "%s has several weights: say 'on VS'", a[0]);
	for (size_t i = 1; i + 1 < n; i += 2) {
		int64_t want, is;

		if (word_is(a[i], "on"))
			continue;
		is = word_is(a[i], "weight") ? (int64_t)s.row.weight : word_is(a[i], "active") ? s.row.active : s.row.inactive;
		if (!word_number(p, a[i + 1], &want))
			return false;
		if (is != want)
			return play_fail(p, "%s of %s is %lld", a[i], a[0], (long long)is);
	}
	return true;
}

/* vs VS [none] [sched S] [affinity SPAN] */
static bool ex_vs(struct play *p, char **a, size_t n)
{
	struct vs_attrs attrs;
	struct vs_key vs;
	bool there;

	if (!n || !word_vs(p, a[0], &vs))
		return false;
	there = fake_has_vs(p->w.fake, &vs, &attrs);
	if (there == word_is(n > 1 ? a[1] : NULL, "none"))
		return play_fail(p, "%s is %s in the kernel", a[0], there ? "still" : "not");
	for (size_t i = 1; i + 1 < n; i += 2) {
		int64_t ms;

		if (word_is(a[i], "sched") && strcmp(attrs.sched, a[i + 1]))
			return play_fail(p, "its scheduler is %s", attrs.sched);
		if (word_is(a[i], "affinity") && (!word_span(p, a[i + 1], &ms) || attrs.timeout_s != ms / 1000 ||
						  !(attrs.flags & VS_FLAG_PERSISTENT) != !ms))
			return play_fail(p, "its affinity is %u s, flags %#x", attrs.timeout_s, attrs.flags);
	}
	return true;
}

/* address IP [none] [bound|unbound] [guarded|unguarded] [pinged|unpinged] */
static bool ex_address(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	struct ip ip;

	if (!n || !word_ip(p, a[0], &ip))
		return false;
	for (size_t i = 1; i < n; i++) {
		bool is = word_is(a[i], "none") ? !fake_bound(f, &ip) && !fake_guarded(f, &ip) :
			  word_is(a[i], "bound") ? fake_bound(f, &ip) : word_is(a[i], "unbound") ? !fake_bound(f, &ip) :
			  word_is(a[i], "guarded") ? fake_guarded(f, &ip) : word_is(a[i], "unguarded") ? !fake_guarded(f, &ip) :
			  word_is(a[i], "pinged") ? fake_pinged(f, &ip) : word_is(a[i], "unpinged") ? !fake_pinged(f, &ip) : false;

		if (!is)
			return play_fail(p, "%s is not %s", a[0], a[i]);
	}
	return true;
}

/* served none | count N | VS [no] */
static bool ex_served(struct play *p, char **a, size_t n)
{
	struct vs_key vs;
	int64_t count;

	if (n > 1 && word_is(a[0], "count") && word_number(p, a[1], &count))
		return fake_n_served(p->w.fake) == (size_t)count ? true : play_fail(p, "%zu keys are served", fake_n_served(p->w.fake));

	if (n && word_is(a[0], "none"))
		return fake_n_served(p->w.fake) ? play_fail(p, "%zu keys are served", fake_n_served(p->w.fake)) : true;
	if (!n || !word_vs(p, a[0], &vs))
		return false;
	if (fake_served(p->w.fake, &vs) == word_is(n > 1 ? a[1] : NULL, "no"))
		return play_fail(p, "%s is %sserved", a[0], n > 1 ? "" : "not ");
	return true;
}

static bool ex_filter(struct play *p, char **a, size_t n)
{
	CLEANUP(free_p) char *dump = fake_dump(p->w.fake);
	CLEANUP(free_p) char *want = xfmt("filter %s,", n ? a[0] : "");

	return strstr(dump, want) ? true : play_fail(p, "the filter is not %s", n ? a[0] : "");
}

static bool ex_device(struct play *p, char **a, size_t n)
{
	bool want = !(n && word_is(a[0], "none"));

	return fake_device(p->w.fake) == want ? true : play_fail(p, "the device is %s", want ? "absent" : "there");
}

static bool ex_fwmark(struct play *p, char **a, size_t n)
{
	int64_t want;

	if (!n || !word_number(p, a[0], &want))
		return false;
	return fake_fwmarks(p->w.fake) == (size_t)want ? true : play_fail(p, "%zu are there", fake_fwmarks(p->w.fake));
}

/* ---- clients ---- */

/* conn NAME WORD | conn NAME on RS */
static bool ex_conn(struct play *p, char **a, size_t n)
{
	const struct rs_key *rs;
	char text[RS_TEXT];

	if (n < 2)
		return play_fail(p, "words are missing");
	if (!word_is(a[1], "on"))
		return word_is(a[1], fake_conn_word(p->w.fake, a[0])) ? true : play_fail(p, "%s is %s", a[0], fake_conn_word(p->w.fake, a[0]));
	rs = fake_conn_rs(p->w.fake, a[0]);
	rs_format(rs, text);
	return rs && word_is(n > 2 ? a[2] : NULL, text) ? true : play_fail(p, "%s is on %s", a[0], rs ? text : "none");
}

static bool answer(struct play *p, char **a, size_t n, enum fake_answer want)
{
	enum fake_answer is;
	struct vs_key vs;

	if (!n || !word_vs(p, a[0], &vs))
		return false;
	is = fake_connect(p->w.fake, "probe", "probe", &vs, NULL);
	if (is == FAKE_ACCEPTED)
		(void)fake_reset(p->w.fake, "probe");
	return is == want ? true : play_fail(p, "a new connection is %s", fake_answer_word(is));
}

static bool ex_refused(struct play *p, char **a, size_t n)
{
	return answer(p, a, n, FAKE_REFUSED);
}

static bool ex_unreachable(struct play *p, char **a, size_t n)
{
	return answer(p, a, n, FAKE_UNREACHABLE);
}

/* cut none | NAME|RS: it was cut (and may be). */
static bool ex_cut(struct play *p, char **a, size_t n)
{
	const struct fake_violation *v;
	size_t all = fake_violations(p->w.fake, &v);
	char rs[RS_TEXT];

	for (size_t i = 0; i < all; i++)
		if (v[i].wrong == FAKE_CUT && n && (word_is(a[0], v[i].what) || word_is(a[0], rs_format(&v[i].rs, rs))))
			return true;
	/* "none": play_check_wrongs() finds each that no clause names. */
	return n && word_is(a[0], "none") ? true : play_fail(p, "%s was not cut", n ? a[0] : "");
}

static bool ex_exposed(struct play *p, char **a, size_t n)
{
	return n && word_is(a[0], "none") ? true : play_fail(p, "nothing may ever be exposed"); /* always checked */
}

/* ---- what people see ---- */

static bool drain_is(struct play *p, const struct view *view, char **a, size_t n)
{
	const char *want = n > 1 ? a[1] : "", *is = "none";
	char rs[RS_TEXT];

	for (size_t i = 0; i < view->n_drains; i++)
		if (word_is(a[0], rs_format(&view->drains[i].rs, rs)))
			is = view->drains[i].verdict;
	return word_is(is, want) ? true : play_fail(p, "the drain of %s is %s", a[0], is);
}

/* drain none | RS VERDICT | RS none | count N */
static bool ex_drain(struct play *p, char **a, size_t n)
{
	struct view *view = reconcile_view(p->w.r, NULL);
	int64_t count;
	bool ok;

	if (n && word_is(a[0], "none"))
		ok = view->n_drains == 0 ? true : play_fail(p, "%zu drains", view->n_drains);
	else if (n > 1 && word_is(a[0], "count"))
		ok = word_number(p, a[1], &count) && (view->n_drains == (size_t)count ? true : play_fail(p, "%zu drains", view->n_drains));
	else
		ok = n > 1 ? drain_is(p, view, a, n) : play_fail(p, "words are missing");
	view_free(view);
	return ok;
}

/* outcome RS WORD [cut N] | outcome none */
static bool ex_outcome(struct play *p, char **a, size_t n)
{
	struct view *view = reconcile_view(p->w.r, NULL);
	const struct view_outcome *found = NULL;
	char rs[RS_TEXT];
	int64_t cut;
	bool ok;

	for (size_t i = 0; i < view->n_outcomes && !found; i++)
		if (n && word_is(a[0], rs_format(&view->outcomes[i].rs, rs)))
			found = &view->outcomes[i];
	if (n && word_is(a[0], "none"))
		ok = view->n_outcomes == 0 ? true : play_fail(p, "%zu outcomes", view->n_outcomes);
	else if (!found || !word_is(n > 1 ? a[1] : NULL, found->outcome))
		ok = play_fail(p, "the outcome is %s", found ? found->outcome : "not there");
	else if (n > 3 && (!word_number(p, a[3], &cut) || found->cut != cut))
		ok = play_fail(p, "%u were cut", found->cut);
	else
		ok = true;
	view_free(view);
	return ok;
}

/* state VS WORD */
static bool ex_state(struct play *p, char **a, size_t n)
{
	struct view *view = reconcile_view(p->w.r, NULL);
	const char *is = "none";
	char vs[VS_TEXT];
	bool ok;

	for (size_t i = 0; i < view->n_vss; i++)
		if (n && word_is(a[0], vs_format(&view->vss[i].key, vs)))
			is = view->vss[i].state;
	ok = word_is(n > 1 ? a[1] : NULL, is) ? true : play_fail(p, "its state is %s", is);
	view_free(view);
	return ok;
}

/* problem none | OBJECT */
static bool ex_problem(struct play *p, char **a, size_t n)
{
	struct view *view = reconcile_view(p->w.r, NULL);
	bool ok = n && word_is(a[0], "none") && view->n_problems == 0;

	for (size_t i = 0; i < view->n_problems && n; i++)
		ok = ok || strstr(view->problems[i].object, a[0]) || strstr(view->problems[i].text, a[0]);
	if (!ok)
		(void)play_fail(p, "%zu problems, the first is %s: %s", view->n_problems, view->n_problems ? view->problems[0].object : "-",
				view->n_problems ? view->problems[0].text : "-");
	view_free(view);
	return ok;
}

/* log WORDS…: a line since the mark has them. */
static bool ex_log(struct play *p, char **a, size_t n)
{
	struct text want = { 0 };
	bool ok;

	for (size_t i = 0; i < n; i++)
		text_add(&want, "%s%s", i ? " " : "", a[i]);
	ok = strstr(text_str(&p->w.log), text_str(&want)) ? true : play_fail(p, "no line of the log has it");
	text_fini(&want);
	return ok;
}

/* ---- the journal ---- */

struct entry_search {
	const char *kind, *key, *rs;
	size_t found, all;
};

static void search_entry(void *ctx, const struct journal_entry *e)
{
	static const char *const words[] = {
		[JOURNAL_VS] = "vs", [JOURNAL_ADDR] = "addr", [JOURNAL_DRAIN] = "drain", [JOURNAL_GONE] = "gone", [JOURNAL_LINGER] = "linger",
	};
	struct entry_search *s = ctx;
	char vs[VS_TEXT], rs[RS_TEXT], ip[IP_TEXT];
	const char *key = e->kind == JOURNAL_ADDR || e->kind == JOURNAL_LINGER ? ip_format(&e->vs.ip, ip) :
			  e->kind == JOURNAL_DRAIN ? rs_format(&e->rs, rs) : vs_format(&e->vs, vs);

	s->all++;
	s->found += word_is(s->kind, words[e->kind]) && word_is(s->key, key);
}

/* journal none | KIND KEY [none]: what a process that began now would find. */
static bool ex_journal(struct play *p, char **a, size_t n)
{
	struct entry_search s = { .kind = n ? a[0] : NULL, .key = n > 1 ? a[1] : NULL };
	struct journal *journal;
	struct err err;

	if (journal_peek(p->w.run_dir, &journal, &err) < 0)
		return play_fail(p, "%s", err.text);
	journal_each(journal, search_entry, &s);
	journal_close(journal);
	if (n == 1 && word_is(a[0], "none"))
		return s.all ? play_fail(p, "%zu entries", s.all) : true;
	if (!s.found == word_is(n > 2 ? a[2] : NULL, "none"))
		return true;
	return play_fail(p, "the journal has %zu of these, %zu in all", s.found, s.all);
}

static const struct {
	const char *word;
	bool (*fn)(struct play *p, char **a, size_t n);
} clauses[] = {
	{ "ops", ex_ops },         { "messages", ex_messages }, { "reads", ex_reads },     { "rs", ex_rs },
	{ "readds", ex_readds },   { "remembered", ex_remembered },
	{ "vs", ex_vs },           { "address", ex_address },   { "served", ex_served },   { "filter", ex_filter },
	{ "device", ex_device },   { "fwmarks", ex_fwmark },    { "conn", ex_conn },       { "refused", ex_refused },
	{ "unreachable", ex_unreachable },                      { "cut", ex_cut },         { "exposed", ex_exposed },
	{ "drain", ex_drain },     { "outcome", ex_outcome },   { "state", ex_state },     { "problem", ex_problem },
	{ "log", ex_log },         { "journal", ex_journal },
};

static bool clause(struct play *p, char **words, size_t n)
{
	for (size_t i = 0; n && i < ARRAY_SIZE(clauses); i++)
		if (word_is(words[0], clauses[i].word))
			return clauses[i].fn(p, words + 1, n - 1);
	return play_fail(p, "'%s' can't be expected", n ? words[0] : "");
}

bool play_expect(struct play *p, char **words, size_t n)
{
	size_t start = 0;

	if (p->faulted)
		return true;
	world_start(&p->w);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(words[i]);

		if (words[i][len - 1] != ';')
			continue;
		words[i][len - 1] = 0;
		if (!clause(p, words + start, i + (len > 1) - start))
			return false;
		start = i + 1;
	}
	return start == n || clause(p, words + start, n - start);
}
