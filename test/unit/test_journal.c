#include "daemon/journal.h"
#include "base/hash.h"
#include "base/text.h"
#include "test/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char *dir;

static int setup(void **state)
{
	(void)state;
	dir = xstrdup("/tmp/sluice-journal.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	static const char *const names[] = { "journal", "journal.new", "lock", "a/b/journal", "a/b/lock" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		CLEANUP(free_p) char *path = xfmt("%s/%s", dir, names[i]);

		(void)unlink(path);
	}
	(void)rmdir(dir);
	free(dir);
	return 0;
}

static struct journal *opened(const char **ret_warning)
{
	static struct err warning;
	struct err err = { 0 };
	struct journal *j;

	if (journal_open(dir, &j, &warning, &err) < 0)
		fail_msg("%s", err.text);
	if (ret_warning)
		*ret_warning = warning.text;
	return j;
}

static void print(void *ctx, const struct journal_entry *e)
{
	char vs[VS_TEXT], rs[RS_TEXT];

	text_add(ctx, "%d %s %s %lld %lld %s;", (int)e->kind, e->vs.port ? vs_format(&e->vs, vs) : ip_format(&e->vs.ip, vs),
		 e->rs.port ? rs_format(&e->rs, rs) : "-", (long long)e->since.ms, (long long)e->until.ms, e->service);
}

static void expect(const struct journal *j, const char *text)
{
	struct text found = { 0 };

	journal_each(j, print, &found);
	assert_string_equal(text_str(&found), text);
	text_fini(&found);
}

static struct journal_entry vs_entry(const char *vs, const char *service)
{
	struct journal_entry e = { .kind = JOURNAL_VS, .vs = vs_of(vs), .since = MONO_NEVER, .until = MONO_NEVER };

	strcpy(e.service, service);
	return e;
}

static void written(struct journal *j)
{
	struct err err = { 0 };

	if (journal_write(j, &err) < 0)
		fail_msg("%s", err.text);
}

static void remembers_over_a_restart(void **state)
{
	struct journal *j = opened(NULL);
	struct journal_entry vs = vs_entry("10.96.0.10:80/tcp", "default/web"), other = vs_entry("[fd00::1]:53/udp", "");
	struct journal_entry drain = { .kind = JOURNAL_DRAIN, .vs = vs.vs, .rs = rs_of("10.1.0.5:8080"), .since = { 123 }, .until = MONO_NEVER };
	struct journal_entry addr = { .kind = JOURNAL_ADDR, .vs.ip = vs.vs.ip, .since = MONO_NEVER, .until = MONO_NEVER };

	(void)state;
	assert_false(journal_existed(j));
	assert_true(journal_adopting(j));
	journal_put(j, &vs);
	journal_put(j, &other);
	journal_put(j, &drain);
	journal_put(j, &addr);
	journal_drop(j, &other);
	journal_adopted(j);
	written(j);
	journal_close(j);
	j = opened(NULL);
	assert_true(journal_existed(j));
	assert_false(journal_adopting(j));
	expect(j, "0 10.96.0.10:80/tcp - -1 -1 default/web;2 10.96.0.10:80/tcp 10.1.0.5:8080 123 -1 ;1 10.96.0.10 - -1 -1 ;");
	journal_close(j);
}

static void what_was_not_written_is_not_remembered(void **state)
{
	struct journal *j = opened(NULL);
	struct journal_entry vs = vs_entry("10.96.0.10:80/tcp", "default/web");

	(void)state;
	journal_put(j, &vs);
	journal_close(j);
	j = opened(NULL);
	expect(j, "");
	journal_close(j);
}

static void one_instance_by_the_lock(void **state)
{
	struct journal *j = opened(NULL), *second;
	struct err warning, err = { 0 };

	(void)state;
	assert_int_equal(journal_open(dir, &second, &warning, &err), -EBUSY);
	assert_non_null(strstr(err.text, "another sluice is running"));
	journal_close(j);
}

static void append(const char *bytes, size_t n)
{
	CLEANUP(free_p) char *path = xfmt("%s/journal", dir);
	CLEANUP(close_p) int fd = open(path, O_WRONLY | O_APPEND);

	assert_int_equal(write(fd, bytes, n), n);
}

static void fill(void)
{
	struct journal *j = opened(NULL);
	struct journal_entry vs = vs_entry("10.96.0.10:80/tcp", "default/web");

	journal_put(j, &vs);
	written(j);
	journal_close(j);
}

static void a_torn_last_line_is_left_out(void **state)
{
	const char *warning;
	struct journal *j;

	(void)state;
	fill();
	append("+vs 10.96.0.11:8", 16);
	j = opened(&warning);
	assert_string_equal(warning, "");
	expect(j, "0 10.96.0.10:80/tcp - -1 -1 default/web;");
	journal_close(j);
}

static void damage_means_none_with_a_warning(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} damages[] = { { "+vs 10.96.0.11:80/tcp - #00000000\n", 34 }, { "\n", 1 }, { "\0\0\n", 3 }, { "rubbish\n", 8 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		const char *warning;
		struct journal *j;

		fill();
		append(damages[i].bytes, damages[i].n);
		j = opened(&warning);
		assert_non_null(strstr(warning, "damaged"));
		assert_false(journal_existed(j));
		assert_true(journal_adopting(j));
		expect(j, "");
		journal_close(j);
	}
}

static void put(const char *text)
{
	CLEANUP(free_p) char *path = xfmt("%s/journal", dir);
	FILE *f = fopen(path, "w");

	assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void an_empty_file_is_damage(void **state)
{
	const char *warning;
	struct journal *j;

	(void)state;
	put("");
	j = opened(&warning);
	assert_non_null(strstr(warning, "damaged"));
	assert_false(journal_existed(j));
	journal_close(j);
}

/* Intact and of a system that ran before this one was started: the kernel has forgotten all that it names. */
static void another_boot_means_none(void **state)
{
	static const char header[] = "sluice-journal 1 boot=00000000-0000-4000-8000-000000000000 netns=1";
	uint64_t hash = hash_bytes(HASH_START, header, strlen(header));
	CLEANUP(free_p) char *text = xfmt("%s #%08x\n", header, (unsigned)(uint32_t)(hash ^ hash >> 32));
	const char *warning;
	struct journal *j;

	(void)state;
	put(text);
	j = opened(&warning);
	assert_string_equal(warning, "");
	assert_false(journal_existed(j));
	assert_true(journal_adopting(j));
	journal_close(j);
}

static void a_folder_in_its_place_is_moved_aside(void **state)
{
	CLEANUP(free_p) char *path = xfmt("%s/journal", dir), *aside = xfmt("%s/journal.not-ours", dir);
	const char *warning;
	struct journal *j;

	(void)state;
	assert_int_equal(mkdir(path, 0700), 0);
	j = opened(&warning);
	assert_non_null(strstr(warning, "damaged"));
	assert_false(journal_existed(j));
	journal_close(j);
	assert_int_equal(rmdir(aside), 0);
}

static void removed_under_us_it_is_written_anew(void **state)
{
	CLEANUP(free_p) char *path = xfmt("%s/journal", dir);
	struct journal_entry vs = vs_entry("10.96.0.10:80/tcp", "default/web"), more = vs_entry("10.96.0.11:80/tcp", "default/db");
	struct journal *j = opened(NULL);

	(void)state;
	journal_put(j, &vs);
	written(j);
	assert_int_equal(unlink(path), 0);
	journal_put(j, &more);
	written(j);
	journal_close(j);
	j = opened(NULL);
	expect(j, "0 10.96.0.10:80/tcp - -1 -1 default/web;0 10.96.0.11:80/tcp - -1 -1 default/db;");
	journal_close(j);
}

static void does_not_grow_with_churn(void **state)
{
	CLEANUP(free_p) char *path = xfmt("%s/journal", dir);
	struct journal *j = opened(NULL);
	struct journal_entry vs = vs_entry("10.96.0.10:80/tcp", "default/web");
	struct stat st;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		journal_put(j, &vs);
		journal_drop(j, &vs);
		written(j);
	}
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < 200000);
	journal_close(j);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(remembers_over_a_restart), T(what_was_not_written_is_not_remembered), T(one_instance_by_the_lock),
		T(a_torn_last_line_is_left_out), T(damage_means_none_with_a_warning), T(an_empty_file_is_damage), T(another_boot_means_none), T(a_folder_in_its_place_is_moved_aside),
		T(removed_under_us_it_is_written_anew), T(does_not_grow_with_churn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
