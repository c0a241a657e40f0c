/* The daemon: everything wired to one loop. */
#pragma once
#include "base/err.h"
#include "daemon/config.h"

/* Runs until SIGTERM or SIGINT (0; the kernel stays as it is). An error means that it could not start; err says why.
 * config has passed config_check(). */
MUST_CHECK int daemon_run(const struct config *config, struct err *err);
