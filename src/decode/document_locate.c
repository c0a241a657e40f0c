/* Finds the line and column of a path for error messages, by walking libyaml's events again: so trees need no
 * positions. JSON is YAML closely enough for this. */
#include "decode/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

struct locator {
	yaml_parser_t parser;
	yaml_event_t event; /* the current one; type YAML_NO_EVENT: none */
	yaml_mark_t best;
};

/* false at the end or when the text has an error: what was found until then is the answer. */
static bool next(struct locator *l)
{
	yaml_event_delete(&l->event);
	if (!yaml_parser_parse(&l->parser, &l->event)) {
		memset(&l->event, 0, sizeof(l->event));
		return false;
	}
	return l->event.type != YAML_STREAM_END_EVENT;
}

/* From the first event of a node to its last. */
static bool skip(struct locator *l)
{
	size_t depth = 0;

	for (;;) {
		yaml_event_type_t type = l->event.type;

		if (type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT)
			depth++;
		if (type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT)
			depth--;
		if (depth == 0)
			return true;
		if (depth > DOCUMENT_DEPTH_MAX || !next(l))
			return false;
	}
}

/* How much of path the current event takes as a key, 0 if it is another key. Keys may have dots themselves. */
static size_t key_match(const struct locator *l, const char *path)
{
	size_t n = l->event.data.scalar.length;

	if (l->event.type != YAML_SCALAR_EVENT || strncmp(path, (const char *)l->event.data.scalar.value, n) != 0)
		return 0;
	return path[n] == 0 || path[n] == '.' || path[n] == '[' ? n : 0;
}

/* From the start of a mapping to the value of path's first key; false if it is not there. */
static bool enter_key(struct locator *l, const char **path)
{
	while (next(l) && l->event.type != YAML_MAPPING_END_EVENT) {
		size_t n = key_match(l, *path);

		if (!skip(l) || !next(l))
			return false;
		if (n) {
			*path += n;
			return true;
		}
		if (!skip(l))
			return false;
	}
	return false;
}

/* From the start of a sequence to the item that path begins with: "[3]…". */
static bool enter_item(struct locator *l, const char **path)
{
	char *end;
	unsigned long index = strtoul(*path + 1, &end, 10);

	if (*end != ']')
		return false;
	*path = end + 1;
	for (;; index--) {
		if (!next(l) || l->event.type == YAML_SEQUENCE_END_EVENT)
			return false;
		if (index == 0)
			return true;
		if (!skip(l))
			return false;
	}
}

static void follow(struct locator *l, const char *path)
{
	bool found = true;

	while (found) {
		l->best = l->event.start_mark;
		path += *path == '.';
		if (*path == 0)
			return;
		if (l->event.type == YAML_MAPPING_START_EVENT)
			found = enter_key(l, &path);
		else if (l->event.type == YAML_SEQUENCE_START_EVENT && *path == '[')
			found = enter_item(l, &path);
		else
			found = false;
	}
}

void document_locate(const char *text, size_t n, unsigned index, const char *path, unsigned *ret_line, unsigned *ret_column)
{
	struct locator l = { 0 };

	if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		n -= 3;
	}
	if (!yaml_parser_initialize(&l.parser))
		abort();
	yaml_parser_set_encoding(&l.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&l.parser, (const unsigned char *)text, n);
	while (next(&l))
		if (l.event.type == YAML_DOCUMENT_START_EVENT) {
			l.best = l.event.start_mark;
			if (index-- == 0) {
				if (next(&l))
					follow(&l, path);
				break;
			}
		}
	*ret_line = (unsigned)l.best.line + 1;
	*ret_column = (unsigned)l.best.column + 1;
	yaml_event_delete(&l.event);
	yaml_parser_delete(&l.parser);
}
