/* Times as Kubernetes writes them. */
#pragma once
#include "base/mem.h"

/* "2026-01-02T03:04:05Z", also with a fraction (dropped) or an offset ("+02:00") → Unix seconds. -EINVAL. */
MUST_CHECK int rfc3339_parse(const char *text, int64_t *ret_seconds);
