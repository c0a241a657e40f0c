/* `sluice status`: virtual servers and their real servers, in the habit of ipvsadm, with the names of the Services. */
#include "cli/commands.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "serve/status.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const struct table_column columns[] = {
	{ "PROT", false }, { "ADDRESS:PORT", false }, { "SCHED", false },	       { "WEIGHT", true },
	{ "ACTIVE", true }, { "INACTIVE", true },		{ "STATE", false },	       { "SERVICE:PORT", false },
};

/* What the last line sums up. */
struct totals {
	size_t vs, rs, draining;
};

static const char *number(char ret[24], double value)
{
	(void)snprintf(ret, 24, "%.0f", value);
	return ret;
}

/* "203.0.113.10:80", "[fd00::1]:80". */
static const char *endpoint(const json_t *object, char ret[80])
{
	const char *address = member_text(object, "address");

	(void)snprintf(ret, 80, strchr(address, ':') ? "[%s]:%.0f" : "%s:%.0f", address, member_number(object, "port"));
	return ret;
}

/* "draining 12s", from the drain of the same two. */
static void draining_text(const json_t *drains, const json_t *vs, const json_t *rs, char ret[64])
{
	char vs_text[80], rs_text[80], key[96], age[SPAN_TEXT];
	const json_t *drain;
	size_t i;

	(void)snprintf(key, sizeof(key), "%s/%s", endpoint(vs, vs_text), member_text(vs, "protocol"));
	(void)endpoint(rs, rs_text);
	(void)snprintf(ret, 64, "draining");
	json_array_foreach(drains, i, drain) {
		if (strcasecmp(member_text(drain, "virtualServer"), key) != 0 ||
		    strcmp(member_text(drain, "realServer"), rs_text) != 0)
			continue;
		(void)snprintf(ret, 64, "draining %s", seconds_format(json_object_get(drain, "ageSeconds"), age));
		return;
	}
}

static void add_rs(struct table *table, const json_t *answer, const json_t *vs, const json_t *rs, struct totals *totals)
{
	char where[80], weight[24], active[24], inactive[24], state[64] = "";

	totals->rs++;
	if (json_is_true(json_object_get(rs, "draining"))) {
		totals->draining++;
		draining_text(json_object_get(answer, "drains"), vs, rs, state);
	}
	table_row(table, (const char *[]){ "  ->", endpoint(rs, where), NULL, number(weight, member_number(rs, "weight")),
					   number(active, member_number(rs, "activeConnections")),
					   number(inactive, member_number(rs, "inactiveConnections")), state, NULL });
}

static void add_vs(struct table *table, const json_t *answer, const json_t *vs, struct totals *totals)
{
	const char *service = member_text(vs, "service"), *port = member_text(vs, "portName");
	double persistence = member_number(vs, "persistenceTimeoutSeconds"), active = 0, inactive = 0;
	CLEANUP(free_p) char *persistent = persistence > 0 ? xfmt(" (persistent %.0fs)", persistence) : xstrdup("");
	CLEANUP(free_p) char *name = xfmt("%s%s%s%s", *service ? service : "-", *port ? ":" : "", port, persistent);
	char where[80], active_text[24], inactive_text[24];
	const json_t *servers = json_object_get(vs, "realServers"), *rs;
	size_t i;

	json_array_foreach(servers, i, rs) {
		active += member_number(rs, "activeConnections");
		inactive += member_number(rs, "inactiveConnections");
	}
	totals->vs++;
	table_row(table, (const char *[]){ member_text(vs, "protocol"), endpoint(vs, where), member_text(vs, "scheduler"), NULL,
					   number(active_text, active), number(inactive_text, inactive), member_text(vs, "state"), name });
	json_array_foreach(servers, i, rs)
		add_rs(table, answer, vs, rs, totals);
}

/* By Service; those of one Service stay in the order of the daemon, by address. */
struct sorted {
	const json_t *vs;
	size_t at;
};

static int by_service(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int c = strcmp(member_text(x->vs, "service"), member_text(y->vs, "service"));

	return c ? c : (x->at > y->at) - (x->at < y->at);
}

static void add_notes(const json_t *answer, const char *service, struct text *ret)
{
	const json_t *problem;
	bool first = true;
	size_t i;

	if (json_is_false(json_object_get(answer, "synced")))
		text_add(ret, "\nThe sources have not been read completely yet: nothing is changed in the kernel until then.\n");
	else if (json_is_true(json_object_get(answer, "partial")))
		text_add(ret, "\nPart of the sources could not be read: until it can, nothing is taken out of the kernel.\n");
	json_array_foreach(json_object_get(answer, "problems"), i, problem) {
		const char *object = member_text(problem, "object");

		if (service && strcmp(object, service) != 0)
			continue;
		CLEANUP(free_p) char *line = xfmt("%s: %s", object, member_text(problem, "text"));

		for (char *c = line; *c; c++)
			if ((unsigned char)*c < 0x20 || *c == 0x7f)
				*c = '?';
		text_add(ret, "%s  %s\n", first ? "\nproblems:\n" : "", line);
		first = false;
	}
}

static void count(struct text *ret, size_t n, const char *one, const char *many)
{
	text_add(ret, "%zu %s", n, n == 1 ? one : many);
}

static void add_summary(const json_t *answer, const struct totals *totals, struct text *ret)
{
	char age[SPAN_TEXT];

	text_add(ret, "\n");
	count(ret, totals->vs, "virtual server, ", "virtual servers, ");
	count(ret, totals->rs, "real server, ", "real servers, ");
	text_add(ret, "%zu draining", totals->draining);
	if (*seconds_format(json_object_get(answer, "auditAgeSeconds"), age))
		text_add(ret, "; compared with the kernel %s ago", age);
	text_add(ret, "\n");
}

static bool draw(const json_t *answer, const char *service, bool bare, struct text *ret)
{
	struct table table = { columns, ARRAY_SIZE(columns), { 0 } };
	struct totals totals = { 0 };
	const json_t *servers = json_object_get(answer, "virtualServers"), *vs;
	size_t i, n = json_array_size(servers);
	CLEANUP(free_p) struct sorted *sorted = xzalloc(sizeof(*sorted) * n);

	json_array_foreach(servers, i, vs)
		sorted[i] = (struct sorted){ vs, i };
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_service);
	for (i = 0; i < n; i++)
		if (!service || strcmp(member_text(sorted[i].vs, "service"), service) == 0)
			add_vs(&table, answer, sorted[i].vs, &totals);
	if (totals.vs)
		table_format(&table, !bare, ret);
	else if (!bare)
		text_add(ret, "no virtual servers\n");
	table_fini(&table);
	if (!bare)
		add_notes(answer, service, ret);
	if (totals.vs && !bare)
		add_summary(answer, &totals, ret);
	return !service || totals.vs;
}

static void filter(json_t *answer, const char *service)
{
	keep_service(json_object_get(answer, "virtualServers"), service);
	keep_service(json_object_get(answer, "drains"), service);
}

static int run(void *target, const char *const *args, size_t n)
{
	static const struct screen screen = { "status", STATUS_PATH, draw, filter };

	return screen_run(&screen, target, args, n);
}

const struct command command_status = {
	.name = "status",
	.args = "[NAMESPACE/NAME]",
	.max_args = 1,
	.brief = "virtual servers, real servers, weights, connections, drains",
	.text = "Shows the virtual servers that sluice keeps in this node's kernel, each with its real servers, in the habit of\n"
		"ipvsadm: weight, active and inactive connections as the kernel counted them last. With NAMESPACE/NAME only those\n"
		"of that Service.",
	.options = { screen_rows, SCREEN_ROWS, 0 },
	.size = sizeof(struct screen_options),
	.run = run,
};
