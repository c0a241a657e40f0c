/* Asks the sluice that runs on this node. */
#pragma once
#include "base/err.h"

struct json_t;

/* GET path from run_dir/sluice.sock. interrupted (may be NULL) is asked about once a second and ends the wait (-EINTR).
 * err has one sentence that says what to do. owned: json_decref(*ret). */
MUST_CHECK int client_get(const char *run_dir, const char *path, bool (*interrupted)(void), struct json_t **ret, struct err *err);
