/* The text of one manifest file → JSON trees, one per document, by libyaml or jansson, with limits. */
#pragma once
#include "base/err.h"

struct json_t;

#define DOCUMENT_BYTES_MAX (16u << 20)
#define DOCUMENT_DEPTH_MAX 64
#define DOCUMENT_NODES_MAX 2000000 /* after aliases */

struct document_error {
	unsigned line, column; /* from 1 */
	char reason[256];
};

/* Calls each(ctx, tree, index) for each document that is not empty. tree is borrowed for the call. is_json: strict JSON, one
 * document or nothing but blanks. Errors (-EINVAL, -E2BIG) are found before the first call of each: all documents or none. */
MUST_CHECK int document_parse(const char *text, size_t n, bool is_json,
			      void (*each)(void *ctx, struct json_t *tree, unsigned index), void *ctx,
			      struct document_error *ret_error);

/* Where in the text a path ("spec.ports[0].port") of document index stands: the position of the deepest part that is
 * there. Works for YAML and JSON text; only for error messages. */
void document_locate(const char *text, size_t n, unsigned index, const char *path, unsigned *ret_line, unsigned *ret_column);
