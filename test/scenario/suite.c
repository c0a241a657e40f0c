/* Finds the scenarios of a command line. */
#include "scenario/suite.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool read_one(struct suite *suite, const char *path)
{
	struct err err;

	if (script_read(path, vec_push(&suite->scripts), &err) == 0)
		return true;
	suite->scripts.n--;
	(void)fprintf(stderr, "%s\n", err.text);
	return false;
}

static bool read_folder(struct suite *suite, const char *path)
{
	CLEANUP(free_p) char *pattern = xfmt("%s/*.sc", path);
	glob_t found;
	bool ok = glob(pattern, 0, NULL, &found) == 0;

	if (!ok)
		(void)fprintf(stderr, "%s: no scenario there\n", pattern);
	for (size_t i = 0; ok && i < found.gl_pathc; i++)
		ok = read_one(suite, found.gl_pathv[i]);
	globfree(&found);
	return ok;
}

bool suite_read(struct suite *suite, int argc, char **argv)
{
	struct stat st;
	bool ok = argc > 1;

	suite->tmp_dir = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	for (int i = 1; i < argc && ok; i++)
		ok = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode) ? read_folder(suite, argv[i]) : read_one(suite, argv[i]);
	return ok && suite->scripts.n > 0;
}

void suite_fini(struct suite *suite)
{
	for (size_t i = 0; i < suite->scripts.n; i++)
		script_fini(&suite->scripts.v[i]);
	free(suite->scripts.v);
}
