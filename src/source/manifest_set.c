/* Holds the files and decides, over all of them, which definition of each object counts. Reads and parses nothing
 * itself, has no loop and no clock. */
#include "source/manifest_set.h"

#include "base/text.h"
#include "source/manifest_file.h"
#include "source/manifest_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* An object that the sink knows, or will know after this round. */
struct told {
	char *key;                 /* as its definitions have it */
	struct manifest_def *now;  /* what the sink knows; NULL: nothing yet */
	struct manifest_def *next; /* what it is to know; NULL: it goes */
	const char *file;          /* that defines next */
	UT_hash_handle hh;
};

/* A subfolder that cannot be read. */
struct unread {
	char *rel;
	int error;
	bool seen;
};

struct manifest_set {
	char *dir;
	struct manifest_file *files; /* sorted by rel once a scan is over */
	struct told *told;
	VEC(struct unread) unread;
	bool all, unsettled;         /* of the scan that is on or was the last */
	bool added;                  /* a file since the last sort */
	const struct source_sink *sink;
};

struct manifest_set *manifest_set_new(const char *dir)
{
	struct manifest_set *set = xzalloc(sizeof(*set));

	set->dir = xstrdup(dir);
	return set;
}

static void told_free(struct manifest_set *set, struct told *told)
{
	HASH_DEL(set->told, told);
	manifest_def_unref(told->now);
	manifest_def_unref(told->next);
	free(told->key);
	free(told);
}

static void file_drop(struct manifest_set *set, struct manifest_file *file)
{
	HASH_DEL(set->files, file);
	manifest_file_free(file);
}

void manifest_set_free(struct manifest_set *set)
{
	struct manifest_file *file, *next_file;
	struct told *told, *next_told;

	if (!set)
		return;
	HASH_ITER(hh, set->told, told, next_told)
		told_free(set, told);
	HASH_ITER(hh, set->files, file, next_file)
		file_drop(set, file);
	for (size_t i = 0; i < set->unread.n; i++)
		free(set->unread.v[i].rel);
	free(set->unread.v);
	free(set->dir);
	free(set);
}

static void on_file(void *ctx, const struct manifest_found *found)
{
	struct manifest_set *set = ctx;
	struct manifest_file *file;

	HASH_FIND_STR(set->files, found->rel, file);
	if (!file) {
		file = manifest_file_new(found->rel);
		HASH_ADD_KEYPTR(hh, set->files, file->rel, strlen(file->rel), file);
		set->added = true;
	}
	file->seen = manifest_file_update(file, found, set->all, set->dir, set->sink);
	file->missed = false;
}

static bool is_below(const char *rel, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(rel, folder, n) == 0 && rel[n] == '/';
}

static bool has_files(const struct manifest_set *set, const char *folder)
{
	for (const struct manifest_file *file = set->files; file; file = file->hh.next)
		if (is_below(file->rel, folder))
			return true;
	return false;
}

/* The walk calls this for links to nowhere, too: those only matter if a folder with manifests was there. */
static bool is_nothing(const struct manifest_set *set, const char *rel, int error)
{
	return (error == ENOENT || error == ELOOP || error == ENOTDIR) && !has_files(set, rel);
}

static void on_unreadable(void *ctx, const char *rel, int error)
{
	struct manifest_set *set = ctx;
	CLEANUP(free_p) char *line = NULL;
	struct unread *unread = NULL;

	if (is_nothing(set, rel, error))
		return;
	for (size_t i = 0; i < set->unread.n && !unread; i++)
		if (strcmp(set->unread.v[i].rel, rel) == 0)
			unread = &set->unread.v[i];
	if (!unread) {
		unread = vec_push(&set->unread);
		*unread = (struct unread){ .rel = xstrdup(rel) };
	}
	unread->seen = true;
	if (unread->error == error)
		return;
	unread->error = error;
	line = xfmt("%s/%s: cannot be read: %s; what its files defined before stays in force", set->dir, rel, strerror(error));
	set->sink->report(set->sink->ctx, LOG_WARN, line);
}

static bool in_unread_folder(const struct manifest_set *set, const struct manifest_file *file)
{
	for (size_t i = 0; i < set->unread.n; i++)
		if (is_below(file->rel, set->unread.v[i].rel))
			return true;
	return false;
}

/* A folder that is changed while it is read may not show a file that was there all the time (a rename onto it can move
 * it in the listing): whether it is really gone, its own path tells. Once is enough: links can make paths that no walk
 * takes. */
static bool is_there(const struct manifest_set *set, const struct manifest_file *file)
{
	CLEANUP(free_p) char *path = xfmt("%s/%s", set->dir, file->rel);
	struct stat st;

	return !file->missed && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void drop_unseen_files(struct manifest_set *set)
{
	struct manifest_file *file, *next;

	HASH_ITER(hh, set->files, file, next) {
		if (file->seen || in_unread_folder(set, file))
			continue;
		if (is_there(set, file)) {
			file->missed = true;
			set->unsettled = true;
			continue;
		}
		file_drop(set, file);
	}
}

static void drop_unseen_folders(struct manifest_set *set)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->unread.n; i++) {
		if (set->unread.v[i].seen)
			set->unread.v[kept++] = set->unread.v[i];
		else
			free(set->unread.v[i].rel);
	}
	set->unread.n = kept;
}

static int by_rel(const struct manifest_file *a, const struct manifest_file *b)
{
	return strcmp(a->rel, b->rel);
}

int manifest_set_scan(struct manifest_set *set, struct manifest_watch *watch, bool all, const struct source_sink *sink,
		      struct err *err)
{
	const struct manifest_visitor visitor = { set, on_file, on_unreadable };
	int r;

	set->sink = sink;
	set->all = all;
	set->unsettled = false;
	for (struct manifest_file *file = set->files; file; file = file->hh.next)
		file->seen = false;
	for (size_t i = 0; i < set->unread.n; i++)
		set->unread.v[i].seen = false;
	r = manifest_tree_walk(set->dir, watch, &visitor, err);
	if (r < 0)
		return r;
	drop_unseen_folders(set);
	drop_unseen_files(set);
	if (set->added)
		HASH_SORT(set->files, by_rel);
	set->added = false;
	return 0;
}

bool manifest_set_unsettled(const struct manifest_set *set)
{
	return set->unsettled;
}

bool manifest_set_partial(const struct manifest_set *set)
{
	for (const struct manifest_file *file = set->files; file; file = file->hh.next)
		if ((file->bad && !file->known) || file->n_missing)
			return true;
	for (size_t i = 0; i < set->unread.n; i++)
		if (!has_files(set, set->unread.v[i].rel))
			return true;
	return false;
}

/* Once for each pair of files. */
static void report_shadowed(const struct manifest_set *set, const struct manifest_file *file, struct manifest_def *def,
			    const char *first, const struct source_sink *sink)
{
	CLEANUP(free_p) char *line = NULL;

	if (def->shadowed_by && strcmp(def->shadowed_by, first) == 0)
		return;
	free(def->shadowed_by);
	def->shadowed_by = xstrdup(first);
	line = xfmt("%s/%s: %s is defined in %s/%s too, which counts because its name sorts first", set->dir, file->rel, def->key,
		    set->dir, first);
	sink->report(sink->ctx, LOG_WARN, line);
}

static void claim(struct manifest_set *set, const struct manifest_file *file, struct manifest_def *def,
		  const struct source_sink *sink)
{
	struct told *told;

	HASH_FIND_STR(set->told, def->key, told);
	if (told && told->next) {
		report_shadowed(set, file, def, told->file, sink);
		return;
	}
	if (!told) {
		told = xzalloc(sizeof(*told));
		told->key = xstrdup(def->key);
		HASH_ADD_KEYPTR(hh, set->told, told->key, strlen(told->key), told);
	}
	told->next = manifest_def_ref(def);
	told->file = file->rel;
	free(def->shadowed_by);
	def->shadowed_by = NULL;
}

static bool same_value(const struct change *a, const struct change *b)
{
	return a->kind == CHANGE_SERVICE ? service_equal(a->service, b->service) : slice_equal(a->slice, b->slice);
}

static struct change change_to(const struct change *value)
{
	if (value->kind == CHANGE_SERVICE)
		return (struct change){ .kind = CHANGE_SERVICE, .service = service_copy(value->service) };
	return (struct change){ .kind = CHANGE_SLICE, .slice = slice_copy(value->slice) };
}

static struct change change_gone(const struct change *value)
{
	if (value->kind == CHANGE_SERVICE)
		return (struct change){ .kind = CHANGE_SERVICE_GONE, .ns = xstrdup(value->service->ns),
					.name = xstrdup(value->service->name) };
	return (struct change){ .kind = CHANGE_SLICE_GONE, .ns = xstrdup(value->slice->ns), .name = xstrdup(value->slice->name) };
}

/* What the sink has to be told of one object; false: nothing. Then now is what was next. */
static bool settle(struct manifest_set *set, struct told *told, struct change *ret_change)
{
	struct manifest_def *next = TAKE(told->next), *now = told->now;
	bool same = next && now && (now == next || same_value(&now->value, &next->value));

	if (same) {
		told->now = next;
		manifest_def_unref(now);
		return false;
	}
	*ret_change = next ? change_to(&next->value) : change_gone(&now->value);
	told->now = next;
	manifest_def_unref(now);
	if (!next)
		told_free(set, told);
	return true;
}

void manifest_set_tell(struct manifest_set *set, const struct source_sink *sink)
{
	VEC(struct change) changes = { 0 };
	struct told *told, *next;

	for (struct manifest_file *file = set->files; file; file = file->hh.next)
		for (struct manifest_def *def = file->defs; def; def = def->hh.next)
			claim(set, file, def, sink);
	HASH_ITER(hh, set->told, told, next) {
		struct change change;

		if (settle(set, told, &change))
			*vec_push(&changes) = change;
	}
	if (changes.n)
		sink->changes(sink->ctx, changes.v, changes.n);
	for (size_t i = 0; i < changes.n; i++)
		change_fini(&changes.v[i]);
	free(changes.v);
}
