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

static const struct table_column holder_columns[] = {
	{ "SERVICE", false }, { "VIRTUAL SERVER", false }, { "REAL SERVER", false }, { "CLIENT", false }, { "STATE", false }, { "FORGOTTEN IN", true },
};

#define HOLDERS_TEXT "20" /* of one drain at most */
#define HELD_LONG_S 900  /* behind this, an idle connection would have been forgotten */
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

static void add_holders(struct table *table, const json_t *drain)
{
	const json_t *holder;
	size_t i;

	json_array_foreach(json_object_get(drain, "holders"), i, holder) {
		bool v6 = strchr(member_text(holder, "client"), ':');
		CLEANUP(free_p) char *client = xfmt("%s%s%s:%.0f", v6 ? "[" : "", member_text(holder, "client"), v6 ? "]" : "",
						    member_number(holder, "port"));
		char left[SPAN_TEXT];

		table_row(table, (const char *[]){ name_of(drain), member_text(drain, "virtualServer"), member_text(drain, "realServer"), client,
						   member_text(holder, "state"),
						   seconds_format(json_object_get(holder, "forgottenInSeconds"), left) });
	}
}

/* "default/web 10.1.0.5:8080: established 3, time-wait 20", a line for each drain that was asked about. */
static void add_states(const json_t *drain, struct text *ret)
{
	const json_t *states = json_object_get(drain, "states"), *n;
	const char *state, *comma = "";

	if (!states)
		return;
	text_add(ret, "%s %s %s:", name_of(drain), member_text(drain, "virtualServer"), member_text(drain, "realServer"));
	json_object_foreach((json_t *)states, state, n) {
		text_add(ret, "%s %s %.0f", comma, state, json_number_value(n));
		comma = ",";
	}
	text_add(ret, "%s\n", *comma ? "" : " none that connection tracking shows");
}

/* A pod that vanished without a word holds its drain until the kernel gives up on its clients. */
static bool held_long(const json_t *drain)
{
	const json_t *left = json_object_get(drain, "limitSecondsLeft");

	return member_number(drain, "ageSeconds") >= HELD_LONG_S && !json_is_number(left) &&
	       member_number(json_object_get(drain, "now"), "active") > 0;
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
	struct table held = { holder_columns, ARRAY_SIZE(holder_columns), { 0 } };
	struct text states = { 0 };
	const json_t *item;
	size_t i, n_ended = 0, n_long = 0, n_silent = 0;

	json_array_foreach(json_object_get(answer, "drains"), i, item) {
		if (!is_for(item, service))
			continue;
		add_drain(&now, item);
		add_holders(&held, item);
		add_states(item, &states);
		n_long += held_long(item);
		n_silent += !json_object_get(item, "states");
	}
	json_array_foreach(json_object_get(answer, "outcomes"), i, item)
		if (is_for(item, service) && n_ended++ < ENDED_SHOWN)
			add_ended(&ended, item);
	if (now.cells.n)
		table_format(&now, !bare, ret);
	else if (!bare)
		text_add(ret, "nothing%s%s drains\n", service ? " of " : "", service ? service : "");
	if (n_long && !bare)
		text_add(ret, "\n%zu held for more than 15 minutes: a pod that vanished without closing its connections holds a drain for about half an\n"
			      "hour after its clients' last try; --drain-limit, or the annotation sluice/drain-limit on the Service, bounds that\n", n_long);
	if (states.n && !bare)
		text_add(ret, "\nheld by:\n%s", text_str(&states));
	if (states.n && n_silent && !bare)
		text_add(ret, "... and %zu more that were not asked about: name a Service\n", n_silent);
	if (held.cells.n) {
		text_add(ret, "\n");
		table_format(&held, !bare, ret);
	}
	if (ended.cells.n && !bare) {
		text_add(ret, "\nended recently:\n");
		table_format(&ended, true, ret);
		if (n_ended > ENDED_SHOWN)
			text_add(ret, "... and %zu more: -o json shows them\n", n_ended - ENDED_SHOWN);
	}
	table_fini(&now);
	table_fini(&held);
	text_fini(&states);
	table_fini(&ended);
	return true; /* no drain of a Service is no mistake */
}

static void filter(json_t *answer, const char *service)
{
	keep_service(json_object_get(answer, "drains"), service);
	keep_service(json_object_get(answer, "outcomes"), service);
}

struct drains_options {
	struct screen_options screen;
	bool holders;
};

static int run(void *target, const char *const *args, size_t n)
{
	const struct drains_options *options = target;
	bool named = n && strspn(args[0], "abcdefghijklmnopqrstuvwxyz0123456789./-") == strlen(args[0]); /* else it is nobody's name */
	CLEANUP(free_p) char *path = !options->holders ? xstrdup(DRAINS_PATH) :
				     named ? xfmt(DRAINS_PATH "?" HOLDERS_KEY "=" HOLDERS_TEXT "&" SERVICE_KEY "=%s", args[0]) :
				     xstrdup(DRAINS_PATH "?" HOLDERS_KEY "=" HOLDERS_TEXT);
	const struct screen screen = { "drains", path, draw, filter };

	return screen_run(&screen, &options->screen, args, n);
}

static const struct option_row rows[] = {
	SCREEN_OPTION_ROWS,
	{ "holders", 0, OPTION_BOOL, 0, offsetof(struct drains_options, holders), NULL, NULL, NULL,
	  "ask the kernel who holds each drain: clients, their state, and when the kernel forgets them" },
};

const struct command command_drains = {
	.name = "drains",
	.args = "[NAMESPACE/NAME]",
	.max_args = 1,
	.brief = "each drain: how old, connections at the start and now, why the last ones ended",
	.text = "Shows each real server that drains: it has weight 0, gets no new connections, and is deleted as soon as the kernel\n"
		"counts no connection on it. ACTIVE and INACTIVE are the connections when the drain began and now. LIMIT is the time\n"
		"left until it is deleted anyway; CHECK is how often its connections are counted. Below: how the last drains ended.",
	.options = { rows, ARRAY_SIZE(rows), 0 },
	.size = sizeof(struct drains_options),
	.run = run,
};
