/* What has to hold in each state. */
#pragma once
#include "exhaustive/state.h"

void check_state(const struct world *w); /* broken() */
/* The kernel is as the source wants it, and nothing is left to do. clients: with connections, what is out of service may still be there. */
bool check_arrived(const struct world *w, bool clients);
