/* Chooses between YAML and JSON, sets the limits of both and hands the documents on. Knows nothing of Kubernetes. */
#include "decode/document.h"

#include "decode/document_error.h"
#include "decode/yaml_tree.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int document_fail(struct document_error *error, int code, size_t line, size_t column, const char *fmt, ...)
{
	va_list ap;

	error->line = (unsigned)line;
	error->column = (unsigned)column;
	va_start(ap, fmt);
	(void)vsnprintf(error->reason, sizeof(error->reason), fmt, ap);
	va_end(ap);
	return code;
}

int document_fail_at(struct document_error *error, int code, const char *text, size_t offset, const char *reason)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			column++;
		}
	}
	return document_fail(error, code, line, column, "%s", reason);
}

/* Depth and number of values, before jansson allocates for them. Counts commas and brackets outside of strings: exact for
 * what is JSON, and what is not fails afterwards anyway. */
static int json_limits(const char *text, size_t n, struct document_error *ret_error)
{
	size_t depth = 0, nodes = 1;
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if (quoted) {
			if (c == '\\')
				i++;
			else if (c == '"')
				quoted = false;
			continue;
		}
		quoted = c == '"';
		depth += c == '[' || c == '{';
		depth -= (c == ']' || c == '}') && depth > 0;
		nodes += c == '[' || c == '{' || c == ',';
		if (depth > DOCUMENT_DEPTH_MAX)
			return document_fail_at(ret_error, -E2BIG, text, i, "the document is nested too deeply");
		if (nodes > DOCUMENT_NODES_MAX)
			return document_fail_at(ret_error, -E2BIG, text, i, "the file has too many values");
	}
	return 0;
}

static bool is_blank(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

static int json_parse(const char *text, size_t n, struct yaml_docs *docs, struct document_error *ret_error)
{
	json_error_t error;
	json_t *tree;
	int r;

	if (is_blank(text, n))
		return 0;
	r = json_limits(text, n, ret_error);
	if (r < 0)
		return r;
	tree = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
	if (!tree)
		return document_fail(ret_error, -EINVAL, error.line > 0 ? (size_t)error.line : 1,
				     error.column > 0 ? (size_t)error.column : 1, "%s", error.text);
	*vec_push(docs) = (struct yaml_doc){ tree, 0 };
	return 0;
}

int document_parse(const char *text, size_t n, bool is_json, void (*each)(void *ctx, struct json_t *tree, unsigned index),
		   void *ctx, struct document_error *ret_error)
{
	struct yaml_docs docs = { 0 };
	const char *nul;
	int r;

	if (n > DOCUMENT_BYTES_MAX)
		return document_fail(ret_error, -E2BIG, 1, 1, "the file has %zu bytes, more than %u", n, DOCUMENT_BYTES_MAX);
	nul = n ? memchr(text, 0, n) : NULL;
	if (nul)
		return document_fail_at(ret_error, -EINVAL, text, (size_t)(nul - text), "the file has a NUL byte, it is no text");
	if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		text += 3;
		n -= 3;
	}
	r = is_json ? json_parse(text, n, &docs, ret_error) : yaml_tree_parse(text, n, &docs, ret_error);
	for (size_t i = 0; r == 0 && i < docs.n; i++)
		each(ctx, docs.v[i].tree, docs.v[i].index);
	yaml_docs_fini(&docs);
	return r;
}
