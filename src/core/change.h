/* What a source tells: one object is now so, or is gone. */
#pragma once
#include "core/service.h"
#include "core/slice.h"

enum change_kind { CHANGE_SERVICE, CHANGE_SERVICE_GONE, CHANGE_SLICE, CHANGE_SLICE_GONE };

struct change {
	enum change_kind kind;
	struct service *service; /* CHANGE_SERVICE: owned */
	struct slice *slice;     /* CHANGE_SLICE: owned */
	char *ns, *name;         /* CHANGE_*_GONE: owned */
};

void change_fini(struct change *change); /* frees what it still owns; zeroed afterwards */
