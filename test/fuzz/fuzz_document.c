/* Any bytes as YAML and as JSON; and the place of a path in them. */
#include "fuzz.h"

#include "decode/document.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void use(void *ctx, struct json_t *tree, unsigned index)
{
	char *dump = json_dumps(tree, JSON_ENCODE_ANY | JSON_COMPACT);

	if (!dump)
		abort(); /* a tree that is no JSON */
	free(dump);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const paths[] = { "", "spec.ports[1].port", "a[0][0]", "a.b", "[1]" };
	const char *text = (const char *)data;
	unsigned line, column;

	for (int is_json = 0; is_json < 2; is_json++) {
		struct document_error error = { 0 };

		if (document_parse(text, n, is_json, use, NULL, &error) < 0 && (!error.line || !error.column || !*error.reason))
			abort();
	}
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		document_locate(text, n, (unsigned)i % 2, paths[i], &line, &column);
		if (!line || !column)
			abort();
	}
	return 0;
}
