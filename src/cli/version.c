/* `sluice version`. */
#include "cli/commands.h"

#include <string.h>

struct version_options {
	const char *output;
};

static const struct option_row rows[] = {
	{ "output", 'o', OPTION_TEXT, 0, offsetof(struct version_options, output), "FORMAT", "text", "text|json",
	  "text, or json for scripts" },
};

static int run(void *target, const char *const *args, size_t n)
{
	const struct version_options *options = target;

	if (strcmp(options->output, "json") == 0)
		return put("{\"version\": \"" SLUICE_VERSION "\"}\n");
	return put("sluice " SLUICE_VERSION "\n");
}

const struct command command_version = {
	.name = "version",
	.brief = "the version of this program",
	.text = "Prints the version of this program.",
	.options = { rows, ARRAY_SIZE(rows), 0 },
	.size = sizeof(struct version_options),
	.run = run,
};
