/* Memory and the small macros that everything uses. Out of memory ends the process. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The value of a CLEANUP variable, which then owns nothing any more. */
#define TAKE(p) ({ __typeof__(p) take_ = (p); (p) = NULL; take_; })

void *xmalloc(size_t size);                          /* owned: free() */
void *xzalloc(size_t size);                          /* zeroed; owned: free() */
void *xrealloc(void *p, size_t size);
void *xreallocarray(void *p, size_t n, size_t size); /* ends the process on overflow too */
char *xstrdup(const char *s);                        /* NULL gives NULL */

/* The same for a descriptor. */
#define TAKE_FD(fd) ({ int take_ = (fd); (fd) = -1; take_; })

/* Cleanup functions for CLEANUP(). */
static inline void free_p(void *pp) { free(*(void **)pp); }
static inline void close_p(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Growing array: VEC(struct op) ops = {0}; *vec_push(&ops) = op; free(ops.v). */
#define VEC(type) struct { type *v; size_t n, cap; }
void *vec_grow(void *v, size_t n, size_t *cap, size_t size);
#define vec_push(vec)                                                                        \
	({                                                                                   \
		(vec)->v = vec_grow((vec)->v, (vec)->n, &(vec)->cap, sizeof(*(vec)->v));     \
		&(vec)->v[(vec)->n++];                                                       \
	})
