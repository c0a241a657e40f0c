/* Which names in a directory are manifests. */
#pragma once
#include "base/mem.h"

bool manifest_name_hidden(const char *name);  /* starts with a dot: skipped */
bool manifest_name_matches(const char *name); /* *.yaml, *.yml, *.json */
bool manifest_name_json(const char *name);    /* *.json */
