/* One manifest file: what it says, and what of it is in force. They differ while the file, or an object in it, cannot be
 * read: then what was there before stays. */
#pragma once
#include "core/change.h"
#include "source/source.h"

#include <sys/stat.h>
#define uthash_malloc(size) xmalloc(size)
#include <uthash.h>

struct manifest_found;

/* An object as a file defines it. Shared by the file and by what was told to the sink: counted. */
struct manifest_def {
	unsigned refs;
	char *key;            /* kind and "namespace/name": "Service web/http" */
	struct change value;  /* CHANGE_SERVICE or CHANGE_SLICE */
	char *shadowed_by;    /* NULL, or the file that defines it too and comes first (reported already) */
	UT_hash_handle hh;    /* in its file, by key */
};
struct manifest_def *manifest_def_ref(struct manifest_def *def);
void manifest_def_unref(struct manifest_def *def); /* NULL is fine */

struct manifest_file {
	char *rel;                 /* path below the directory */
	struct manifest_def *defs; /* in force, in the order of the file */
	bool known;                /* it could be read at least once */
	bool bad;                  /* what it says now could not be read */
	size_t n_missing;          /* objects that could not be read and have no earlier version */
	bool seen;                 /* by the walk that is on */
	bool missed;               /* not found by the last walk, though it is there */
	/* What was read last. */
	struct stat st;
	int error;                 /* errno with which it could not be read, 0 */
	uint64_t hash;             /* of its content; 0: of none */
	UT_hash_handle hh;         /* of all files, by rel */
};
struct manifest_file *manifest_file_new(const char *rel); /* owned: manifest_file_free() */
void manifest_file_free(struct manifest_file *file);

/* Looks at the file that the walk found, reads it if it may have changed (always: in any case) and reports what
 * is wrong with it, once for each content. dir is only for the reports. false: it is gone since it was found. */
MUST_CHECK bool manifest_file_update(struct manifest_file *file, const struct manifest_found *found, bool always,
				     const char *dir, const struct source_sink *sink);
