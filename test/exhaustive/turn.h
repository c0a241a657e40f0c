/* One turn of the daemon, on a thawed state; and the steps of it that look at the kernel (look.c). */
#pragma once
#include "core/observed.h"
#include "exhaustive/daemon.h"
#include "exhaustive/mirror.h"

struct turn {
	struct world *w;
	struct observed o;
	struct mishap mishap;
};

static inline bool waits(uint8_t when) { return when > DUE; }

void journal_drain(struct journal_model *j, int rs, bool on, uint8_t until, unsigned uid);

void look_vs(struct turn *t, struct seen_vs *vs);
void look_vss(struct turn *t);
void look_addrs(struct turn *t);
void look_filter(struct turn *t);
void step_list(struct turn *t);
void step_check(struct turn *t);
void step_flush(struct turn *t);
void step_start(struct turn *t);
/* Has step_flush() something to find out? */
bool flush_due(const struct mirror *m);
