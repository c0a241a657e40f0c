/* Plays the scenarios named on the command line (files, or folders of *.sc): each once, as written. */
#include "scenario/play.h"
#include "scenario/suite.h"

#include <stdio.h>
#include <string.h>

static bool play_one(const struct script *script, const char *tmp_dir)
{
	struct play p;
	bool ok = play(&p, script, NULL, tmp_dir, NULL, NULL);

	if (!ok)
		(void)printf("FAIL %s\n%s", script->path, text_str(&p.failure));
	play_fini(&p);
	return ok;
}

int main(int argc, char **argv)
{
	struct suite suite = { 0 };
	size_t passed = 0;

	if (!suite_read(&suite, argc, argv))
		return 2;
	for (size_t i = 0; i < suite.scripts.n; i++)
		passed += play_one(&suite.scripts.v[i], suite.tmp_dir);
	(void)printf("%zu passed, %zu failed\n", passed, suite.scripts.n - passed);
	passed = suite.scripts.n - passed;
	suite_fini(&suite);
	return passed ? 1 : 0;
}
