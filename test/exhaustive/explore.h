/* All states that can be reached, breadth first. */
#pragma once
#include "exhaustive/state.h"

struct explored {
	size_t states, transitions;
};
/* False: an invariant is broken; the shortest way there was printed. */
bool explore(const struct world *from, struct explored *ret);
