/* What holds after every scenario, whatever its text expects. */
#include "scenario/play.h"

#include <stdio.h>
#include <string.h>

static bool allowed(const struct play *p, const struct fake_violation *v)
{
	char rs[RS_TEXT];

	if (v->wrong == FAKE_STARVED)
		return p->faulted || fake_faults_hit(p->w.fake); /* after a failed "stop serving" the weights go to 0 all the same: IPVS refuses */
	if (v->wrong != FAKE_CUT)
		return false;
	rs_format(&v->rs, rs);
	for (size_t i = 0; i < p->allowed.n; i++)
		if (!strcmp(p->allowed.v[i], v->what) || !strcmp(p->allowed.v[i], rs))
			return true;
	/* Where a limit cuts what the text names, it cuts who came in between too. */
	return p->faulted && p->allowed.n > 0;
}

bool play_check_wrongs(struct play *p)
{
	const struct fake_violation *v;
	size_t n = fake_violations(p->w.fake, &v);

	for (size_t i = 0; i < n; i++)
		if (!allowed(p, &v[i]))
			return play_fail(p, "%s: %s, by %s", fake_wrong_word(v[i].wrong), v[i].what, v[i].op.kind ? op_word(v[i].op.kind) : "prepare");
	return true;
}

static void check_weight(void *ctx, const struct vs_key *vs, const struct rs_row *row)
{
	struct play *p = ctx;
	char vs_text[VS_TEXT], rs_text[RS_TEXT];

	vs_format(vs, vs_text);
	for (size_t i = 0; i < p->foreign.n; i++)
		if (!strcmp(p->foreign.v[i], vs_text))
			return;
	if (!world_wants(&p->w, vs, &row->key))
		(void)play_fail(p, "%s behind %s is still there with weight %d, and nobody wants it", rs_format(&row->key, rs_text), vs_text,
				row->weight);
}

bool play_check_end(struct play *p)
{
	const struct fake_logged *log;
	size_t before;

	if (p->w.restless)
		return play_fail(p, "it does not come to rest");
	if (!play_check_wrongs(p))
		return false;
	before = fake_log(p->w.fake, &log);
	(void)world_pass(&p->w);
	if (fake_log(p->w.fake, &log) != before)
		return play_fail(p, "a second pass over the same world sends %s", op_word(log[before].op.kind));
	if (!p->w.partial && p->w.synced)
		fake_each_rs(p->w.fake, check_weight, p);
	return !p->failure.n;
}
