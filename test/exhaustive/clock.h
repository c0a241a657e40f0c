/* Time goes on: a tick at a time while something near is open, or to a far moment. */
#pragma once
#include "exhaustive/state.h"

/* TO_LIMIT: of what a Service left behind; TO_LIMIT_A, _B: of that drain. */
enum moment { TO_CHECK = 1, TO_RETRY = 2, TO_LIMIT = 4, TO_LINGER = 8, TO_LIMIT_A = 16, TO_LIMIT_B = 32, TO_ALL = 63 };

bool clock_can_tick(const struct world *w);
void clock_tick(struct world *w);
bool clock_can_leap(const struct world *w, enum moment moments); /* one of them is set */
void clock_leap(struct world *w, enum moment moments);
