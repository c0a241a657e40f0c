/* A file that changes twice: its first half, all of it, its first half again. */
#include "fuzz.h"

#include "source/manifest_text.h"

#include <assert.h>
#include <string.h>

static void on_report(void *ctx, enum log_level level, const char *line)
{
	assert(strncmp(line, "m/x.yaml", 8) == 0);
}

static void load(struct manifest_file *file, const uint8_t *data, size_t n)
{
	struct source_sink sink = { .report = on_report };
	size_t before = HASH_COUNT(file->defs);

	manifest_text_load(file, "m/x.yaml", (const char *)data, n, false, &sink);
	if (file->bad)
		assert(HASH_COUNT(file->defs) == before);
	for (struct manifest_def *def = file->defs; def; def = def->hh.next)
		assert(def->refs == 1 && (def->value.service || def->value.slice));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct manifest_file *file = manifest_file_new("x.yaml");

	load(file, data, n / 2);
	load(file, data, n);
	load(file, data, n / 2);
	manifest_file_free(file);
	return 0;
}
