/* The port of the sources: who tells us about Services and EndpointSlices. */
#pragma once
#include "base/err.h"
#include "base/log.h"
#include "core/change.h"

struct uv_loop_s;

/* What a source calls; all of it from the loop, never from inside source_start(). */
struct source_sink {
	void *ctx;
	/* Takes the changes (each moved out, zeroed behind). One call is one burst. */
	void (*changes)(void *ctx, struct change *changes, size_t n);
	/* The first lists are complete, all their changes were delivered. partial: something of them could not be
	 * read, so nothing may be removed yet; called again with false as soon as all of it could be. */
	void (*synced)(void *ctx, bool partial);
	/* One line for the log: a file that does not parse, an object that is not valid. */
	void (*report)(void *ctx, enum log_level level, const char *line);
};

struct source;
struct source_vtbl {
	MUST_CHECK int (*start)(struct source *source, struct uv_loop_s *loop, const struct source_sink *sink, struct err *err);
	void (*rescan)(struct source *source); /* SIGHUP: look at everything again, soon */
	void (*stop)(struct source *source);   /* closes its handles; no call of the sink afterwards */
	void (*free)(struct source *source);   /* after stop and after the loop has run its closing callbacks */
};
struct source {
	const struct source_vtbl *v;
};
