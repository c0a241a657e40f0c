/* Everything that can happen next, as one table. */
#pragma once
#include "exhaustive/state.h"

size_t event_count(void);
bool event_can(size_t event, const struct world *w);
void event_happen(size_t event, struct world *w);
/* "the daemon applies rs-zero A: no answer, done" */
void event_describe(size_t event, const struct world *before, char *ret, size_t size);

/* What comes next if nothing goes wrong any more, nobody connects and no source speaks: the daemon, else the clock. clients_leave: those that are
 * there go first. False: nothing is left to come. */
bool event_quiet_next(const struct world *w, bool clients_leave, size_t *ret_event);
