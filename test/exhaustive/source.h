/* What the source says, and what follows of it: compiled and claimed by the real code. */
#pragma once
#include "core/wanted.h"
#include "exhaustive/state.h"

void source_init(void);
void source_fini(void);
extern struct vs_key the_vs;
extern struct vs_attrs the_attrs;
extern struct rs_key the_rs[SERVERS];

#define GONE_LIMIT_MS 60000 /* if the bounds have a limit */
struct drain_settings source_settings(void);

/* Everything that is wanted then. Borrowed. */
const struct wanted *source_wanted(const struct source *source);
const struct wanted_vs *source_vs(const struct source *source); /* NULL: none */
bool source_wants(const struct source *source, int rs);
/* The source said from, and says to now: marks in ctx what wanted_set() says is touched. */
void source_change(const struct source *from, const struct source *to, void (*touched)(void *ctx, const struct vs_key *key), void *ctx);
