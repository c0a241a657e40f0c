/* Finds the command, parses its options, shows help. Knows no command by itself: main.c has the table. */
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void vsay(const char *fmt, va_list ap, const char *tail) __attribute__((format(printf, 1, 0)));
static void vsay(const char *fmt, va_list ap, const char *tail)
{
	char line[ERR_TEXT_MAX + 256];

	(void)vsnprintf(line, sizeof(line), fmt, ap);
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	(void)fflush(stdout);
	(void)fprintf(stderr, "sluice: %s%s\n", line, tail);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap, "");
	va_end(ap);
}

int say_usage(const char *command, const char *fmt, ...)
{
	CLEANUP(free_p) char *tail = xfmt(" (see `sluice %s%s--help`)", command, *command ? " " : "");
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap, tail);
	va_end(ap);
	return EXIT_USAGE;
}

int put(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout) == EOF) {
		say("write to standard output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static int help_all(const struct command *const *commands, size_t n)
{
	struct text text = { 0 };
	int code;

	text_add(&text, "sluice is a service proxy for one Kubernetes node: it keeps the kernel's IPVS table as the Services\n"
			"and EndpointSlices ask, and lets a backend go only when no connection is left on it.\n\n"
			"usage: sluice COMMAND [OPTIONS]\n\n");
	for (size_t i = 0; i < n; i++)
		text_add(&text, "  %-10s %s\n", commands[i]->name, commands[i]->brief);
	text_add(&text, "  %-10s %s\n\n", "help", "more about a command: sluice help COMMAND, or sluice COMMAND --help");
	text_add(&text, "exit codes: 0 done, 1 failed, 2 wrong usage, 3 not reached in time\n");
	code = put(text_str(&text));
	text_fini(&text);
	return code;
}

static int help_one(const struct command *command)
{
	struct text text = { 0 };
	int code;

	text_add(&text, "usage: sluice %s [OPTIONS]%s%s\n\n%s\n\noptions:\n", command->name, command->args ? " " : "",
		 command->args ? command->args : "", command->text);
	options_help(&command->options, &text);
	code = put(text_str(&text));
	text_fini(&text);
	return code;
}

static const struct command *find(const struct command *const *commands, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int run_one(const struct command *command, int argc, char **argv)
{
	CLEANUP(free_p) void *target = xzalloc(command->size);
	CLEANUP(free_p) const char **args = xzalloc(sizeof(*args) * (size_t)argc);
	struct err err = { "" };
	size_t n_args = 0;
	bool help;

	if (options_parse(&command->options, target, argc, argv, args, &n_args, &help, &err) < 0)
		return say_usage(command->name, "%s", err.text);
	if (help)
		return help_one(command);
	if (n_args > command->max_args)
		return say_usage(command->name, "%s takes no argument \"%s\"", command->name, args[command->max_args]);
	return command->run(target, args, n_args);
}

int command_main(const struct command *const *commands, size_t n, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct command *command;
	bool help = strcmp(word, "help") == 0;

	if (argc < 2)
		return say_usage("", "a command is missing");
	if (strcmp(word, "--version") == 0)
		word = "version";
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (help && argc == 2))
		return help_all(commands, n);
	if (help)
		word = argv[2];
	if (word[0] == '-')
		return say_usage("", "unknown option %s", word);
	command = find(commands, n, word);
	if (!command)
		return say_usage("", "unknown command %s", word);
	return help ? help_one(command) : run_one(command, argc - 1, argv + 1);
}
