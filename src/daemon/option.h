/* Options of the command line as rows: parsing, --help and the check of the man pages all come from the rows. */
#pragma once
#include "base/err.h"
#include "base/text.h"

enum option_type {
	OPTION_BOOL,   /* bool; --x, --x=false */
	OPTION_TEXT,   /* const char *; borrowed from argv or the row */
	OPTION_NUMBER, /* int, 0 to 1000000 */
	OPTION_SPAN,   /* int64_t, milliseconds; "30s", "1m30s" */
};
struct option_row {
	const char *name;     /* long name without dashes; one letter alone is a short name too */
	char letter;          /* short name, 0 = none */
	enum option_type type;
	unsigned only;        /* bits of the commands that have it; 0 = all that use the rows */
	size_t offset;        /* of the member that it sets */
	const char *value;    /* what --help calls the value: "DIR"; NULL for OPTION_BOOL */
	const char *standard; /* value without the option; NULL: false, NULL, 0 */
	const char *choices;  /* OPTION_TEXT: "table|json" are the only values; NULL: any */
	const char *help;     /* one sentence without full stop */
};
/* The options of one command. */
struct options {
	const struct option_row *rows;
	size_t n;
	unsigned only; /* bit of the command; 0: all rows */
};

/* Sets every member to its standard value, then takes the options out of argv (argv[0] is not looked at). What is no
 * option is left in args, which has room for argc pointers. --help and -h end the parsing: ret_help. "--" ends the
 * options. -EINVAL: err names the option. */
MUST_CHECK int options_parse(const struct options *options, void *target, int argc, char **argv, const char **args,
			     size_t *ret_n_args, bool *ret_help, struct err *err);

/* The part of --help that tells of the options. */
void options_help(const struct options *options, struct text *ret);
