/* Reads manifest files, and only when they may have changed. What their text means is manifest_text's. */
#include "source/manifest_file.h"

#include "base/text.h"
#include "decode/document.h"
#include "source/manifest_text.h"
#include "source/manifest_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define TORN_TRIES 3

struct manifest_def *manifest_def_ref(struct manifest_def *def)
{
	def->refs++;
	return def;
}

void manifest_def_unref(struct manifest_def *def)
{
	if (!def || --def->refs)
		return;
	change_fini(&def->value);
	free(def->shadowed_by);
	free(def->key);
	free(def);
}

struct manifest_file *manifest_file_new(const char *rel)
{
	struct manifest_file *file = xzalloc(sizeof(*file));

	file->rel = xstrdup(rel);
	return file;
}

void manifest_file_free(struct manifest_file *file)
{
	struct manifest_def *def, *next;

	HASH_ITER(hh, file->defs, def, next) {
		HASH_DEL(file->defs, def);
		manifest_def_unref(def);
	}
	free(file->rel);
	free(file);
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same_stat(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       same_time(&a->st_mtim, &b->st_mtim) && same_time(&a->st_ctim, &b->st_ctim);
}

static uint64_t hash_of(const char *text, size_t n)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a; only to keep quiet about what was said already */

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
	return hash ? hash : 1;
}

static int read_all(int fd, struct text *text)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text_add_bytes(text, buf, (size_t)n);
		if (text->n > DOCUMENT_BYTES_MAX)
			return -EFBIG;
	}
	return 0;
}

/* One read, between two looks at the file; -EAGAIN: it was written meanwhile. Sets ret_st also on most errors. */
static int read_once(const struct manifest_found *found, struct text *text, struct stat *ret_st)
{
	CLEANUP(close_p) int fd = openat(found->dirfd, found->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat after;
	int r;

	if (fd < 0 || fstat(fd, ret_st) < 0)
		return -errno;
	if (!S_ISREG(ret_st->st_mode))
		return -ENOENT; /* exchanged since it was found: as if it were not there */
	if (ret_st->st_size > (off_t)DOCUMENT_BYTES_MAX)
		return -EFBIG;
	r = read_all(fd, text);
	if (r < 0)
		return r;
	if (fstat(fd, &after) < 0)
		return -errno;
	return same_stat(ret_st, &after) ? 0 : -EAGAIN;
}

static int read_text(const struct manifest_found *found, struct text *text, struct stat *ret_st)
{
	int r = -EAGAIN;

	for (int i = 0; i < TORN_TRIES && r == -EAGAIN; i++) {
		text->n = 0;
		r = read_once(found, text, ret_st);
	}
	return r == -EAGAIN ? 0 : r; /* whoever writes on will be noticed */
}

static void unreadable(struct manifest_file *file, int error, const char *path, const struct source_sink *sink)
{
	CLEANUP(free_p) char *line = NULL;
	const char *kept = file->known ? "; what it defined before stays in force" : "";

	file->bad = true;
	if (file->error == error && (error != EFBIG || file->hash == (uint64_t)file->st.st_size))
		return;
	file->error = error;
	file->hash = 0;
	if (error == EFBIG) {
		file->hash = (uint64_t)file->st.st_size;
		line = xfmt("%s: has %lld bytes, more than %u%s", path, (long long)file->st.st_size, DOCUMENT_BYTES_MAX, kept);
	} else {
		line = xfmt("%s: cannot be read: %s%s", path, strerror(error), kept);
	}
	sink->report(sink->ctx, LOG_WARN, line);
}

bool manifest_file_update(struct manifest_file *file, const struct manifest_found *found, bool always, const char *dir,
			  const struct source_sink *sink)
{
	CLEANUP(free_p) char *path = NULL;
	CLEANUP(text_fini) struct text text = { 0 };
	uint64_t hash;
	bool quiet;
	int r;

	if (!always && !found->touched && !found->error && !file->error && same_stat(&file->st, &found->st))
		return true;
	path = xfmt("%s/%s", dir, file->rel);
	r = found->error ? -found->error : read_text(found, &text, &file->st);
	if (r == -ENOENT && !found->error)
		return false;
	if (r < 0) {
		unreadable(file, -r, path, sink);
		return true;
	}
	hash = hash_of(text_str(&text), text.n);
	quiet = file->hash == hash && !file->error;
	file->error = 0;
	file->hash = hash;
	manifest_text_load(file, path, text_str(&text), text.n, quiet, sink);
	return true;
}
