/* Shows an answer of the daemon once, or again each second. What it looks like is the screen's own matter. */
#include "cli/screen.h"

#include "cli/client.h"
#include "serve/status.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

const struct option_row screen_rows[] = { SCREEN_OPTION_ROWS };

const char *member_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

double member_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

void keep_service(json_t *array, const char *service)
{
	for (size_t i = json_array_size(array); i-- > 0;)
		if (strcmp(member_text(json_array_get(array, i), "service"), service) != 0)
			(void)json_array_remove(array, i);
}

const char *seconds_format(const json_t *seconds, char ret[SPAN_TEXT])
{
	ret[0] = 0;
	if (json_is_number(seconds) && json_number_value(seconds) >= 0 && json_number_value(seconds) < 1e12)
		(void)span_format((int64_t)(json_number_value(seconds) * 1000), ret);
	return ret;
}

/* ---- one picture ---- */

/* The answer as the user wants it. Gives an enum exit_code. */
static int picture(const struct screen *screen, const struct screen_options *options, const char *service, json_t *answer,
		   struct text *ret)
{
	size_t flags = options->watch ? JSON_COMPACT : JSON_INDENT(2);
	char *text;

	if (strcmp(options->output, "json") != 0) {
		if (screen->draw(answer, service, options->no_headers, ret) || options->watch)
			return EXIT_DONE;
		say("no virtual server belongs to a Service %s", service);
		return EXIT_FAILED;
	}
	if (service)
		screen->filter(answer, service);
	text = json_dumps(answer, flags | STATUS_DUMP);
	if (!text)
		abort();
	text_add(ret, "%s\n", text);
	free(text);
	return EXIT_DONE;
}

static int show_once(const struct screen *screen, const struct screen_options *options, const char *service)
{
	struct err err = { "" };
	struct text text = { 0 };
	json_t *answer;
	int code;

	if (client_get(options->run_dir, screen->path, NULL, &answer, &err) < 0) {
		say("%s", err.text);
		return EXIT_FAILED;
	}
	code = picture(screen, options, service, answer, &text);
	if (code == EXIT_DONE)
		code = put(text_str(&text));
	text_fini(&text);
	json_decref(answer);
	return code;
}

/* ---- again and again ---- */

static bool interrupted(void)
{
	sigset_t pending;

	(void)sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM);
}

static size_t terminal_rows(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 ? size.ws_row : 0;
}

/* Draws over the last picture: home, each line with its rest cleared, then everything below cleared. */
static void overdraw(const char *picture_text, struct text *ret)
{
	size_t rows = terminal_rows(), lines = 0, left = 0;

	for (const char *c = picture_text; *c; c++)
		left += *c == '\n';
	text_add(ret, "\033[H");
	while (*picture_text) {
		size_t n = strcspn(picture_text, "\n");

		if (rows && left > 1 && lines > 1 && lines + 2 >= rows) { /* on the smallest terminal, one row at least */
			text_add(ret, "... %zu more lines", left);
			break;
		}
		text_add(ret, "%.*s\033[K\n", (int)n, picture_text);
		picture_text += n + (picture_text[n] == '\n');
		lines++;
		left--;
	}
	text_add(ret, "\033[J");
}

/* One picture of --watch. Trouble is part of the picture: sluice may be about to restart. */
static int show_next(const struct screen *screen, const struct screen_options *options, const char *service, bool first)
{
	bool terminal = isatty(STDOUT_FILENO) && strcmp(options->output, "table") == 0;
	struct err err = { "" };
	struct text text = { 0 }, screenful = { 0 };
	json_t *answer = NULL;
	int code = EXIT_DONE;

	if (client_get(options->run_dir, screen->path, interrupted, &answer, &err) == 0) {
		(void)picture(screen, options, service, answer, &text);
	} else if (first && !interrupted()) {
		say("%s", err.text);
		code = EXIT_FAILED;
	} else if (!interrupted()) {
		if (terminal)
			text_add(&text, "%s\n", err.text);
		else
			say("%s", err.text);
	}
	if (terminal && text.n)
		overdraw(text_str(&text), &screenful);
	else if (text.n)
		text_add(&screenful, "%s%s", first || strcmp(options->output, "json") == 0 ? "" : "\n", text_str(&text));
	if (screenful.n)
		code = put(text_str(&screenful));
	text_fini(&text);
	text_fini(&screenful);
	json_decref(answer);
	return code;
}

static int show_until_interrupted(const struct screen *screen, const struct screen_options *options, const char *service)
{
	const struct timespec second = { .tv_sec = 1 };
	bool terminal = isatty(STDOUT_FILENO) && strcmp(options->output, "table") == 0, first = true;
	sigset_t ends;
	int code;

	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &ends, NULL); /* taken below, so none is missed between two looks */
	do {
		code = show_next(screen, options, service, first);
		if (first && code == EXIT_DONE && terminal)
			(void)put("\033[?7l"); /* long lines are cut, not wrapped, while the screen is redrawn */
		first = false;
	} while (code == EXIT_DONE && sigtimedwait(&ends, NULL, &second) < 0);
	if (terminal && code == EXIT_DONE)
		(void)put("\033[?7h\n");
	return code;
}

int screen_run(const struct screen *screen, const struct screen_options *options, const char *const *args, size_t n)
{
	const char *service = n ? args[0] : NULL;

	if (service && (!strchr(service, '/') || service[0] == '/' || !strchr(service, '/')[1]))
		return say_usage(screen->command, "\"%s\" is no NAMESPACE/NAME", service);
	return options->watch ? show_until_interrupted(screen, options, service) : show_once(screen, options, service);
}
