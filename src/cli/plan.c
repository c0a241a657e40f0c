/* `sluice plan`: reads manifests and kernel, shows what `run` would do first, and changes nothing. */
#include "cli/commands.h"

#include "cli/plan_text.h"
#include "daemon/config.h"
#include "daemon/journal.h"
#include "kernel/kernel_linux.h"
#include "serve/status.h"
#include "source/manifests.h"

#include <jansson.h>
#include <string.h>

#define IPVS_FILE "/proc/net/ip_vs"

/* What the manifests gave. */
struct gathered {
	VEC(struct change) changes;
	bool partial;
};

static void on_changes(void *ctx, struct change *changes, size_t n)
{
	struct gathered *gathered = ctx;

	for (size_t i = 0; i < n; i++) {
		*vec_push(&gathered->changes) = changes[i];
		changes[i] = (struct change){ 0 };
	}
}

static void on_synced(void *ctx, bool partial)
{
	((struct gathered *)ctx)->partial = partial;
}

static void on_report(void *ctx, enum log_level level, const char *line)
{
	if (level <= LOG_WARN)
		say("%s", line);
}

static void gathered_fini(struct gathered *gathered)
{
	for (size_t i = 0; i < gathered->changes.n; i++)
		change_fini(&gathered->changes.v[i]);
	free(gathered->changes.v);
}

static int make(const struct config *config, struct gathered *gathered, struct planner_result *ret, struct err *err)
{
	struct kernel_options options = { .device = config->device, .read_only = true };
	CLEANUP(free_p) char *node = NULL;
	struct reconcile_options reconcile;
	struct journal *journal = NULL;
	struct kernel *kernel = NULL;
	int r;

	r = config_node(config, &node, err);
	if (r < 0)
		return r;
	reconcile = config_reconcile(config, node);
	r = kernel_linux_open(&options, &kernel, err);
	if (r == 0)
		r = journal_peek(config->run_dir, &journal, err);
	if (r == 0)
		r = config_check_device(config, journal, err);
	if (r == 0)
		r = planner_make(&reconcile, kernel, journal, gathered->changes.v, gathered->changes.n, gathered->partial, ret, err);
	journal_close(journal);
	if (kernel)
		kernel->v->free(kernel);
	return r;
}

static int print(const struct config *config, const struct planner_result *plan)
{
	struct text text = { 0 };
	int code;

	if (strcmp(config->output, "json") == 0) {
		json_t *json = plan_json(plan);
		char *dump = json_dumps(json, JSON_INDENT(2) | STATUS_DUMP);

		text_add(&text, "%s\n", dump);
		free(dump);
		json_decref(json);
	} else {
		plan_text(plan, &text);
	}
	for (size_t i = 0; i < plan->n_problems; i++)
		say("%s: %s", plan->problems[i].object, plan->problems[i].text);
	code = put(text_str(&text));
	text_fini(&text);
	return code;
}

/* A log line of the pass, which here is an answer to a person. */
static void on_log(void *ctx, enum log_level level, const char *line)
{
	if (level <= LOG_WARN)
		say("%s", line);
}

static int run(void *target, const char *const *args, size_t n)
{
	CLEANUP(config_fini_p) struct config *config = target;
	struct gathered gathered = { .partial = false };
	struct source_sink sink = { &gathered, on_changes, on_synced, on_report };
	struct planner_result plan = { 0 };
	struct err err = { "" };
	int code = EXIT_FAILED;

	if (config_check(config, CONFIG_PLAN, &err) < 0)
		return say_usage("plan", "%s", err.text);
	if (!config->manifests)
		return say_usage("plan", "a source of Services is missing: --manifests DIR");
	log_sink(on_log, NULL);
	if (access(IPVS_FILE, F_OK) < 0)
		say("this kernel has no IPVS loaded (" IPVS_FILE " is absent): planning against an empty table");
	if (manifests_read_once(config->manifests, &sink, &err) < 0) {
		say("%s", err.text);
		gathered_fini(&gathered);
		return EXIT_FAILED;
	}
	if (gathered.partial)
		say("part of the manifests could not be read: nothing would be taken out of the kernel");
	if (make(config, &gathered, &plan, &err) < 0)
		say("%s", err.text);
	else
		code = print(config, &plan);
	planner_result_fini(&plan);
	gathered_fini(&gathered);
	return code;
}

const struct command command_plan = {
	.name = "plan",
	.brief = "what `run` would change in the kernel first; changes nothing",
	.text = "Reads the manifests and this node's kernel and shows each operation that `sluice run` would do now, in order, and the\n"
		"live connections that it touches. Changes nothing and needs no running sluice. Needs root to read IPVS.",
	.options = { config_rows, CONFIG_ROWS, CONFIG_PLAN },
	.size = sizeof(struct config),
	.run = run,
};
