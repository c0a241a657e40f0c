/* All manifests of one directory: what each file defines, who has an object that several define, and what of that the
 * sink was told. */
#pragma once
#include "source/source.h"

struct manifest_set;
struct manifest_watch;

struct manifest_set *manifest_set_new(const char *dir); /* owned: manifest_set_free() */
void manifest_set_free(struct manifest_set *set);

/* Looks at the directory and reads the files that may have changed; all: every file. Problems with files are reported
 * to the sink. A negative errno if the directory itself cannot be read: nothing is changed then. */
MUST_CHECK int manifest_set_scan(struct manifest_set *set, struct manifest_watch *watch, bool all,
				 const struct source_sink *sink, struct err *err);

/* The last scan met the directory in the middle of a change: scan again soon. */
bool manifest_set_unsettled(const struct manifest_set *set);

/* Tells the sink what changed since the last call: reports of objects defined twice, then one call of changes. */
void manifest_set_tell(struct manifest_set *set, const struct source_sink *sink);

/* Some file or object could not be read and no earlier version of it is there. */
bool manifest_set_partial(const struct manifest_set *set);
