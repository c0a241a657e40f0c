/* The text of a scenario: file → lines. */
#include "scenario/play.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void trim(char *line)
{
	char *start = line + strspn(line, " \t");

	line[strcspn(line, "#\n")] = 0;
	memmove(line, start, strlen(start) + 1);
	for (size_t n = strlen(line); n && strchr(" \t", line[n - 1]); n--)
		line[n - 1] = 0;
}

int script_read(const char *path, struct script *ret, struct err *err)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	int number = 0;

	*ret = (struct script){ 0 };
	if (!file)
		return err_set(err, -errno, "%s: %m", path);
	ret->path = xstrdup(path);
	while (getline(&line, &cap, file) >= 0) {
		number++;
		trim(line);
		if (!strncmp(line, "no-fault ", 9))
			ret->no_fault = xstrdup(line + 9);
		else if (*line)
			*vec_push(&ret->lines) = (struct script_line){ xstrdup(line), number };
	}
	free(line);
	(void)fclose(file);
	return 0;
}

void script_fini(struct script *script)
{
	for (size_t i = 0; i < script->lines.n; i++)
		free(script->lines.v[i].text);
	free(script->lines.v);
	free(script->no_fault);
	free(script->path);
}
