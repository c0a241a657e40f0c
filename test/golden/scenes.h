/* Views made by hand, for tests of what people see. */
#pragma once
#include "core/view.h"

/* owned: view_free(); NULL if there is no such scene. */
struct view *scene_new(const char *name);
/* As if the kernel had been asked who holds its drains. */
void scene_ask(struct view *view);
