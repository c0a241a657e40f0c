/* Names of manifest files. */
#include "source/manifest_name.h"

#include <string.h>

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

bool manifest_name_hidden(const char *name)
{
	return name[0] == '.';
}

bool manifest_name_json(const char *name)
{
	return ends_with(name, ".json");
}

bool manifest_name_matches(const char *name)
{
	return !manifest_name_hidden(name) && (ends_with(name, ".yaml") || ends_with(name, ".yml") || manifest_name_json(name));
}
