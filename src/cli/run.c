/* `sluice run`: checks what was asked and starts the daemon. */
#include "cli/commands.h"

#include "daemon/run.h"

static int run(void *target, const char *const *args, size_t n)
{
	CLEANUP(config_fini_p) struct config *config = target;
	struct err err = { "" };

	if (config_check(config, CONFIG_RUN, &err) < 0)
		return say_usage("run", "%s", err.text);
	if (!config->manifests)
		return say_usage("run", "a source of Services is missing: --manifests DIR");
	if (daemon_run(config, &err) < 0) {
		say("%s", err.text);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

const struct command command_run = {
	.name = "run",
	.brief = "the service proxy itself, in the foreground",
	.text = "Keeps this node's IPVS table, service addresses and packet filter as the Services ask, until SIGTERM or Ctrl-C; the\n"
		"kernel's state stays as it is then, and the next start goes on from it. SIGHUP makes it read the sources again.\n"
		"Needs root. One line is logged for each change of the kernel, on standard error.",
	.options = { config_rows, CONFIG_ROWS, CONFIG_RUN },
	.size = sizeof(struct config),
	.run = run,
};
