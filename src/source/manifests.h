/* A directory of manifests as a source: read whole, then followed by inotify. */
#pragma once
#include "source/source.h"

/* Does not touch the directory yet. owned: v->free(). */
struct source *manifests_new(const char *dir);

/* Reads the directory once, without a loop, for `sluice plan`: calls sink->changes, report and synced before it returns.
 * -ENOENT and the like if the directory itself cannot be read. */
MUST_CHECK int manifests_read_once(const char *dir, const struct source_sink *sink, struct err *err);
