/* Walks a directory of manifests: finds the files, follows links, renews the watches. Reads no file. */
#pragma once
#include "base/err.h"

#include <sys/stat.h>

struct manifest_watch;

/* A manifest that was found. All borrowed for the call. */
struct manifest_found {
	const char *rel;  /* path below the directory */
	int dirfd;        /* to open it: openat(dirfd, name) */
	const char *name;
	int error;        /* errno with which it could not be looked at; st is void then */
	struct stat st;   /* of what a link leads to */
	bool touched;     /* an event named it since the last walk */
};

struct manifest_visitor {
	void *ctx;
	void (*file)(void *ctx, const struct manifest_found *found);
	/* A subfolder, or a link that is neither file nor folder now, which could not be read. */
	void (*unreadable)(void *ctx, const char *rel, int error);
};

/* Calls file for each regular file below dir with a manifest's name, in no order. A folder that a link leads back to is
 * not entered again on its own path. watch may be NULL. A negative errno if dir itself cannot be read or holds
 * too much; what was visited until then says nothing. */
MUST_CHECK int manifest_tree_walk(const char *dir, struct manifest_watch *watch, const struct manifest_visitor *visitor,
				  struct err *err);
