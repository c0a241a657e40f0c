/* Plays each scenario again and again with one fault more: each operation fails in each way, the process ends before and
 * after each, a client comes just before each. Every run has to end with the kernel as without the fault, with nothing cut and
 * nothing exposed on the way. */
#include "scenario/play.h"
#include "scenario/suite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	struct play_fault fault;
} faults[] = {
	{ "EEXIST", { true, FAKE_FAIL, 0, -EEXIST, false } },
	{ "ENOENT", { true, FAKE_FAIL, 0, -ENOENT, false } },
	{ "ESRCH", { true, FAKE_FAIL, 0, -ESRCH, false } },
	{ "EADDRNOTAVAIL", { true, FAKE_FAIL, 0, -EADDRNOTAVAIL, false } },
	{ "ENOMEM", { true, FAKE_FAIL, 0, -ENOMEM, false } },
	{ "EBUSY", { true, FAKE_FAIL, 0, -EBUSY, false } },
	{ "EINVAL", { true, FAKE_FAIL, 0, -EINVAL, false } },
	{ "EPERM", { true, FAKE_FAIL, 0, -EPERM, false } },
	{ "silent", { true, FAKE_SILENT, 0, 0, false } },
	{ "silent-done", { true, FAKE_SILENT_DONE, 0, 0, false } },
	{ "silent-call", { true, FAKE_SILENT_CALL, 0, 0, false } },
	{ "die-before", { true, FAKE_DIE_BEFORE, 0, 0, false } },
	{ "die-after", { true, FAKE_DIE_AFTER, 0, 0, false } },
	{ "intruder", { true, FAKE_FAIL, 0, 0, true } },
};

struct tally {
	size_t passed, failed, shown;
};

#define SHOWN_MAX 40

static void tell(struct tally *tally, const struct script *script, const char *word, size_t n, const char *what)
{
	tally->failed++;
	if (tally->shown++ < SHOWN_MAX)
		(void)printf("FAIL %s with %s at operation %zu\n%s", script->path, word, n, what);
}

static void one(struct tally *tally, const struct script *script, size_t kind, size_t n, const char *end, const char *tmp_dir)
{
	struct play_fault fault = faults[kind].fault;
	CLEANUP(free_p) char *is = NULL;
	struct play p;

	fault.n = n;
	if (!play(&p, script, &fault, tmp_dir, &is, NULL)) {
		tell(tally, script, faults[kind].word, n, text_str(&p.failure));
	} else if (strcmp(is, end)) {
		CLEANUP(free_p) char *what = xfmt("  the kernel ends as\n%s  and without the fault as\n%s", is, end);

		tell(tally, script, faults[kind].word, n, what);
	} else {
		tally->passed++;
	}
	play_fini(&p);
}

static void all(struct tally *tally, const struct script *script, const char *tmp_dir, const char *only)
{
	CLEANUP(free_p) char *end = NULL;
	struct play p;
	size_t ops;
	bool ok;

	if (script->no_fault)
		return;
	ok = play(&p, script, NULL, tmp_dir, &end, &ops);
	play_fini(&p);
	if (!ok) {
		tell(tally, script, "nothing", 0, "  it fails as it is written\n");
		return;
	}
	for (size_t n = 1; n <= ops; n++)
		for (size_t kind = 0; kind < ARRAY_SIZE(faults); kind++)
			if (!only || !strcmp(only, faults[kind].word))
				one(tally, script, kind, n, end, tmp_dir);
}

int main(int argc, char **argv)
{
	struct suite suite = { 0 };
	struct tally tally = { 0 };
	const char *only = getenv("FAULT"); /* a word of the table: only this kind */

	if (!suite_read(&suite, argc, argv))
		return 2;
	for (size_t i = 0; i < suite.scripts.n; i++)
		all(&tally, &suite.scripts.v[i], suite.tmp_dir, only);
	suite_fini(&suite);
	(void)printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
	return tally.failed ? 1 : 0;
}
