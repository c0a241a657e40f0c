/* Hash tables (uthash) on our allocator, and a stable hash of bytes. */
#pragma once
#include "base/mem.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_free(p, size) free(p)
#define uthash_fatal(text) abort()
#include <uthash.h>
#include <utlist.h>

#define HASH_START 14695981039346656037u /* FNV-1a, 64 bit */
static inline uint64_t hash_bytes(uint64_t hash, const void *p, size_t n)
{
	for (const unsigned char *b = p; n; n--, b++)
		hash = (hash ^ *b) * 1099511628211u;
	return hash;
}
