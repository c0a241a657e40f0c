/* I4, I5, I6, I9; I1 and I2 are judged where a deletion is made, I8 where a server is added (kernel.c), I3 and I7 over all states together (explore.c). */
#include "exhaustive/check.h"

#include "exhaustive/daemon.h"
#include "exhaustive/kernel.h"
#include "exhaustive/source.h"

/* Of an order that a foreign hand has broken nobody can be told apart who did it. */
static void check_order(const struct world *w)
{
	const struct kernel_model *k = &w->kernel;

	if (k->bound && !k->guarded)
		broken("I6: the address is bound, and not guarded");
	if (k->served && !k->guarded)
		broken("I6: the key is served, and its address is not guarded");
	if (w->hand != HAND_FREE)
		return;
	if (k->served && !k->vs)
		broken("I6: the key is served without a virtual server");
	if (k->vs && !k->bound)
		broken("I6: the virtual server is there, and its address is not bound");
	/* Shutting the key may fail: its servers are not held back by that, and it is tried again. */
	if (k->served && k->vs && !is_live(k, A) && !is_live(k, B) && (w->failures == bounds.failures || daemon_quiet(w)))
		broken("I6: the key is served, and every weight is 0");
}

static void check_quiet(const struct world *w)
{
	size_t n = daemon_plans_again(w);

	for (int i = 0; i < SERVERS; i++)
		if (source_wants(&w->source, i) && w->kernel.rs[i].present && !w->kernel.rs[i].weight)
			broken("I4: %c is wanted and rests at weight 0", 'A' + i);
		else if (!source_wants(&w->source, i) && w->kernel.rs[i].limit == DUE)
			broken("I9: the limit of the drain of %c has come, and it is still there", 'A' + i);
	if (n)
		broken("I5: nothing is to be done, but planned again there are %zu operations", n);
}

void check_state(const struct world *w)
{
	check_order(w);
	if (daemon_quiet(w))
		check_quiet(w);
}

static bool rs_arrived(const struct world *w, int i, bool clients)
{
	const struct kernel_rs *rs = &w->kernel.rs[i];

	if (source_wants(&w->source, i))
		return rs->present && rs->weight;
	return !rs->present || (clients && !rs->weight && clients_of(rs) && !w->limit_came && rs->limit != DUE);
}

bool check_arrived(const struct world *w, bool clients)
{
	const struct kernel_model *k = &w->kernel;
	bool any = source_wants(&w->source, A) || source_wants(&w->source, B), held = k->rs[A].present || k->rs[B].present;
	bool vs = w->source.service || held;

	if (!daemon_quiet(w) || !rs_arrived(w, A, clients) || !rs_arrived(w, B, clients))
		return false;
	return k->vs == vs && k->bound == vs && k->guarded == vs && k->served == any && k->pinged == any;
}
