/* Walks a directory by descriptors. Each link is followed part by part, because a ConfigMap is renewed by exchanging a
 * link in the middle of the path: the folder that holds it has to be watched. Knows nothing of what files contain. */
#include "source/manifest_tree.h"

#include "source/manifest_name.h"
#include "source/manifest_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#define DEPTH_MAX 64       /* folders within folders */
#define ENTRIES_MAX 200000 /* files and folders; links can multiply them without end */
#define LINKS_MAX 40       /* in one path, as the kernel */

struct walker {
	struct manifest_watch *watch;
	const struct manifest_visitor *visitor;
	size_t entries;
	unsigned depth;
	struct {
		dev_t dev;
		ino_t ino;
	} path[DEPTH_MAX]; /* the folders that are open now */
};

/* Where a path ends once all links are followed: a name in a watched folder. */
struct place {
	int dir; /* of manifest_watch_dir() */
	bool touched;
};

static void open_next(int *fd, int from, const char *name, int flags)
{
	int next = openat(from, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	if (*fd >= 0)
		(void)close(*fd);
	*fd = next;
}

/* Watches each folder that path, beginning at the folder at, passes a link in, and the one where it ends. Errors end the
 * walk only: who opens the path meets them too. */
static struct place follow(struct walker *w, int at, const char *path)
{
	CLEANUP(close_p) int fd = -1;
	char todo[2 * PATH_MAX + 2], target[PATH_MAX];
	struct place place = { .dir = -1 };
	unsigned links = 0;

	if (strlen(path) >= PATH_MAX)
		return place;
	strcpy(todo, path);
	open_next(&fd, at, *path == '/' ? "/" : ".", 0);
	while (fd >= 0) {
		char *part = todo + strspn(todo, "/"), *rest = part + strcspn(part, "/");
		ssize_t n;
		bool plain;

		if (!*part)
			break;
		if (*rest)
			*rest++ = 0;
		rest += strspn(rest, "/");
		n = readlinkat(fd, part, target, sizeof(target) - 1);
		plain = n < 0 && errno == EINVAL; /* there, and no link */
		if (!plain || !*rest) {
			place.dir = manifest_watch_dir(w->watch, fd, false);
			place.touched = manifest_watch_name(w->watch, place.dir, part);
		}
		if (n >= 0) {
			char joined[2 * PATH_MAX + 2];

			target[n] = 0;
			if (++links > LINKS_MAX || strlen(rest) >= PATH_MAX)
				break;
			(void)snprintf(joined, sizeof(joined), "%s/%s", target, rest);
			strcpy(todo, joined);
			if (target[0] == '/')
				open_next(&fd, AT_FDCWD, "/", 0);
			continue;
		}
		if (!plain || !*rest)
			break;
		open_next(&fd, fd, part, O_NOFOLLOW);
		memmove(todo, rest, strlen(rest) + 1);
	}
	return place;
}

static int walk_folder(struct walker *w, int fd, const char *rel, struct err *err);

/* Folders of the kernel's own, without end: nobody keeps manifests there, a link to / leads there. */
static bool is_kernels(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	return fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == TRACEFS_MAGIC ||
	       fs.f_type == DEBUGFS_MAGIC;
}

static bool on_path(const struct walker *w, const struct stat *st)
{
	for (unsigned i = 0; i < w->depth; i++)
		if (w->path[i].dev == st->st_dev && w->path[i].ino == st->st_ino)
			return true;
	return false;
}

static int enter(struct walker *w, int dirfd, const char *name, const char *rel, const struct stat *st, struct err *err)
{
	int fd;

	if (on_path(w, st))
		return 0;
	if (w->depth == DEPTH_MAX) {
		w->visitor->unreadable(w->visitor->ctx, rel, ENAMETOOLONG);
		return 0;
	}
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR) /* else it went in this moment */
			w->visitor->unreadable(w->visitor->ctx, rel, errno);
		return 0;
	}
	if (is_kernels(fd)) {
		(void)close(fd);
		return 0;
	}
	return walk_folder(w, fd, rel, err);
}

/* What could not be looked at: gone in this moment, or a link to nowhere, or worse. */
static void lost(struct walker *w, const struct manifest_found *found, bool is_link)
{
	if (found->error == ENOENT && !is_link)
		return;
	if (manifest_name_matches(found->name))
		w->visitor->file(w->visitor->ctx, found);
	else
		w->visitor->unreadable(w->visitor->ctx, found->rel, found->error);
}

static int visit(struct walker *w, int dirfd, int dir, const struct dirent *entry, const char *rel, struct err *err)
{
	struct manifest_found found = { .rel = rel, .dirfd = dirfd, .name = entry->d_name };
	bool is_manifest = manifest_name_matches(entry->d_name), is_link;
	struct stat st;

	if (entry->d_type != DT_DIR && entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN && !is_manifest)
		return 0;
	if (++w->entries > ENTRIES_MAX)
		return err_set(err, -E2BIG, "more than %d files and folders below it", ENTRIES_MAX);
	if (fstatat(dirfd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		found.error = errno;
		lost(w, &found, false);
		return 0;
	}
	found.touched = manifest_watch_touched(w->watch, dir, entry->d_name);
	is_link = S_ISLNK(st.st_mode);
	if (is_link) {
		found.touched |= follow(w, dirfd, entry->d_name).touched;
		if (fstatat(dirfd, entry->d_name, &st, 0) < 0) {
			found.error = errno;
			lost(w, &found, true);
			return 0;
		}
	}
	if (S_ISDIR(st.st_mode))
		return enter(w, dirfd, entry->d_name, rel, &st, err);
	found.st = st;
	if (S_ISREG(st.st_mode) && is_manifest)
		w->visitor->file(w->visitor->ctx, &found);
	return 0;
}

static int walk_entries(struct walker *w, DIR *stream, int dir, const char *rel, struct err *err)
{
	struct dirent *entry;
	int r = 0;

	while (r == 0 && (errno = 0, entry = readdir(stream))) {
		CLEANUP(free_p) char *path = NULL;

		if (manifest_name_hidden(entry->d_name))
			continue;
		if (asprintf(&path, "%s%s%s", rel, *rel ? "/" : "", entry->d_name) < 0)
			abort();
		r = visit(w, dirfd(stream), dir, entry, path, err);
	}
	if (r == 0 && errno) {
		r = -errno;
		if (!*rel)
			return err_set(err, r, "%m");
		w->visitor->unreadable(w->visitor->ctx, rel, -r);
		r = 0;
	}
	return r;
}

/* Takes fd. */
static int walk_folder(struct walker *w, int fd, const char *rel, struct err *err)
{
	int dir = manifest_watch_dir(w->watch, fd, true), r;
	struct stat st = { 0 };
	DIR *stream = fdopendir(fd);

	if (!stream)
		abort();
	(void)fstat(fd, &st); /* of an open folder: only a broken file system fails, and that shows when it is read */
	w->path[w->depth].dev = st.st_dev;
	w->path[w->depth].ino = st.st_ino;
	w->depth++;
	r = walk_entries(w, stream, dir, rel, err);
	w->depth--;
	(void)closedir(stream);
	return r;
}

int manifest_tree_walk(const char *dir, struct manifest_watch *watch, const struct manifest_visitor *visitor, struct err *err)
{
	struct walker w = { .watch = watch, .visitor = visitor };
	int fd;

	(void)follow(&w, AT_FDCWD, dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "%m");
	return walk_folder(&w, fd, "", err);
}
