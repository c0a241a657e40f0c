/* Memory that dies together: everything of one decoded object, or of one pass. */
#pragma once
#include "base/mem.h"

struct arena;

struct arena *arena_new(void);                              /* owned: arena_free() */
void arena_free(struct arena *arena);                       /* NULL is fine */
void *arena_alloc(struct arena *arena, size_t size);        /* zeroed, aligned for anything; dies with the arena */
char *arena_strdup(struct arena *arena, const char *s);     /* NULL gives NULL */
