/* The table of commands. */
#include "cli/commands.h"

#include <jansson.h>

int main(int argc, char **argv)
{
	static const struct command *const commands[] = {
		&command_run, &command_plan, &command_status, &command_drains, &command_version,
	};

	json_set_alloc_funcs(xmalloc, free); /* out of memory ends the process there too */
	return command_main(commands, ARRAY_SIZE(commands), argc, argv);
}
