#include "test/unit/unit.h"

#include "daemon/config.h"
#include "daemon/reconcile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ARGS_MAX 8

/* The options of a command line, apart by single blanks, through config_check(). */
static int configure(const char *line, enum config_command command, struct config *ret, struct err *err)
{
	static char copy[512];
	const struct options options = { config_rows, CONFIG_ROWS, command };
	char *argv[ARGS_MAX + 1] = { (char *)"command" }, *rest = strcpy(copy, line);
	const char *args[ARGS_MAX + 1];
	size_t n_args;
	bool help;
	int r, argc = 1;

	for (char *word; (word = strsep(&rest, " ")) != NULL && *line;) {
		assert_true(argc < ARGS_MAX);
		argv[argc++] = word;
	}
	*ret = (struct config){ 0 };
	r = options_parse(&options, ret, argc, argv, args, &n_args, &help, err);
	return r < 0 ? r : config_check(ret, command, err);
}

static void without_options(void **state)
{
	CLEANUP(config_fini) struct config config;

	assert_int_equal(configure("", CONFIG_RUN, &config, NULL), 0);
	assert_null(config.manifests);
	assert_null(config.hostname_override);
	assert_string_equal(config.run_dir, "/run/sluice");
	assert_string_equal(config.sched, "rr");
	assert_string_equal(config.device, "kube-ipvs0");
	assert_int_equal(config.sync_period_ms, 30000);
	assert_int_equal(config.verbosity, 0);
	assert_false(config.strict_arp);
}

/* Flags that a kube-proxy was given with an empty value mean what they mean there. */
static void an_empty_value_is_none(void **state)
{
	CLEANUP(config_fini) struct config config;

	assert_int_equal(configure("--ipvs-scheduler= --hostname-override= --manifests= --ipvs-device= --run-dir=", CONFIG_RUN, &config,
				   NULL), 0);
	assert_null(config.manifests);
	assert_null(config.hostname_override);
	assert_string_equal(config.sched, "rr");
	assert_string_equal(config.device, "kube-ipvs0");
	assert_string_equal(config.run_dir, "/run/sluice");
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *line, *names;
	} cases[] = {
		{ "--ipvs-scheduler=sixteen-letters-", "--ipvs-scheduler" },
		{ "--ipvs-scheduler=r/r", "--ipvs-scheduler" },
		{ "--ipvs-device=sixteen-letters-", "--ipvs-device" },
		{ "--ipvs-device=a/b", "--ipvs-device" },
		{ "--ipvs-device=..", "--ipvs-device" },
		{ "--run-dir=/run/0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456",
		  "--run-dir" },
		{ "--ipvs-sync-period=0", "--ipvs-sync-period" },
		{ "--ipvs-sync-period=99ms", "--ipvs-sync-period" },
		{ "--ipvs-sync-period=25h", "--ipvs-sync-period" },
		{ "-v 11", "-v" },
		{ "--ipvs-exclude-cidrs=10.0.0.0/8,nonsense", "--ipvs-exclude-cidrs" },
	};
	struct config config;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { "" };
		int r = configure(cases[i].line, CONFIG_RUN, &config, &err);

		if (r != -EINVAL || !strstr(err.text, cases[i].names))
			fail_msg("\"%s\": %d \"%s\"", cases[i].line, r, err.text);
		config_fini(&config);
	}
	assert_int_equal(configure("--ipvs-sync-period=100ms -v 10 --ipvs-device=fifteen-letters", CONFIG_RUN, &config, NULL), 0);
	config_fini(&config);
}

static void each_command_has_its_options(void **state)
{
	struct config config;

	assert_int_equal(configure("--manifests x --ipvs-scheduler lc -o json", CONFIG_PLAN, &config, NULL), 0);
	assert_string_equal(config.output, "json");
	assert_string_equal(config.sched, "lc");
	assert_int_equal(configure("-o json", CONFIG_RUN, &config, NULL), -EINVAL);
	assert_int_equal(configure("--ipvs-sync-period 5s", CONFIG_PLAN, &config, NULL), -EINVAL);
	assert_int_equal(configure("-v 5", CONFIG_PLAN, &config, NULL), -EINVAL);
}

static void the_node_is_named_in_lower_case(void **state)
{
	static const struct {
		const char *name, *node;
	} cases[] = { { "Node-1.Example", "node-1.example" }, { "  n1\n", "n1" }, { "n", "n" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct config config = { .hostname_override = cases[i].name };
		CLEANUP(free_p) char *node = NULL;

		assert_int_equal(config_node(&config, &node, NULL), 0);
		assert_string_equal(node, cases[i].node);
	}
}

static void a_blank_name_is_refused(void **state)
{
	struct config config = { .hostname_override = " \t" };
	struct err err = { "" };
	char *node = NULL;

	assert_int_equal(config_node(&config, &node, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--hostname-override"));
	assert_null(node);
}

/* The order of new real servers differs from node to node, but not from start to start. */
static void the_seed_is_of_the_node(void **state)
{
	CLEANUP(config_fini) struct config config;
	struct reconcile_options a, b, c;

	assert_int_equal(configure("--ipvs-sync-period 5s -v 5", CONFIG_RUN, &config, NULL), 0);
	a = config_reconcile(&config, "node-1");
	b = config_reconcile(&config, "node-2");
	c = config_reconcile(&config, "node-1");
	assert_true(a.seed == c.seed && a.seed != b.seed);
	assert_int_equal(a.sync_period_ms, 5000);
	assert_true(a.drain.tcp && !a.drain.sctp && !a.drain.udp);
	assert_int_equal(a.drain.limit_ms, LIMIT_NONE);
	assert_int_equal(a.drain.gone_limit_ms, 60000);
	assert_int_equal(a.address_linger_ms, 10000);
	assert_true(a.verbose);
	assert_string_equal(a.node, "node-1");
	config.verbosity = 4;
	assert_false(config_reconcile(&config, "node-1").verbose);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options),
		cmocka_unit_test(an_empty_value_is_none),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(each_command_has_its_options),
		cmocka_unit_test(the_node_is_named_in_lower_case),
		cmocka_unit_test(a_blank_name_is_refused),
		cmocka_unit_test(the_seed_is_of_the_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
