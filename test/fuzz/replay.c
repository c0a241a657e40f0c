/* Feeds each file of a corpus to one fuzz target, without libFuzzer: what was found once stays found. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void replay(const char *path)
{
	static uint8_t buf[1 << 20];
	FILE *f = fopen(path, "rb");
	uint8_t *exact;
	size_t n;

	if (!f) {
		perror(path);
		exit(1);
	}
	n = fread(buf, 1, sizeof(buf), f);
	(void)fclose(f);
	exact = malloc(n ? n : 1); /* of exactly this size, so that a sanitizer sees the first byte behind */
	if (!exact)
		abort();
	memcpy(exact, buf, n);
	(void)LLVMFuzzerTestOneInput(exact, n);
	free(exact);
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir;

	dir = argc == 2 ? opendir(argv[1]) : NULL;
	if (!dir) {
		(void)fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}
	while ((entry = readdir(dir))) {
		char path[4096];

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		replay(path);
		n++;
	}
	(void)closedir(dir);
	(void)printf("%u inputs\n", n);
	return n ? 0 : 1;
}
