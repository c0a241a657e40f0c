/* What Kubernetes takes for a name (RFC 1123). */
#pragma once
#include "base/mem.h"

bool dns_label(const char *text);     /* 1 to 63 of a-z 0-9 -, no - at the ends */
bool dns_subdomain(const char *text); /* labels with dots between, at most 253 */
