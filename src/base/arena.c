/* A chain of blocks, freed at once. */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

struct block {
	struct block *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

struct arena {
	struct block *blocks;
};

struct arena *arena_new(void)
{
	return xzalloc(sizeof(struct arena));
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct block *b = arena->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct block *b = arena->blocks;
	void *p;

	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!b || b->size - b->used < size) {
		size_t room = size > 1000 ? size : 1000;

		b = xzalloc(sizeof(*b) + room);
		b->size = room;
		b->next = arena->blocks;
		arena->blocks = b;
	}
	p = b->bytes + b->used;
	b->used += size;
	return p;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	size_t n;

	if (!s)
		return NULL;
	n = strlen(s) + 1;
	return memcpy(arena_alloc(arena, n), s, n);
}
