/* Applies a file's new text: takes documents and lists apart, decodes the objects, and decides what stays in force of
 * those that are not valid. Opens no file. */
#include "source/manifest_text.h"

#include "base/text.h"
#include "decode/document.h"
#include "decode/kube_object.h"
#include "source/manifest_name.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define REPORTS_MAX 20 /* per text: each costs a walk through it to find the line */
#define LISTS_MAX 8    /* lists within lists */

struct loader {
	struct manifest_file *file;
	const char *path, *text;
	size_t n;
	const struct source_sink *sink;
	bool quiet;
	struct manifest_def *old; /* what the file defined until now, less what was defined again */
	bool unnamed;             /* an object that is not valid does not even say which one it is */
	size_t n_reported, n_unreported;
};

/* Where an object stands: a document, and a path in it if it is part of a list. */
struct spot {
	unsigned document;
	const char *prefix; /* "items[3]", "" = the document itself */
};

static char *join(const char *prefix, const char *path)
{
	return xfmt("%s%s%s", prefix, *prefix && *path && *path != '[' ? "." : "", path);
}

static void report_at(struct loader *l, const struct spot *spot, const char *path, const char *what)
{
	CLEANUP(free_p) char *line = NULL, *full = NULL;
	unsigned row, column;

	if (l->quiet)
		return;
	if (l->n_reported == REPORTS_MAX) {
		l->n_unreported++;
		return;
	}
	l->n_reported++;
	full = join(spot->prefix, path);
	document_locate(l->text, l->n, spot->document, full, &row, &column);
	line = xfmt("%s:%u:%u: %s", l->path, row, column, what);
	l->sink->report(l->sink->ctx, LOG_WARN, line);
}

static const char *subject(const struct object_error *error, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%s%s%s", *error->kind ? error->kind : "object", *error->name ? " " : "", error->name);
	return ret;
}

static void report_invalid(struct loader *l, const struct spot *spot, const struct object_error *error, bool kept)
{
	CLEANUP(free_p) char *what = NULL;
	char who[400];

	what = xfmt("%s: %s%s%s%s", subject(error, who, sizeof(who)), error->path, *error->path ? " " : "", error->reason,
		    kept ? "; its earlier version stays in force" : "");
	report_at(l, spot, error->path, what);
}

static void report_skipped(struct loader *l, const struct object_error *error)
{
	CLEANUP(free_p) char *line = NULL;
	char who[400];

	if (l->quiet)
		return;
	line = xfmt("%s: %s skipped: %s", l->path, subject(error, who, sizeof(who)), error->reason);
	l->sink->report(l->sink->ctx, LOG_DEBUG, line);
}

static struct manifest_def *find(struct manifest_def *defs, const char *key)
{
	struct manifest_def *def;

	HASH_FIND_STR(defs, key, def);
	return def;
}

static void put(struct manifest_def **defs, struct manifest_def *def)
{
	HASH_ADD_KEYPTR(hh, *defs, def->key, strlen(def->key), def);
}

static char *change_key(const struct change *change)
{
	if (change->kind == CHANGE_SERVICE)
		return xfmt("Service %s/%s", change->service->ns, change->service->name);
	return xfmt("EndpointSlice %s/%s", change->slice->ns, change->slice->name);
}

/* Takes change. */
static void define(struct loader *l, const struct spot *spot, struct change *change)
{
	struct manifest_def *def = xzalloc(sizeof(*def)), *old;

	*def = (struct manifest_def){ .refs = 1, .key = change_key(change), .value = *change };
	if (find(l->file->defs, def->key)) {
		CLEANUP(free_p) char *what = xfmt("%s is defined before in this file; the first one counts", def->key);

		report_at(l, spot, "metadata.name", what);
		manifest_def_unref(def);
		return;
	}
	old = find(l->old, def->key);
	if (old) {
		def->shadowed_by = TAKE(old->shadowed_by);
		HASH_DEL(l->old, old);
		manifest_def_unref(old);
	}
	put(&l->file->defs, def);
}

/* An object that is not valid: its earlier version goes on. */
static void keep(struct loader *l, const struct spot *spot, const struct object_error *error)
{
	CLEANUP(free_p) char *key = xfmt("%s %s", error->kind, error->name);
	struct manifest_def *old = *error->name ? find(l->old, key) : NULL;

	if (old) {
		HASH_DEL(l->old, old);
		put(&l->file->defs, old);
	} else if (!*error->name) {
		l->unnamed = true;
	} else if (!find(l->file->defs, key)) {
		l->file->n_missing++;
	}
	report_invalid(l, spot, error, old != NULL);
}

static void take_object(struct loader *l, const json_t *json, const struct spot *spot)
{
	struct object_error error;
	struct change change;

	switch (kube_object_decode(json, &change, &error)) {
	case OBJECT_OK:
		define(l, spot, &change);
		if (*error.reason)
			report_invalid(l, spot, &error, false);
		break;
	case OBJECT_SKIPPED:
		report_skipped(l, &error);
		break;
	case OBJECT_NO_ADDRESS: {
		CLEANUP(free_p) char *what = xfmt("%s %s skipped: %s", error.kind, error.name, error.reason);

		report_at(l, spot, "spec", what);
		break;
	}
	case OBJECT_INVALID:
		keep(l, spot, &error);
		break;
	}
}

static const char *text_of(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

/* The kind of a list's items, "" if each must say so itself; NULL if json is no list that can hold our kinds. */
static const char *list_of(const json_t *json)
{
	static const char *const lists[][3] = {
		{ "List", "v1", "" },
		{ "ServiceList", "v1", "Service" },
		{ "EndpointSliceList", "discovery.k8s.io/v1", "EndpointSlice" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (strcmp(text_of(json, "kind"), lists[i][0]) == 0 && strcmp(text_of(json, "apiVersion"), lists[i][1]) == 0)
			return lists[i][2];
	return NULL;
}

/* An item as if it stood alone. owned: json_decref(). */
static json_t *complete_item(json_t *item, const char *kind, const char *version)
{
	json_t *copy;

	if (!*kind || !json_is_object(item))
		return json_incref(item);
	copy = json_copy(item); /* the top only: the rest may be shared by aliases */
	if (!*text_of(copy, "kind"))
		(void)json_object_set_new(copy, "kind", json_string(kind));
	if (!*text_of(copy, "apiVersion"))
		(void)json_object_set_new(copy, "apiVersion", json_string(version));
	return copy;
}

static void bad_list(struct loader *l, const struct spot *spot, const char *reason)
{
	struct object_error error = { .path = "items", .kind = "List" };

	(void)snprintf(error.reason, sizeof(error.reason), "%s", reason);
	keep(l, spot, &error);
}

static void take(struct loader *l, json_t *json, const struct spot *spot, unsigned lists)
{
	const char *kind = list_of(json);
	json_t *items = json_object_get(json, "items");

	if (!kind) {
		take_object(l, json, spot);
		return;
	}
	if (items && !json_is_null(items) && !json_is_array(items)) {
		bad_list(l, spot, "must be a list");
		return;
	}
	if (lists == LISTS_MAX) {
		bad_list(l, spot, "are lists within lists, too many");
		return;
	}
	for (size_t i = 0; i < json_array_size(items); i++) {
		json_t *item = complete_item(json_array_get(items, i), kind, text_of(json, "apiVersion"));
		CLEANUP(free_p) char *step = xfmt("items[%zu]", i), *prefix = join(spot->prefix, step);

		take(l, item, &(struct spot){ spot->document, prefix }, lists + 1);
		json_decref(item);
	}
}

static void take_document(void *ctx, json_t *tree, unsigned index)
{
	take(ctx, tree, &(struct spot){ index, "" }, 0);
}

/* Some object did not say which one it is: nothing that the file defined before can be taken for gone. */
static void keep_all(struct loader *l)
{
	struct manifest_def *def, *next;

	if (!l->old)
		l->file->n_missing++;
	HASH_ITER(hh, l->old, def, next) {
		HASH_DEL(l->old, def);
		put(&l->file->defs, def);
	}
}

static void drop_all(struct manifest_def **defs)
{
	struct manifest_def *def, *next;

	HASH_ITER(hh, *defs, def, next) {
		HASH_DEL(*defs, def);
		manifest_def_unref(def);
	}
}

static void report_parse(const struct loader *l, const struct document_error *error)
{
	CLEANUP(free_p) char *line = xfmt("%s:%u:%u: %s%s", l->path, error->line, error->column, error->reason,
					  l->file->known ? "; what it defined before stays in force" : "");

	if (!l->quiet)
		l->sink->report(l->sink->ctx, LOG_WARN, line);
}

static void report_end(const struct loader *l, bool was_bad)
{
	CLEANUP(free_p) char *line = NULL;

	if (l->n_unreported)
		line = xfmt("%s: %zu more objects cannot be used", l->path, l->n_unreported);
	else if (was_bad && !l->n_reported)
		line = xfmt("%s can be read again", l->path);
	if (line)
		l->sink->report(l->sink->ctx, l->n_unreported ? LOG_WARN : LOG_INFO, line);
}

void manifest_text_load(struct manifest_file *file, const char *path, const char *text, size_t n, bool quiet,
			const struct source_sink *sink)
{
	struct loader l = { .file = file, .path = path, .text = text, .n = n, .sink = sink, .quiet = quiet };
	bool was_bad = file->bad;
	struct document_error error;

	l.old = TAKE(file->defs);
	file->n_missing = 0;
	file->bad = document_parse(text, n, manifest_name_json(file->rel), take_document, &l, &error) < 0;
	if (file->bad) {
		file->defs = l.old;
		report_parse(&l, &error);
		return;
	}
	file->known = true;
	if (l.unnamed)
		keep_all(&l);
	drop_all(&l.old);
	report_end(&l, was_bad);
}
