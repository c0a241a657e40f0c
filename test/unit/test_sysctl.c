/* Sysctls: what is compared, written and told, on a tree of plain files. */
#include "kernel/sysctl.h"

#include "base/text.h"
#include "test/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const keys[] = {
	"net/ipv4/vs/conntrack",
	"net/ipv4/vs/expire_nodest_conn",
	"net/ipv4/vs/expire_quiescent_template",
	"net/ipv4/vs/conn_reuse_mode",
	"net/ipv4/ip_forward",
	"net/ipv4/conf/all/arp_ignore",
	"net/ipv4/conf/all/arp_announce",
};

struct world {
	char root[64];
	struct sysctl_note notes[16];
	size_t n;
	struct err err;
};

static void put(struct world *w, const char *key, const char *value)
{
	CLEANUP(free_p) char *path = xfmt("%s/%s", w->root, key);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(value, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect(struct world *w, const char *key, const char *value)
{
	CLEANUP(free_p) char *path = xfmt("%s/%s", w->root, key);
	char text[32] = "";
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	(void)fclose(f);
	text[strcspn(text, "\n")] = 0;
	assert_string_equal(text, value);
}

static int setup(void **state)
{
	static const char *const dirs[] = { "net", "net/ipv4", "net/ipv4/vs", "net/ipv4/conf", "net/ipv4/conf/all" };
	struct world *w = xzalloc(sizeof(*w));

	strcpy(w->root, "/tmp/sluice-sysctl-XXXXXX");
	assert_non_null(mkdtemp(w->root));
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		CLEANUP(free_p) char *path = xfmt("%s/%s", w->root, dirs[i]);

		assert_int_equal(mkdir(path, 0755), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		put(w, keys[i], strstr(keys[i], "reuse") ? "1\n" : "0\n");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	static const char *const dirs[] = { "net/ipv4/conf/all", "net/ipv4/conf", "net/ipv4/vs", "net/ipv4", "net", "" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		CLEANUP(free_p) char *path = xfmt("%s/%s", w->root, keys[i]);

		(void)unlink(path);
		(void)rmdir(path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		CLEANUP(free_p) char *path = xfmt("%s/%s", w->root, dirs[i]);

		assert_int_equal(rmdir(path), 0);
	}
	free(w);
	return 0;
}

static void note(void *ctx, const struct sysctl_note *n)
{
	struct world *w = ctx;

	assert_true(w->n < ARRAY_SIZE(w->notes));
	w->notes[w->n++] = *n;
}

static int run(struct world *w, bool strict_arp, bool read_only, const char *release)
{
	const struct sysctl_options options = { w->root, strict_arp, read_only, release };

	w->n = 0;
	return sysctl_apply(&options, note, w, &w->err);
}

static const struct sysctl_note *noted(const struct world *w, const char *key)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->notes[i].key, key) == 0)
			return &w->notes[i];
	return NULL;
}

static void writes_what_differs_once(void **state)
{
	struct world *w = *state;

	put(w, "net/ipv4/ip_forward", "1\n");
	assert_int_equal(run(w, false, false, "6.1.0-13-amd64"), 0);
	assert_int_equal(w->n, 3);
	assert_int_equal(noted(w, "net/ipv4/vs/conntrack")->code, 1);
	assert_string_equal(noted(w, "net/ipv4/vs/conntrack")->wanted, "1");
	assert_string_equal(noted(w, "net/ipv4/vs/conntrack")->found, "0");
	expect(w, "net/ipv4/vs/conntrack", "1");
	expect(w, "net/ipv4/vs/expire_nodest_conn", "1");
	expect(w, "net/ipv4/vs/expire_quiescent_template", "1");
	expect(w, "net/ipv4/conf/all/arp_ignore", "0");
	assert_int_equal(run(w, false, false, "6.1.0-13-amd64"), 0);
	assert_int_equal(w->n, 0);
}

static void strict_arp_on_request(void **state)
{
	struct world *w = *state;

	assert_int_equal(run(w, true, false, "6.1.0"), 0);
	expect(w, "net/ipv4/conf/all/arp_ignore", "1");
	expect(w, "net/ipv4/conf/all/arp_announce", "2");
}

static void reuse_mode_by_kernel(void **state)
{
	static const struct {
		const char *release, *before, *after;
	} cases[] = {
		{ "4.0.9", "1", "1" },   { "4.1.0", "1", "0" },     { "5.8.18-x", "1", "0" }, { "5.8.1", "0", "0" },
		{ "5.9.0", "0", "1" },   { "5.10.0-1", "1", "1" },  { "6.1.0", "2", "2" },    { "10.0.1", "0", "1" },
		{ "nonsense", "0", "0" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(w, "net/ipv4/vs/conn_reuse_mode", cases[i].before);
		assert_int_equal(run(w, false, false, cases[i].release), 0);
		expect(w, "net/ipv4/vs/conn_reuse_mode", cases[i].after);
	}
}

static void read_only_compares(void **state)
{
	struct world *w = *state;

	assert_int_equal(run(w, true, true, "6.1.0"), 0);
	assert_int_equal(w->n, 6);
	for (size_t i = 0; i < w->n; i++)
		assert_int_equal(w->notes[i].code, -EROFS);
	expect(w, "net/ipv4/vs/conntrack", "0");
}

static void missing_key_is_named_and_the_rest_goes_on(void **state)
{
	struct world *w = *state;
	CLEANUP(free_p) char *path = xfmt("%s/net/ipv4/vs/conntrack", w->root);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(run(w, false, false, "6.1.0"), -ENOENT);
	assert_string_equal(w->err.text, "sysctl net/ipv4/vs/conntrack: wanted 1, cannot be read: No such file or directory");
	expect(w, "net/ipv4/ip_forward", "1");
}

/* /dev/full refuses every write and reads as endless zeros: a tree that can't be written. */
static void unwritable_is_an_error_only_if_wrong(void **state)
{
	struct world *w = *state;
	CLEANUP(free_p) char *path = xfmt("%s/net/ipv4/ip_forward", w->root);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(run(w, false, false, "6.1.0"), -ENOSPC);
	assert_int_equal(unlink(path), 0);
	put(w, "net/ipv4/ip_forward", "1\n");
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(run(w, false, false, "6.1.0"), 0);
}

static void a_write_without_effect_is_an_error(void **state)
{
	struct world *w = *state;
	CLEANUP(free_p) char *path = xfmt("%s/net/ipv4/ip_forward", w->root);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0); /* takes everything, stays what it is */
	assert_int_equal(run(w, false, false, "6.1.0"), -EIO);
	assert_int_equal(noted(w, "net/ipv4/ip_forward")->code, -EIO);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writes_what_differs_once),
		TEST(strict_arp_on_request),
		TEST(reuse_mode_by_kernel),
		TEST(read_only_compares),
		TEST(missing_key_is_named_and_the_rest_goes_on),
		TEST(unwritable_is_an_error_only_if_wrong),
		TEST(a_write_without_effect_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
