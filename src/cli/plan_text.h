/* A plan for people and for scripts. */
#pragma once
#include "base/text.h"
#include "daemon/planner.h"

struct json_t;

void plan_text(const struct planner_result *plan, struct text *ret);
struct json_t *plan_json(const struct planner_result *plan); /* owned: json_decref(); documented in sluice-plan(8) */
