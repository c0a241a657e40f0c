/* What must never happen in the kernel, written down when it does. Changes nothing. */
#include "fake/fake_state.h"

#include <stdio.h>

const char *fake_wrong_word(enum fake_wrong wrong)
{
	switch (wrong) {
	case FAKE_CUT:
		return "cut";
	case FAKE_EXPOSED:
		return "exposed";
	case FAKE_STARVED:
		return "starved";
	}
	return "?";
}

size_t fake_violations(const struct fake_kernel *f, const struct fake_violation **ret)
{
	*ret = f->violations.v;
	return f->violations.n;
}

void watch_blame(struct fake_kernel *f, enum fake_wrong wrong, const char *what, const struct rs_key *rs, uint32_t count,
		 const struct op *op)
{
	struct fake_violation *v = vec_push(&f->violations);

	*v = (struct fake_violation){ .wrong = wrong, .op = *op, .count = count };
	if (rs)
		v->rs = *rs;
	(void)snprintf(v->what, sizeof(v->what), "%s", what);
}

/* Something is so now; blames the operation at work if it was not so before, and no foreign hand did it. */
static void note(struct fake_kernel *f, bool *was, bool is, enum fake_wrong wrong, const char *what)
{
	if (is && !*was && !f->hand)
		watch_blame(f, wrong, what, NULL, 0, &f->op);
	*was = is;
}

static bool starved(const struct fake_kernel *f, const struct fake_vs *vs)
{
	struct fake_rs *rs, *next;

	if (vs->foreign || !table_served(f, &vs->key))
		return false;
	HASH_ITER(hh, vs->rss, rs, next)
		if (rs->weight > 0)
			return false;
	return true;
}

void watch_look(struct fake_kernel *f)
{
	struct fake_addr *addr, *addr_next;
	struct fake_key *served, *served_next;
	struct fake_vs *vs, *vs_next;
	char text[VS_TEXT];

	/* Not guarded: all ports of the node answer there, those of virtual servers apart. */
	HASH_ITER(hh, f->addrs, addr, addr_next)
		note(f, &addr->exposed, (addr->bound || table_stray(f, &addr->ip)) && (!f->table || !addr->guarded), FAKE_EXPOSED, ip_format(&addr->ip, text));
	/* Passed by the filter, but no virtual server takes it. */
	HASH_ITER(hh, f->served, served, served_next) {
		addr = table_addr(f, &served->key.ip);
		note(f, &served->exposed, addr && addr->bound && f->table && !table_vs(f, &served->key), FAKE_EXPOSED,
		     vs_format(&served->key, text));
	}
	HASH_ITER(hh, f->vss, vs, vs_next)
		note(f, &vs->starved, starved(f, vs), FAKE_STARVED, vs_format(&vs->key, text));
}
