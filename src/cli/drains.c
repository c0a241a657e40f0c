/* `sluice drains`: what drains now, one row each, and how the last drains ended. */
#include "cli/commands.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "serve/status.h"

#include <jansson.h>
#include <string.h>

static const struct table_column now_columns[] = {
	{ "SERVICE", false }, { "VIRTUAL SERVER", false }, { "REAL SERVER", false }, { "AGE", true },	 { "ACTIVE", true },
	{ "INACTIVE", true }, { "LIMIT", true },	   { "CHECK", true },	     { "VERDICT", false },
};
static const struct table_column ended_columns[] = {
	{ "SERVICE", false }, { "VIRTUAL SERVER", false }, { "REAL SERVER", false }, { "ENDED", false },
	{ "TOOK", true },     { "OUTCOME", false },	   { "CUT", true },
};

#define ENDED_SHOWN 10 /* in the table; JSON has all that the daemon remembers */

static const char *name_of(const json_t *object)
{
	const char *service = member_text(object, "service");

	return *service ? service : "-";
}

/* "3->1": at the start of the drain, and now. */
static char *then_now(const json_t *drain, const char *key)
{
	return xfmt("%.0f->%.0f", member_number(json_object_get(drain, "start"), key),
		    member_number(json_object_get(drain, "now"), key));
}

static void add_drain(struct table *table, const json_t *drain)
{
	CLEANUP(free_p) char *active = then_now(drain, "active");
	CLEANUP(free_p) char *inactive = then_now(drain, "inactive");
	char age[SPAN_TEXT], limit[SPAN_TEXT], check[SPAN_TEXT];
	const json_t *left = json_object_get(drain, "limitSecondsLeft");

	table_row(table, (const char *[]){ name_of(drain), member_text(drain, "virtualServer"), member_text(drain, "realServer"),
					   seconds_format(json_object_get(drain, "ageSeconds"), age), active, inactive,
					   json_is_number(left) ? seconds_format(left, limit) : "none",
					   seconds_format(json_object_get(drain, "checkEverySeconds"), check),
					   member_text(drain, "verdict") });
}

static void add_ended(struct table *table, const json_t *outcome)
{
	char ago[SPAN_TEXT], took[SPAN_TEXT];
	CLEANUP(free_p) char *ended = xfmt("%s ago", seconds_format(json_object_get(outcome, "endedSecondsAgo"), ago));
	CLEANUP(free_p) char *cut = xfmt("%.0f", member_number(outcome, "connectionsCut"));

	table_row(table, (const char *[]){ name_of(outcome), member_text(outcome, "virtualServer"),
					   member_text(outcome, "realServer"), ended,
					   seconds_format(json_object_get(outcome, "tookSeconds"), took),
					   member_text(outcome, "outcome"), cut });
}

static bool is_for(const json_t *object, const char *service)
{
	return !service || strcmp(member_text(object, "service"), service) == 0;
}

static bool draw(const json_t *answer, const char *service, bool bare, struct text *ret)
{
	struct table now = { now_columns, ARRAY_SIZE(now_columns), { 0 } };
	struct table ended = { ended_columns, ARRAY_SIZE(ended_columns), { 0 } };
	const json_t *item;
	size_t i, n_ended = 0;

	json_array_foreach(json_object_get(answer, "drains"), i, item)
		if (is_for(item, service))
			add_drain(&now, item);
	json_array_foreach(json_object_get(answer, "outcomes"), i, item)
		if (is_for(item, service) && n_ended++ < ENDED_SHOWN)
			add_ended(&ended, item);
	if (now.cells.n)
		table_format(&now, !bare, ret);
	else if (!bare)
		text_add(ret, "nothing drains\n");
	if (ended.cells.n && !bare) {
		text_add(ret, "\nended recently:\n");
		table_format(&ended, true, ret);
		if (n_ended > ENDED_SHOWN)
			text_add(ret, "... and %zu more: -o json shows them\n", n_ended - ENDED_SHOWN);
	}
	table_fini(&now);
	table_fini(&ended);
	return true; /* no drain of a Service is no mistake */
}

static void filter(json_t *answer, const char *service)
{
	keep_service(json_object_get(answer, "drains"), service);
	keep_service(json_object_get(answer, "outcomes"), service);
}

static int run(void *target, const char *const *args, size_t n)
{
	static const struct screen screen = { "drains", DRAINS_PATH, draw, filter };

	return screen_run(&screen, target, args, n);
}

const struct command command_drains = {
	.name = "drains",
	.args = "[NAMESPACE/NAME]",
	.max_args = 1,
	.brief = "each drain: how old, connections at the start and now, why the last ones ended",
	.text = "Shows each real server that drains: it has weight 0, gets no new connections, and is deleted as soon as the kernel\n"
		"counts no connection on it. ACTIVE and INACTIVE are the connections when the drain began and now. LIMIT is the time\n"
		"left until it is deleted anyway; CHECK is how often its connections are counted. Below: how the last drains ended.",
	.options = { screen_rows, SCREEN_ROWS, 0 },
	.size = sizeof(struct screen_options),
	.run = run,
};
