/* Allocation that cannot fail: the kernel's state survives us, so ending is safe. */
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static void *checked(void *p)
{
	if (!p) {
		(void)fputs("sluice: out of memory\n", stderr);
		abort();
	}
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xzalloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return checked(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return s ? checked(strdup(s)) : NULL;
}

void *vec_grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? *cap * 2 : 8;
	return xreallocarray(v, *cap, size);
}
