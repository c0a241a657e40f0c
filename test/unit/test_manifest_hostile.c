/* A directory of manifests with one good file among what a bad tool, a full disk or a hostile hand leaves: the good one is served, each bad
 * one is one line (or few), and nothing is lost. */
#include "test/unit/manifest_world.h"

#define MANY 10000

static char *repeated(const char *part, size_t times)
{
	struct text text = { 0 };

	for (size_t i = 0; i < times; i++)
		text_add(&text, "%s", part);
	return text.s;
}

static void put_repeated(const struct world *w, const char *rel, const char *head, const char *part, size_t times, const char *tail)
{
	CLEANUP(free_p) char *middle = repeated(part, times), *all = xfmt("%s%s%s", head, middle, tail);

	put(w, rel, all);
}

#define HEAD "apiVersion: v1\nkind: Service\nmetadata: {name: "
#define SPEC "}\nspec: {clusterIP: 10.0.0.9, ports: [{port: 80}]}\n"

static void put_rubbish(const struct world *w)
{
	put(w, "half.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: half}\nspec: {clusterIP: 10.0.0.9, por");
	put(w, "half.json", "{\"apiVersion\": \"v1\", \"kind\": \"Serv");
	put_repeated(w, "brackets.yaml", "", "[", 100000, "");
	put_repeated(w, "brackets.json", "", "[", 100000, "");
	put_repeated(w, "braces.yaml", "", "{a: ", 100000, "");
	put_repeated(w, "dashes.yaml", "", "- ", 100000, "");
	put(w, "laughs.yaml", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
			      "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
			      "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n");
	put(w, "loop.yaml", "a: &a [*a]\n");
	put(w, "twice.yaml", HEAD "twice, name: again" SPEC);
	put(w, "twice.json", "{\"kind\": \"Service\", \"kind\": \"Secret\"}");
	write_bytes(w, "utf8.yaml", HEAD "\xff\xfe" SPEC, strlen(HEAD "\xff\xfe" SPEC));
	write_bytes(w, "nul.yaml", "a: b\0c\n", 7);
	put_repeated(w, "name.yaml", HEAD, "n", 5000, SPEC);
	put_repeated(w, "label.yaml", HEAD "label, labels: {a: ", "l", 100000, "}" SPEC);
	put_repeated(w, "annotation.yaml", HEAD "annotated, annotations: {sluice/drain-limit: ", "9", 100000, "h}" SPEC);
	put(w, "port.yaml", HEAD "port}\nspec: {clusterIP: 10.0.0.9, ports: [{port: 99999999999999999999}]}\n");
	put(w, "mixed.yaml", "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\n"
			     "metadata: {name: mixed, labels: {kubernetes.io/service-name: web}}\n"
			     "endpoints: [{addresses: [10.1.0.1]}, {addresses: ['fd00::1']}]\n");
	put(w, "families.yaml", HEAD "families}\nspec: {clusterIPs: [10.0.0.9, 10.0.0.8], ports: [{port: 80}]}\n");
}

static void among_rubbish_the_good_is_served(void **state)
{
	static const char *const bad[] = { "half.yaml:", "half.json:", "brackets.yaml:", "brackets.json:", "braces.yaml:", "dashes.yaml:", "laughs.yaml:",
					   "loop.yaml:", "twice.yaml:", "twice.json:", "utf8.yaml:", "nul.yaml:", "name.yaml:", "annotation.yaml:",
					   "port.yaml:", "mixed.yaml:", "families.yaml:" };
	struct world *w = *state;

	put(w, "good.yaml", SVC("good", "10.0.0.1"));
	put_rubbish(w);
	once(w);
	assert_true(shows(w, "annotated=10.0.0.9 good=10.0.0.1 label=10.0.0.9 "));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (times_said(w, bad[i]) != 1)
			fail_msg("%s is said %zu times:\n%s", bad[i], times_said(w, bad[i]), text_str(&w->reports));
	for (const char *line = text_str(&w->reports); *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 1, 600);
}

/* All of it comes while the good one is served: nothing that was told is taken back. */
static void rubbish_takes_nothing_away(void **state)
{
	struct world *w = *state;

	put(w, "good.yaml", SVC("good", "10.0.0.1"));
	put(w, "half.yaml", SVC("half", "10.0.0.2"));
	put(w, "utf8.yaml", SVC("utf", "10.0.0.3"));
	start(w);
	put_rubbish(w);
	await_said(w, "utf8.yaml:");
	await(w, "annotated=10.0.0.9 good=10.0.0.1 half=10.0.0.2 label=10.0.0.9 utf=10.0.0.3 ");
	assert_int_equal(w->n_gone, 0);
}

/* A file that is more than a manifest can be: refused by its size, whatever is in it. */
static void a_hundred_megabytes_are_refused(void **state)
{
	struct world *w = *state;
	CLEANUP(free_p) char *path = at(w, "big.yaml"), *part = xzalloc(1 << 20);
	CLEANUP(close_p) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	for (size_t i = 0; i < 1 << 20; i++)
		part[i] = (char)(i * 2654435761u >> 13);
	for (int i = 0; i < 100; i++)
		assert_int_equal(write(fd, part, 1 << 20), 1 << 20);
	put(w, "good.yaml", SVC("good", "10.0.0.1"));
	once(w);
	assert_true(shows(w, "good=10.0.0.1 "));
	assert_int_equal(times_said(w, "big.yaml"), 1);
	assert_int_equal(unlink(path), 0);
}

static void ten_thousand_tiny_files_are_read(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < MANY; i++) {
		CLEANUP(free_p) char *name = xfmt("%05d.yaml", i);

		put(w, name, i % 3 ? "" : i % 2 ? "{}" : "a: [");
	}
	put(w, "good.yaml", SVC("good", "10.0.0.1"));
	once(w);
	assert_true(shows(w, "good=10.0.0.1 "));
	assert_int_equal(w->n_bursts, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(among_rubbish_the_good_is_served),
		world_test(rubbish_takes_nothing_away),
		world_test(a_hundred_megabytes_are_refused),
		world_test(ten_thousand_tiny_files_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
