/* Plays a scenario line by line, with one more fault if asked, and tells how the kernel ended. */
#include "scenario/play.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool play_fail(struct play *p, const char *fmt, ...)
{
	CLEANUP(free_p) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	va_end(ap);
	if (!p->failure.n)
		text_add(&p->failure, "%s:%d: %s\n  > %s\n", p->script->path, p->line ? p->line->number : 0, text,
			 p->line ? p->line->text : "(end)");
	return false;
}

/* ---- an intruder: a client that comes at the worst moment, stays some seconds, and must not be cut ---- */

#define INTRUDER_MS 5000
#define INTRUDERS_MAX 64

struct keys {
	VEC(struct vs_key) list;
};

static void add_key(void *ctx, const struct vs_key *vs)
{
	*vec_push(&((struct keys *)ctx)->list) = *vs;
}

static void intrude(struct play *p)
{
	struct keys keys = { 0 };

	fake_each_vs(p->w.fake, add_key, &keys);
	for (size_t i = 0; i < keys.list.n && p->intruders < INTRUDERS_MAX; i++) {
		CLEANUP(free_p) char *name = xfmt("intruder%zu", p->intruders);

		if (keys.list.v[i].proto != PROTO_TCP || fake_connect(p->w.fake, name, name, &keys.list.v[i], NULL) != FAKE_ACCEPTED)
			continue;
		fake_leaves(p->w.fake, name, INTRUDER_MS);
		p->intruders++;
	}
	free(keys.list.v);
}

/* ---- traps ---- */

static void spring(struct play *p, enum op_kind kind)
{
	for (size_t i = 0; i < p->traps.n; i++) {
		CLEANUP(free_p) char *statement = NULL;

		if (p->traps.v[i].kind != kind)
			continue;
		statement = p->traps.v[i].statement;
		p->traps.v[i] = p->traps.v[--p->traps.n];
		p->trapped = true;
		(void)play_statement(p, statement);
		p->trapped = false;
		return;
	}
}

static void before(void *ctx, const struct op *op, const struct vs_key *vs)
{
	struct play *p = ctx;

	(void)vs;
	if (!op) {
		spring(p, 0);
		return;
	}
	p->ops++;
	if (p->fault.on && p->fault.intruder && p->ops == p->fault.n)
		intrude(p);
	if (op->kind)
		spring(p, op->kind);
}

/* ---- */

static bool passes_time(const char *text)
{
	return !strncmp(text, "pass", 4) || !strncmp(text, "clock ", 6) || !strncmp(text, "run ", 4);
}

static bool play_line(struct play *p, const struct script_line *line)
{
	bool time = passes_time(line->text);

	p->line = line;
	if (time && !p->was_time)
		world_mark(&p->w);
	p->was_time = time;
	if (!play_statement(p, line->text))
		return false;
	if (p->w.restless)
		return play_fail(p, "it does not come to rest");
	return play_check_wrongs(p);
}

static void story(struct play *p)
{
	CLEANUP(free_p) char *dump = fake_dump(p->w.fake);

	text_add(&p->failure, "  kernel:\n%s  log:\n%s", dump, text_str(&p->w.log));
}

static void begin(struct play *p, const struct script *script, const struct play_fault *fault, const char *tmp_dir)
{
	*p = (struct play){ .script = script };
	world_init(&p->w, tmp_dir);
	fake_hook(p->w.fake, before, p);
	if (!fault)
		return;
	p->fault = *fault;
	p->faulted = fault->on;
	if (fault->on && !fault->intruder)
		fake_fault_nth(p->w.fake, fault->fault, fault->n, fault->code);
}

/* What the text allows to be cut has to be known from the start when nothing of it is expected. */
static void collect_allowed(struct play *p)
{
	for (size_t i = 0; i < p->script->lines.n; i++) {
		const char *cut = p->script->lines.v[i].text;

		if (strncmp(cut, "expect", 6))
			continue;
		while ((cut = strstr(cut, " cut "))) {
			cut += 5;
			if (strncmp(cut, "none", 4))
				*vec_push(&p->allowed) = strndup(cut, strcspn(cut, "; "));
		}
	}
}

bool play(struct play *p, const struct script *script, const struct play_fault *fault, const char *tmp_dir, char **ret_end, size_t *ret_ops)
{
	bool ok = true;

	begin(p, script, fault, tmp_dir);
	collect_allowed(p);
	for (size_t i = 0; i < script->lines.n && ok; i++)
		ok = play_line(p, &script->lines.v[i]);
	p->line = NULL;
	p->settling = true;
	fake_faults_clear(p->w.fake);
	if (ok) {
		fake_all_leave(p->w.fake); /* so that every drain comes to its end, and all runs to the same one */
		world_settle(&p->w);
		ok = play_check_end(p);
	}
	if (!ok)
		story(p);
	if (ret_end)
		*ret_end = fake_dump(p->w.fake);
	if (ret_ops)
		*ret_ops = p->ops;
	return ok;
}

void play_fini(struct play *p)
{
	for (size_t i = 0; i < p->allowed.n; i++)
		free(p->allowed.v[i]);
	for (size_t i = 0; i < p->traps.n; i++)
		free(p->traps.v[i].statement);
	for (size_t i = 0; i < p->foreign.n; i++)
		free(p->foreign.v[i]);
	free(p->allowed.v);
	free(p->traps.v);
	free(p->foreign.v);
	text_fini(&p->failure);
	world_fini(&p->w);
}
