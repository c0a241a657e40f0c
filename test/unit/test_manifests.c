#include "test/unit/manifest_world.h"

static void all_manifests_below_are_read(void **state)
{
	struct world *w = *state;

	put(w, "a.yaml", SVC("a", "10.0.0.1") "---\n" SLICE("a-1", EP("10.1.0.1") EP("10.1.0.2")) "---\n# nothing\n---\n" SVC("b", "10.0.0.2"));
	put(w, "c.yml", SVC("c", "10.0.0.3"));
	put(w, "d.json", "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"d\"},"
			 "\"spec\":{\"clusterIP\":\"10.0.0.4\",\"ports\":[{\"port\":80}]}}");
	put(w, "e.txt", SVC("e", "10.0.0.5"));
	put(w, "yaml", SVC("e", "10.0.0.5"));
	put(w, ".f.yaml", SVC("f", "10.0.0.6"));
	folder(w, ".g");
	put(w, ".g/g.yaml", SVC("g", "10.0.0.7"));
	folder(w, "sub.yaml");
	folder(w, "sub.yaml/deep");
	put(w, "sub.yaml/deep/h.yaml", SVC("h", "10.0.0.8"));
	put(w, "other.yaml", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}}");
	once(w);
	assert_true(shows(w, "a=10.0.0.1 a-1/2 b=10.0.0.2 c=10.0.0.3 d=10.0.0.4 h=10.0.0.8 "));
	assert_int_equal(w->n_bursts, 1);
	assert_int_equal(w->n_synced, 1);
	assert_int_equal(w->partial, false);
	assert_true(said(w, "debug "));
	assert_true(said(w, "other.yaml: Deployment skipped: another kind\n"));
	assert_false(said(w, "warn"));
}

static void lists_are_taken_apart(void **state)
{
	struct world *w = *state;

	put(w, "list.yaml", "apiVersion: v1\nkind: List\nitems:\n- " SVC("a", "10.0.0.1") "- " SLICE("a-1", EP("10.1.0.1"))
			    "- {apiVersion: v1, kind: List, items: [" SVC("b", "10.0.0.2") "]}\n");
	put(w, "services.yaml", "apiVersion: v1\nkind: ServiceList\nitems:\n"
				"- {metadata: {name: c}, spec: {clusterIP: 10.0.0.3, ports: [{port: 80}]}}\n"
				"- &d {metadata: {name: d}, spec: {clusterIP: 10.0.0.4, ports: [{port: 80}]}}\n");
	put(w, "slices.yaml", "apiVersion: discovery.k8s.io/v1\nkind: EndpointSliceList\nitems:\n"
			      "- {metadata: {name: c-1, labels: {kubernetes.io/service-name: c}}, addressType: IPv4}\n");
	put(w, "empty.yaml", "apiVersion: v1\nkind: List\nitems: []\n---\napiVersion: v1\nkind: List\n");
	put(w, "others.yaml", "apiVersion: apps/v1\nkind: DeploymentList\nitems: [{}]\n");
	once(w);
	assert_true(shows(w, "a=10.0.0.1 a-1/1 b=10.0.0.2 c=10.0.0.3 c-1/0 d=10.0.0.4 "));
	assert_int_equal(w->partial, false);
	assert_false(said(w, "warn"));
}

#define LIST "{apiVersion: v1, kind: List, items: ["
#define ENDS "]}]}]}"

static void bad_lists_are_reported(void **state)
{
	struct world *w = *state;

	put(w, "a.yaml", "apiVersion: v1\nkind: List\nitems:\n- {metadata: {name: a}}\n- " BAD_SVC("b") "- " SVC("c", "10.0.0.3"));
	put(w, "d.yaml", "apiVersion: v1\nkind: List\nitems: 5\n");
	put(w, "e.yaml", LIST LIST LIST LIST LIST LIST LIST LIST LIST ENDS ENDS ENDS);
	once(w);
	assert_true(shows(w, "c=10.0.0.3 "));
	assert_true(said(w, "e.yaml:1:"));
	assert_true(said(w, "List: items are lists within lists, too many\n"));
	assert_true(said(w, "a.yaml:4:3: object: kind is missing\n"));
	assert_true(said(w, "a.yaml:5:99: Service default/b: spec.ports[0].port must be a whole number from 1 to 65535, is 70000\n"));
	assert_true(said(w, "d.yaml:3:8: List: items must be a list\n"));
	assert_int_equal(w->partial, true);
}

static void problems_say_where_and_what(void **state)
{
	struct world *w = *state;

	put(w, "a.yaml", "a: 1\nb: [1\n");
	put(w, "b.yaml", "# x\n---\n" SVC("b", "10.0.0.2") "---\n" BAD_SVC("c"));
	put(w, "d.json", "{\"apiVersion\": \"v1\",}");
	put(w, "e.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: e}\nspec:\n  ports: [{port: 80}]\n");
	put(w, "f.yaml", SVC("f", "10.0.0.6") "---\n" SVC("f", "10.0.0.7"));
	once(w);
	assert_true(shows(w, "b=10.0.0.2 f=10.0.0.6 "));
	assert_true(said(w, "/m/a.yaml:3:1: did not find expected ',' or ']' while parsing a flow sequence\n"));
	assert_true(said(w, "/m/b.yaml:5:97: Service default/c: spec.ports[0].port must be a whole number from 1 to 65535, is 70000\n"));
	assert_true(said(w, "/m/d.json:1:21: "));
	assert_true(said(w, "warn "));
	assert_true(said(w, "/m/e.yaml:5:3: Service default/e skipped: it has no clusterIP"));
	assert_true(said(w, "/m/f.yaml:3:50: Service default/f is defined before in this file; the first one counts\n"));
	assert_int_equal(w->n_synced, 1);
	assert_int_equal(w->partial, true);
}

static void the_directory_must_be_there(void **state)
{
	struct world *w = *state;
	struct source_sink sink = world_sink(w);
	CLEANUP(free_p) char *file = at(w, "a.yaml"), *none = at(w, "none");
	struct err err = { 0 };

	put(w, "a.yaml", "");
	assert_int_equal(manifests_read_once(none, &sink, &err), -ENOENT);
	assert_non_null(strstr(err.text, "none: No such file or directory"));
	assert_int_equal(manifests_read_once(file, &sink, &err), -ENOTDIR);
	assert_int_equal(w->n_synced, 0);
}

static void only_regular_files_are_read(void **state)
{
	struct world *w = *state;
	CLEANUP(free_p) char *fifo = at(w, "fifo.yaml");

	assert_int_equal(mkfifo(fifo, 0644), 0);
	ln(w, "/dev/zero", "zero.yaml");
	ln(w, "fifo.yaml", "link.yaml");
	put(w, "a.yaml", SVC("a", "10.0.0.1"));
	once(w);
	assert_true(shows(w, "a=10.0.0.1 "));
	assert_int_equal(w->partial, false);
	assert_int_equal(w->reports.n, 0);
}

static void huge_files_are_refused_unread(void **state)
{
	struct world *w = *state;
	CLEANUP(free_p) char *path = at(w, "huge.yaml");

	put(w, "huge.yaml", "x");
	assert_int_equal(truncate(path, 100ll << 30), 0); /* nobody could read that within the test's time */
	once(w);
	assert_true(said(w, "/m/huge.yaml: has 107374182400 bytes, more than 16777216\n"));
	assert_int_equal(w->partial, true);
}

static void links_are_followed_but_not_in_circles(void **state)
{
	struct world *w = *state;

	folder(w, "sub");
	put(w, "sub/a.yaml", SVC("a", "10.0.0.1"));
	put(w, "../outside.yaml", SVC("b", "10.0.0.2"));
	folder(w, "../out");
	put(w, "../out/c.yaml", SVC("c", "10.0.0.3"));
	ln(w, "../../outside.yaml", "sub/b.yaml");
	ln(w, "..", "sub/up");
	ln(w, ".", "here");
	ln(w, "../out", "out");
	ln(w, "nowhere", "dangling");
	ln(w, "self", "self");
	once(w);
	assert_true(shows(w, "a=10.0.0.1 b=10.0.0.2 c=10.0.0.3 "));
	assert_int_equal(w->partial, false);
	assert_int_equal(w->reports.n, 0);

	ln(w, "nowhere.yaml", "dangling.yaml");
	once(w);
	assert_true(said(w, "/m/dangling.yaml: cannot be read: No such file or directory\n"));
	assert_int_equal(w->partial, true);
}

/* Two links at each of some levels: as many paths as two to the power of the levels. */
static void links_that_multiply_are_limited(void **state)
{
	struct source_sink sink = world_sink(*state);
	struct world *w = *state;
	struct err err = { 0 };

	for (int i = 0; i < 20; i++) {
		CLEANUP(free_p) char *sub = xfmt("../d%d", i), *a = xfmt("../d%d/a", i), *b = xfmt("../d%d/b", i);
		CLEANUP(free_p) char *target = xfmt("../d%d", i + 1);

		folder(w, sub);
		ln(w, target, a);
		ln(w, target, b);
	}
	ln(w, "../d0", "d");
	assert_int_equal(manifests_read_once(w->dir, &sink, &err), -E2BIG);
	assert_non_null(strstr(err.text, "/m: more than 200000 files and folders below it"));
	assert_int_equal(w->n_synced, 0);
}

static void folders_are_entered_up_to_a_depth(void **state)
{
	CLEANUP(text_fini) struct text path = { 0 };
	struct world *w = *state;

	text_add(&path, "d");
	for (int i = 0; i < 70; i++) {
		folder(w, path.s);
		text_add(&path, "/d");
	}
	text_add(&path, ".yaml");
	put(w, path.s, SVC("a", "10.0.0.1"));
	put(w, "b.yaml", SVC("b", "10.0.0.2"));
	once(w);
	assert_true(shows(w, "b=10.0.0.2 "));
	assert_true(said(w, "/d: cannot be read: File name too long"));
	assert_int_equal(w->partial, true);
}

static void reports_of_one_file_are_limited(void **state)
{
	CLEANUP(text_fini) struct text yaml = { 0 };
	struct world *w = *state;

	for (int i = 0; i < 50; i++)
		text_add(&yaml, "---\n{apiVersion: v1, kind: Service, metadata: {name: x%d}, spec: 5}\n", i);
	put(w, "a.yaml", yaml.s);
	once(w);
	assert_int_equal(times_said(w, "spec must be a mapping"), 20);
	assert_true(said(w, "/m/a.yaml: 30 more objects cannot be used\n"));
}

static void a_bad_file_keeps_what_it_defined(void **state)
{
	struct world *w = *state;

	put(w, "a.yaml", SVC("a", "10.0.0.1") "---\n" SVC("b", "10.0.0.2"));
	put(w, "c.yaml", SVC("c", "10.0.0.3"));
	start(w);
	await(w, "a=10.0.0.1 b=10.0.0.2 c=10.0.0.3 ");
	put(w, "a.yaml", SVC("a", "10.0.0.7") "---\n{apiVersion: v1, ki"); /* half written */
	put(w, "c.yaml", SVC("c", "10.0.0.4"));
	await(w, "a=10.0.0.1 b=10.0.0.2 c=10.0.0.4 "); /* as a whole */
	await_said(w, "/m/a.yaml:4:1: ");
	assert_true(said(w, "; what it defined before stays in force\n"));
	assert_int_equal(times_said(w, "a.yaml:"), 1);
	w->source->v->rescan(w->source); /* the same content is not reported again */
	(void)run_until(w, never, NULL, 100);
	assert_int_equal(times_said(w, "a.yaml:"), 1);
	put(w, "a.yaml", SVC("a", "10.0.0.7") "---\n{apiVersion: v1, kin");
	(void)run_until(w, never, NULL, 200);
	assert_int_equal(times_said(w, "a.yaml:"), 2); /* another one is */
	put(w, "a.yaml", SVC("a", "10.0.0.7"));
	await(w, "a=10.0.0.7 c=10.0.0.4 ");
	assert_true(said(w, "/m/a.yaml can be read again\n"));
	assert_int_equal(w->n_synced, 1);
	assert_int_equal(w->partial, false);
}

static void a_bad_object_keeps_what_it_was(void **state)
{
	struct world *w = *state;

	put(w, "a.yaml", SVC("a", "10.0.0.1") "---\n" SVC("b", "10.0.0.2") "---\n" SVC("c", "10.0.0.3"));
	start(w);
	await(w, "a=10.0.0.1 b=10.0.0.2 c=10.0.0.3 ");
	put(w, "a.yaml", BAD_SVC("a") "---\n" SVC("b", "10.0.0.4") "---\n" BAD_SVC("new"));
	await(w, "a=10.0.0.1 b=10.0.0.4 "); /* c is gone, that is plain */
	assert_true(said(w, "is 70000; its earlier version stays in force\n"));
	assert_true(said(w, "Service default/new: spec.ports[0].port must be a whole number from 1 to 65535, is 70000\n"));
	put(w, "a.yaml", BAD_SVC("a") "---\n" SVC("b", "10.0.0.5")); /* still */
	await(w, "a=10.0.0.1 b=10.0.0.5 ");
	put(w, "a.yaml", NAMELESS "---\n" SVC("a", "10.0.0.6")); /* which one is it? nothing can be taken for gone */
	await(w, "a=10.0.0.6 b=10.0.0.5 ");
	put(w, "a.yaml", SVC("a", "10.0.0.6"));
	await(w, "a=10.0.0.6 ");
	put(w, "a.yaml", "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {clusterIP: None}}"); /* said plainly: not ours */
	await(w, "");
	assert_int_equal(w->n_synced, 1);
}

static void a_first_list_with_gaps_is_partial(void **state)
{
	struct world *w = *state;

	put(w, "a.yaml", SVC("a", "10.0.0.1") "---\n" BAD_SVC("b"));
	put(w, "c.yaml", "[");
	start(w);
	assert_true(shows(w, "a=10.0.0.1 "));
	assert_int_equal(w->partial, true);
	put(w, "a.yaml", SVC("a", "10.0.0.2") "---\n" SVC("b", "10.0.0.3"));
	await(w, "a=10.0.0.2 b=10.0.0.3 ");
	assert_int_equal(w->n_synced, 1); /* c is still missing */
	put(w, "c.yaml", SVC("c", "10.0.0.4"));
	await(w, "a=10.0.0.2 b=10.0.0.3 c=10.0.0.4 ");
	assert_int_equal(w->n_synced, 2);
	assert_int_equal(w->partial, false);
	put(w, "d.yaml", "["); /* after the first lists a gap is only reported */
	await_said(w, "d.yaml:");
	put(w, "d.yaml", "");
	(void)run_until(w, never, NULL, 100);
	assert_int_equal(w->n_synced, 2);
}

static void a_bad_file_that_goes_ends_the_gap(void **state)
{
	struct world *w = *state;

	put(w, "c.yaml", NAMELESS);
	start(w);
	assert_int_equal(w->partial, true);
	del(w, "c.yaml");
	put(w, "a.yaml", SVC("a", "10.0.0.1"));
	await(w, "a=10.0.0.1 ");
	assert_int_equal(w->n_synced, 2);
	assert_int_equal(w->partial, false);
}

static void the_first_by_path_has_an_object(void **state)
{
	struct world *w = *state;

	folder(w, "a");
	put(w, "a/z.yaml", SVC("x", "10.0.0.3")); /* '.' sorts before '/' */
	put(w, "a.yaml", SVC("x", "10.0.0.1"));
	put(w, "b.yaml", SVC("x", "10.0.0.2"));
	start(w);
	await(w, "x=10.0.0.1 ");
	assert_int_equal(w->n_changes, 1);
	assert_int_equal(times_said(w, "is defined in"), 2);
	assert_true(said(w, "/m/b.yaml: Service default/x is defined in "));
	assert_true(said(w, "/m/a.yaml too, which counts because its name sorts first\n"));
	put(w, "b.yaml", SVC("x", "10.0.0.4") "---\n" SVC("y", "10.0.0.5"));
	await(w, "x=10.0.0.1 y=10.0.0.5 ");
	assert_int_equal(times_said(w, "is defined in"), 2); /* once */
	del(w, "a.yaml");
	await(w, "x=10.0.0.3 y=10.0.0.5 ");
	del(w, "a/z.yaml");
	await(w, "x=10.0.0.4 y=10.0.0.5 ");
	put(w, "a.yaml", SVC("x", "10.0.0.4")); /* takes it over, and nothing changes */
	(void)run_until(w, never, NULL, 200);
	assert_int_equal(times_said(w, "is defined in"), 4);
	assert_int_equal(w->n_changes, 4);
	put(w, "b.yaml", "");
	await(w, "x=10.0.0.4 ");
}

static void unreadable_files_and_folders_keep_what_they_defined(void **state)
{
	struct world *w = *state;
	CLEANUP(free_p) char *file = at(w, "a.yaml"), *sub = at(w, "sub");

	be_nobody(w);
	folder(w, "sub");
	put(w, "a.yaml", SVC("a", "10.0.0.1"));
	put(w, "sub/b.yaml", SVC("b", "10.0.0.2"));
	start(w);
	await(w, "a=10.0.0.1 b=10.0.0.2 ");
	assert_int_equal(chmod(file, 0), 0);
	await_said(w, "/m/a.yaml: cannot be read: Permission denied; what it defined before stays in force\n");
	assert_int_equal(chmod(sub, 0), 0);
	await_said(w, "/m/sub: cannot be read: Permission denied; what its files defined before stays in force\n");
	w->source->v->rescan(w->source);
	(void)run_until(w, never, NULL, 100);
	assert_int_equal(times_said(w, "Permission denied"), 2); /* each once */
	assert_true(shows(w, "a=10.0.0.1 b=10.0.0.2 "));
	assert_int_equal(chmod(file, 0644), 0);
	assert_int_equal(chmod(sub, 0755), 0);
	put(w, "a.yaml", "");
	put(w, "sub/b.yaml", "");
	await(w, "");
	assert_int_equal(w->partial, false);
}

static void an_unreadable_folder_is_a_gap(void **state)
{
	struct world *w = *state;
	CLEANUP(free_p) char *sub = at(w, "sub");

	be_nobody(w);
	folder(w, "sub");
	put(w, "sub/b.yaml", SVC("b", "10.0.0.2"));
	assert_int_equal(chmod(sub, 0), 0);
	start(w);
	assert_int_equal(w->partial, true);
	assert_int_equal(chmod(sub, 0755), 0);
	await(w, "b=10.0.0.2 ");
	assert_int_equal(w->n_synced, 2);
	assert_int_equal(w->partial, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(all_manifests_below_are_read),
		world_test(lists_are_taken_apart),
		world_test(bad_lists_are_reported),
		world_test(problems_say_where_and_what),
		world_test(the_directory_must_be_there),
		world_test(only_regular_files_are_read),
		world_test(huge_files_are_refused_unread),
		world_test(links_are_followed_but_not_in_circles),
		world_test(links_that_multiply_are_limited),
		world_test(folders_are_entered_up_to_a_depth),
		world_test(reports_of_one_file_are_limited),
		world_test(a_bad_file_keeps_what_it_defined),
		world_test(a_bad_object_keeps_what_it_was),
		world_test(a_first_list_with_gaps_is_partial),
		world_test(a_bad_file_that_goes_ends_the_gap),
		world_test(the_first_by_path_has_an_object),
		cmocka_unit_test_setup_teardown(unreadable_files_and_folders_keep_what_they_defined, world_setup, be_root_again),
		cmocka_unit_test_setup_teardown(an_unreadable_folder_is_a_gap, world_setup, be_root_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
