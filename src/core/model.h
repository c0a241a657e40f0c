/* Everything the sources told us. Lives as long as the daemon; daemon/reconcile owns the only one. */
#pragma once
#include "base/hash.h"
#include "core/change.h"

/* One Service by name, and the EndpointSlices that name it; either may be missing. */
struct subject {
	char *name;              /* "namespace/name" */
	struct service *service; /* NULL: not known (any more) */
	VEC(struct slice *) slices;
	bool dirty;
	struct subject *next_dirty;
	UT_hash_handle hh;
};
struct model;

struct model *model_new(void); /* owned: model_free() */
void model_free(struct model *model);

/* Takes change, which is zeroed behind. What it touches becomes dirty, unless nothing is different. */
void model_apply(struct model *model, struct change *change);

/* The next Service to compile, not dirty any more; NULL: none. Borrowed until model_apply() or model_forget(). */
struct subject *model_next_dirty(struct model *model);
/* Frees it if nothing is known of it any more. */
void model_forget(struct model *model, struct subject *subject);
size_t model_services(const struct model *model);
