/* The frame of all commands: finding them, --help, and how they speak. */
#pragma once
#include "daemon/option.h"

enum exit_code { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NOT_REACHED = 3 };

struct command {
	const char *name;
	const char *args;   /* "[NAMESPACE/NAME]"; NULL: none are taken */
	size_t max_args;
	const char *brief;  /* one line of `sluice --help` */
	const char *text;   /* paragraph of `sluice help NAME` */
	struct options options;
	size_t size;        /* of the struct that the options fill */
	/* target: the filled struct; args: n of them. Gives an enum exit_code. */
	int (*run)(void *target, const char *const *args, size_t n);
};

/* All of main(): argv[1] names the command. Gives the exit code. */
int command_main(const struct command *const *commands, size_t n, int argc, char **argv);

/* "sluice: SENTENCE" on standard error; control characters are replaced. */
void say(const char *fmt, ...) PRINTF(1, 2);
/* The same with EXIT_USAGE and a word on where help is. */
int say_usage(const char *command, const char *fmt, ...) PRINTF(2, 3);
/* Writes to standard output and looks whether it arrived. Gives an enum exit_code. */
int put(const char *text);
