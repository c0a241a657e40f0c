/* A screen: what a command shows of the daemon's answer, once or each second. */
#pragma once
#include "cli/command.h"

struct json_t;

/* Options of all screens. */
struct screen_options {
	const char *run_dir;
	const char *output; /* "table" or "json" */
	bool watch, no_headers;
};
#define SCREEN_ROWS 4
/* At the begin of the struct that they fill: a command may have more of its own. */
#define SCREEN_OPTION_ROWS                                                                                                           \
	{ "watch", 'w', OPTION_BOOL, 0, offsetof(struct screen_options, watch), NULL, NULL, NULL,                                    \
	  "show it again each second, until Ctrl-C" },                                                                               \
	{ "output", 'o', OPTION_TEXT, 0, offsetof(struct screen_options, output), "FORMAT", "table", "table|json",                   \
	  "table, or json for scripts" },                                                                                            \
	{ "no-headers", 0, OPTION_BOOL, 0, offsetof(struct screen_options, no_headers), NULL, NULL, NULL,                            \
	  "the rows alone: no column heads, nothing below the table" },                                                              \
	{ "run-dir", 0, OPTION_TEXT, 0, offsetof(struct screen_options, run_dir), "DIR", "/run/sluice", NULL,                        \
	  "run directory of the sluice that is asked" }
extern const struct option_row screen_rows[SCREEN_ROWS];

struct screen {
	const char *command; /* its name */
	const char *path;    /* of the control socket */
	/* The answer as text; bare: the rows alone, for scripts; service: only what belongs to "namespace/name", NULL = all. False: service is given and
	 * nothing belongs to it. */
	bool (*draw)(const struct json_t *answer, const char *service, bool bare, struct text *ret);
	/* Takes out of the answer what does not belong to service. */
	void (*filter)(struct json_t *answer, const char *service);
};

/* Fetches and shows, once or until SIGINT. Gives an enum exit_code. */
int screen_run(const struct screen *screen, const struct screen_options *options, const char *const *args, size_t n);

/* Members of an answer; "" and 0 if it has none: an older or newer daemon may lack one. Borrowed. */
const char *member_text(const struct json_t *object, const char *key);
double member_number(const struct json_t *object, const char *key);
/* Keeps of an array of objects those whose member "service" is service. */
void keep_service(struct json_t *array, const char *service);
/* Seconds as "12s"; nothing for null. */
const char *seconds_format(const struct json_t *seconds, char ret[SPAN_TEXT]);
