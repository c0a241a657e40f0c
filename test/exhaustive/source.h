/* What the source says, and what follows of it: compiled and claimed by the real code. */
#pragma once
#include "core/wanted.h"
#include "exhaustive/state.h"

void source_init(void); /* of these bounds */
void source_fini(void);
extern struct vs_key the_vs;
extern struct vs_attrs the_attrs;
extern struct rs_key the_rs[SERVERS];

extern uint64_t the_uid[PODS]; /* as numbers */

#define LIMIT_MS 60000 /* of a drain, of the drains of a Service that is gone: if the bounds have one */
struct drain_settings source_settings(void);

/* Everything that is wanted then. Borrowed. */
const struct wanted *source_wanted(const struct source *source);
const struct wanted_vs *source_vs(const struct source *source); /* NULL: none */
bool source_wants(const struct source *source, int rs);
enum pod pod_of(uint64_t uid);
int server_of(const struct rs_key *key); /* A or B */
/* The source said from, and says to now: marks in ctx what wanted_set() says is touched. */
void source_change(const struct source *from, const struct source *to, void (*touched)(void *ctx, const struct vs_key *key), void *ctx);
