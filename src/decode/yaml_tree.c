/* Builds JSON trees from libyaml's events. libyaml's own documents are never used: they have no limits. Aliases share the
 * node they name but count with all that is below it. Knows nothing of Kubernetes. */
#include "decode/yaml_tree.h"

#include "decode/document_error.h"
#include "decode/yaml_scalar.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <yaml.h>
#define uthash_malloc(size) xmalloc(size)
#include <uthash.h>

#define TAG_PREFIX "tag:yaml.org,2002:"
#define DIRECTIVES_MAX 1000

/* The size of a node with all that is below it, aliases expanded. height: 0 for a scalar. */
struct extent {
	size_t nodes;
	unsigned height;
};

struct anchor {
	char *name;
	json_t *node;
	struct extent extent;
	UT_hash_handle hh;
};

/* A mapping or sequence that is still open. */
struct level {
	json_t *node;
	char *key;    /* mapping: the key that waits for its value */
	char *anchor; /* NULL without */
	struct extent extent;
};

struct builder {
	yaml_parser_t parser;
	struct level levels[DOCUMENT_DEPTH_MAX];
	unsigned depth;
	struct anchor *anchors; /* of this document */
	size_t nodes;           /* of the whole text */
	json_t *root;           /* of this document, once complete */
	struct document_error *error;
};

static int fail(struct builder *b, int code, const yaml_event_t *event, const char *reason)
{
	return document_fail(b->error, code, event->start_mark.line + 1, event->start_mark.column + 1, "%s", reason);
}

static void anchors_clear(struct builder *b)
{
	struct anchor *anchor, *next;

	HASH_ITER(hh, b->anchors, anchor, next) {
		HASH_DEL(b->anchors, anchor);
		json_decref(anchor->node);
		free(anchor->name);
		free(anchor);
	}
}

/* Takes name. An anchor may be given again: the later one counts from then on. */
static void anchor_set(struct builder *b, char *name, json_t *node, struct extent extent)
{
	struct anchor *anchor;

	HASH_FIND_STR(b->anchors, name, anchor);
	if (anchor) {
		json_decref(anchor->node);
		free(name);
	} else {
		anchor = xzalloc(sizeof(*anchor));
		anchor->name = name;
		HASH_ADD_KEYPTR(hh, b->anchors, anchor->name, strlen(anchor->name), anchor);
	}
	anchor->node = json_incref(node);
	anchor->extent = extent;
}

static bool wants_key(const struct builder *b)
{
	const struct level *top = b->depth ? &b->levels[b->depth - 1] : NULL;

	return top && json_is_object(top->node) && !top->key;
}

/* Puts a complete node where it belongs. Takes node. */
static void attach(struct builder *b, json_t *node, struct extent extent)
{
	struct level *top = b->depth ? &b->levels[b->depth - 1] : NULL;

	if (!top) {
		b->root = node;
		return;
	}
	top->extent.nodes += extent.nodes;
	if (extent.height + 1 > top->extent.height)
		top->extent.height = extent.height + 1;
	if (json_is_array(top->node)) {
		(void)json_array_append_new(top->node, node);
	} else {
		(void)json_object_set_new(top->node, top->key, node);
		free(top->key);
		top->key = NULL;
	}
}

static int count(struct builder *b, const yaml_event_t *event, size_t n)
{
	b->nodes += n;
	if (b->nodes > DOCUMENT_NODES_MAX)
		return fail(b, -E2BIG, event, "the file has too many values (aliases count with all that they stand for)");
	return 0;
}

static bool is_core_tag(const char *tag, const char *const names[], size_t n)
{
	size_t prefix = strlen(TAG_PREFIX);

	if (strncmp(tag, TAG_PREFIX, prefix) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(tag + prefix, names[i]) == 0)
			return true;
	return false;
}

static int bad_tag(struct builder *b, const yaml_event_t *event, const char *tag)
{
	return document_fail(b->error, -EINVAL, event->start_mark.line + 1, event->start_mark.column + 1,
			     "the tag %.100s cannot be used here", tag);
}

static bool type_fits(const char *tag, const json_t *value)
{
	const char *name = tag + strlen(TAG_PREFIX);

	return (strcmp(name, "null") == 0 && json_is_null(value)) || (strcmp(name, "bool") == 0 && json_is_boolean(value)) ||
	       (strcmp(name, "int") == 0 && json_is_integer(value)) || (strcmp(name, "float") == 0 && json_is_number(value));
}

/* The value of a scalar: tagged, quoted or plain. */
static int scalar_value(struct builder *b, const yaml_event_t *event, json_t **ret_value)
{
	static const char *const names[] = { "null", "bool", "int", "float" }, *const str[] = { "str" };
	const char *text = (const char *)event->data.scalar.value, *tag = (const char *)event->data.scalar.tag;
	const char *why = "the text is not valid UTF-8";
	size_t n = event->data.scalar.length;
	bool plain = !tag && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	json_t *value;

	if (memchr(text, 0, n))
		return fail(b, -EINVAL, event, "the text has a NUL character");
	if (tag && strcmp(tag, "!") != 0 && !is_core_tag(tag, str, ARRAY_SIZE(str))) {
		if (!is_core_tag(tag, names, ARRAY_SIZE(names)))
			return bad_tag(b, event, tag);
		plain = true;
	}
	value = plain ? yaml_scalar_plain(text, n, &why) : json_stringn(text, n);
	if (!value)
		return fail(b, -EINVAL, event, why);
	if (tag && plain && !type_fits(tag, value)) {
		json_decref(value);
		return fail(b, -EINVAL, event, "the value does not fit its tag");
	}
	*ret_value = value;
	return 0;
}

static int on_key(struct builder *b, const yaml_event_t *event)
{
	struct level *top = &b->levels[b->depth - 1];
	const char *text = (const char *)event->data.scalar.value, *tag = (const char *)event->data.scalar.tag;

	if (strlen(text) != event->data.scalar.length)
		return fail(b, -EINVAL, event, "a key has a NUL character");
	if (tag && strcmp(tag, TAG_PREFIX "str") != 0)
		return bad_tag(b, event, tag);
	if (event->data.scalar.anchor)
		return fail(b, -EINVAL, event, "a key cannot have an anchor");
	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && strcmp(text, "<<") == 0)
		return fail(b, -EINVAL, event, "merge keys (<<) are not supported: write the fields out");
	if (json_object_get(top->node, text))
		return document_fail(b->error, -EINVAL, event->start_mark.line + 1, event->start_mark.column + 1,
				     "the key \"%.100s\" is here twice", text);
	top->key = xstrdup(text);
	return 0;
}

static int on_scalar(struct builder *b, const yaml_event_t *event)
{
	const char *anchor = (const char *)event->data.scalar.anchor;
	json_t *value = NULL;
	int r;

	if (wants_key(b))
		return on_key(b, event);
	r = count(b, event, 1);
	if (r == 0)
		r = scalar_value(b, event, &value);
	if (r < 0)
		return r;
	if (anchor)
		anchor_set(b, xstrdup(anchor), value, (struct extent){ 1, 0 });
	attach(b, value, (struct extent){ 1, 0 });
	return 0;
}

static int on_alias(struct builder *b, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	struct anchor *anchor;
	int r;

	if (wants_key(b))
		return fail(b, -EINVAL, event, "a key must be a word, not an alias");
	HASH_FIND_STR(b->anchors, name, anchor);
	if (!anchor)
		return document_fail(b->error, -EINVAL, event->start_mark.line + 1, event->start_mark.column + 1,
				     "the alias *%.100s stands for nothing that came before it", name);
	r = count(b, event, anchor->extent.nodes);
	if (r < 0)
		return r;
	if (b->depth + anchor->extent.height > DOCUMENT_DEPTH_MAX)
		return fail(b, -E2BIG, event, "the document is nested too deeply");
	attach(b, json_incref(anchor->node), anchor->extent);
	return 0;
}

static int on_open(struct builder *b, const yaml_event_t *event, json_t *(*make)(void), const char *type, const char *tag,
		   const char *anchor)
{
	struct level *level;
	int r;

	if (wants_key(b))
		return fail(b, -EINVAL, event, "a key must be a word, not a list or a mapping");
	if (tag && !is_core_tag(tag, &type, 1) && strcmp(tag, "!") != 0)
		return bad_tag(b, event, tag);
	if (b->depth == DOCUMENT_DEPTH_MAX)
		return fail(b, -E2BIG, event, "the document is nested too deeply");
	r = count(b, event, 1);
	if (r < 0)
		return r;
	level = &b->levels[b->depth++];
	*level = (struct level){ .node = make(), .anchor = xstrdup(anchor), .extent = { 1, 1 } };
	return 0;
}

static int on_close(struct builder *b)
{
	struct level level = b->levels[--b->depth];

	/* Only now: an alias inside its own anchor would be a ring. */
	if (level.anchor)
		anchor_set(b, level.anchor, level.node, level.extent);
	attach(b, level.node, level.extent);
	return 0;
}

static int on_document_end(struct builder *b, struct yaml_docs *docs, unsigned index)
{
	if (b->root && !json_is_null(b->root))
		*vec_push(docs) = (struct yaml_doc){ TAKE(b->root), index };
	json_decref(TAKE(b->root));
	anchors_clear(b);
	return 0;
}

static int on_event(struct builder *b, const yaml_event_t *event, struct yaml_docs *docs, unsigned *index)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return on_scalar(b, event);
	case YAML_ALIAS_EVENT:
		return on_alias(b, event);
	case YAML_MAPPING_START_EVENT:
		return on_open(b, event, json_object, "map", (const char *)event->data.mapping_start.tag,
			       (const char *)event->data.mapping_start.anchor);
	case YAML_SEQUENCE_START_EVENT:
		return on_open(b, event, json_array, "seq", (const char *)event->data.sequence_start.tag,
			       (const char *)event->data.sequence_start.anchor);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		return on_close(b);
	case YAML_DOCUMENT_END_EVENT:
		return on_document_end(b, docs, (*index)++);
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_START_EVENT:
		break;
	}
	return 0;
}

static int syntax_error(struct builder *b, const char *text)
{
	const yaml_parser_t *p = &b->parser;
	const char *problem = p->problem ? p->problem : "is not YAML";

	if (p->error == YAML_READER_ERROR) /* bytes that are no UTF-8: there is no mark */
		return document_fail_at(b->error, -EINVAL, text, p->problem_offset, problem);
	return document_fail(b->error, -EINVAL, p->problem_mark.line + 1, p->problem_mark.column + 1, "%s%s%s", problem,
			     p->context ? " " : "", p->context ? p->context : "");
}

static int build(struct builder *b, const char *text, struct yaml_docs *docs)
{
	unsigned index = 0;
	bool end = false;
	int r = 0;

	while (r == 0 && !end) {
		yaml_event_t event;

		if (!yaml_parser_parse(&b->parser, &event))
			return syntax_error(b, text);
		end = event.type == YAML_STREAM_END_EVENT;
		r = on_event(b, &event, docs, &index);
		yaml_event_delete(&event);
	}
	return r;
}

/* libyaml compares each %TAG line with all before it, so many of them would take for ever. Where a line begins is
 * not looked at: libyaml knows more line breaks than \n, and nobody writes the word that often. */
static int check_directives(const char *text, size_t n, struct document_error *ret_error)
{
	const char *at = text, *end = text + n;
	unsigned seen = 0;

	while ((at = memmem(at, (size_t)(end - at), "%TAG", 4))) {
		if (++seen > DIRECTIVES_MAX)
			return document_fail_at(ret_error, -E2BIG, text, (size_t)(at - text), "too many %TAG directives");
		at += 4;
	}
	return 0;
}

int yaml_tree_parse(const char *text, size_t n, struct yaml_docs *docs, struct document_error *ret_error)
{
	CLEANUP(free_p) struct builder *b = xzalloc(sizeof(*b));
	int r = check_directives(text, n, ret_error);

	if (r < 0)
		return r;
	if (!yaml_parser_initialize(&b->parser))
		abort();
	yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b->parser, (const unsigned char *)text, n);
	b->error = ret_error;
	r = build(b, text, docs);
	while (b->depth) {
		struct level *level = &b->levels[--b->depth];

		json_decref(level->node);
		free(level->key);
		free(level->anchor);
	}
	json_decref(b->root);
	anchors_clear(b);
	yaml_parser_delete(&b->parser);
	return r;
}

void yaml_docs_fini(struct yaml_docs *docs)
{
	for (size_t i = 0; i < docs->n; i++)
		json_decref(docs->v[i].tree);
	free(docs->v);
	*docs = (struct yaml_docs){ 0 };
}
