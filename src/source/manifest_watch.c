/* Keeps inotify watches and remembers which names events told of. A watch is on a directory's inode, so the number the
 * kernel gives for it stands for the directory whatever path led there. Reads no manifest. */
#include "source/manifest_watch.h"

#include "source/manifest_name.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#define uthash_malloc(size) xmalloc(size)
#include <uthash.h>

#define CONTENT_EVENTS (IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB)
#define NAME_EVENTS (IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE)
#define SELF_EVENTS (IN_DELETE_SELF | IN_MOVE_SELF)
#define TOUCHED_MAX 100000 /* more names than that in one burst: everything is read again */
#define READS_MAX 64       /* per call, so that a flood of events does not hold the loop */

struct watched {
	int wd;
	unsigned round; /* of the last scan that asked for it */
	bool whole;
	UT_hash_handle hh;
};

/* An entry of a watched directory. The key is the directory's number and the name. */
struct watched_name {
	unsigned round; /* of the last scan that asked for it, 0 = none */
	bool touched;
	UT_hash_handle hh;
	size_t key_n;
	char key[];
};

struct manifest_watch {
	int fd;
	unsigned round;
	struct watched *dirs;
	struct watched_name *names;
	bool all_touched;
	int failure;
};

struct manifest_watch *manifest_watch_new(struct err *err)
{
	struct manifest_watch *watch;
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0) {
		(void)err_set(err, -errno, "inotify: %m%s",
			      errno == EMFILE ? " (or more instances than fs.inotify.max_user_instances allows)" : "");
		return NULL;
	}
	watch = xzalloc(sizeof(*watch));
	watch->fd = fd;
	return watch;
}

void manifest_watch_free(struct manifest_watch *watch)
{
	struct watched *dir, *next_dir;
	struct watched_name *name, *next_name;

	if (!watch)
		return;
	HASH_ITER(hh, watch->dirs, dir, next_dir) {
		HASH_DEL(watch->dirs, dir);
		free(dir);
	}
	HASH_ITER(hh, watch->names, name, next_name) {
		HASH_DEL(watch->names, name);
		free(name);
	}
	(void)close(watch->fd);
	free(watch);
}

int manifest_watch_fd(const struct manifest_watch *watch)
{
	return watch->fd;
}

int manifest_watch_failure(const struct manifest_watch *watch)
{
	return watch ? watch->failure : 0;
}

struct name_key {
	size_t n;
	char bytes[sizeof(int) + NAME_MAX + 1];
};

static void make_key(struct name_key *key, int wd, const char *name)
{
	size_t n = strnlen(name, NAME_MAX);

	memcpy(key->bytes, &wd, sizeof(wd));
	memcpy(key->bytes + sizeof(wd), name, n);
	key->n = sizeof(wd) + n;
}

static struct watched_name *find_name(const struct manifest_watch *watch, int wd, const char *name)
{
	struct watched_name *found;
	struct name_key key;

	make_key(&key, wd, name);
	HASH_FIND(hh, watch->names, key.bytes, key.n, found);
	return found;
}

static struct watched_name *get_name(struct manifest_watch *watch, int wd, const char *name)
{
	struct watched_name *entry = find_name(watch, wd, name);
	struct name_key key;

	if (entry)
		return entry;
	make_key(&key, wd, name);
	entry = xzalloc(sizeof(*entry) + key.n);
	entry->key_n = key.n;
	memcpy(entry->key, key.bytes, key.n);
	HASH_ADD_KEYPTR(hh, watch->names, entry->key, entry->key_n, entry);
	return entry;
}

/* Does an event about this name matter? In a directory of manifests any new or vanished name may be a link or a
 * subfolder; other events only count for manifests. */
static bool matters(const struct watched *dir, const struct watched_name *name, const struct inotify_event *event)
{
	if (name && name->round)
		return true;
	if (!dir->whole || manifest_name_hidden(event->name))
		return false;
	return (event->mask & (NAME_EVENTS | IN_ISDIR)) || manifest_name_matches(event->name);
}

static bool take_event(struct manifest_watch *watch, const struct inotify_event *event)
{
	struct watched_name *name;
	struct watched *dir;

	if (event->mask & IN_Q_OVERFLOW) {
		watch->all_touched = true;
		return true;
	}
	HASH_FIND_INT(watch->dirs, &event->wd, dir);
	if (!dir)
		return false; /* we dropped that watch; what was still queued is of no interest */
	if (event->mask & IN_IGNORED) {
		HASH_DEL(watch->dirs, dir);
		free(dir);
		return true;
	}
	if (event->len == 0)
		return event->mask & (SELF_EVENTS | IN_UNMOUNT) || dir->whole;
	name = find_name(watch, event->wd, event->name);
	if (!matters(dir, name, event))
		return false;
	if (!name && HASH_COUNT(watch->names) >= TOUCHED_MAX)
		watch->all_touched = true;
	else
		get_name(watch, event->wd, event->name)->touched = true;
	return true;
}

bool manifest_watch_read(struct manifest_watch *watch)
{
	_Alignas(struct inotify_event) char buf[65536];
	bool changed = false;

	for (int i = 0; watch && i < READS_MAX; i++) {
		ssize_t n = read(watch->fd, buf, sizeof(buf));

		if (n <= 0)
			break;
		for (char *at = buf; at < buf + n;) {
			const struct inotify_event *event = (const void *)at;

			changed |= take_event(watch, event);
			at += sizeof(*event) + event->len;
		}
	}
	return changed;
}

void manifest_watch_begin(struct manifest_watch *watch)
{
	if (!watch)
		return;
	watch->round++;
	watch->failure = 0;
}

int manifest_watch_dir(struct manifest_watch *watch, int fd, bool whole)
{
	struct watched *dir;
	char path[64];
	int wd;

	if (!watch)
		return -1;
	/* By descriptor: the very directory whose entries are read next, however long or changed its path is. */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	wd = inotify_add_watch(watch->fd, path, CONTENT_EVENTS | NAME_EVENTS | SELF_EVENTS | IN_ONLYDIR);
	if (wd < 0) {
		watch->failure = errno;
		return -1;
	}
	HASH_FIND_INT(watch->dirs, &wd, dir);
	if (!dir) {
		dir = xzalloc(sizeof(*dir));
		dir->wd = wd;
		HASH_ADD_INT(watch->dirs, wd, dir);
	}
	dir->whole = whole || (dir->round == watch->round && dir->whole);
	dir->round = watch->round;
	return wd;
}

bool manifest_watch_touched(const struct manifest_watch *watch, int dir, const char *name)
{
	const struct watched_name *entry;

	if (!watch || watch->all_touched)
		return watch != NULL;
	entry = dir >= 0 ? find_name(watch, dir, name) : NULL;
	return entry && entry->touched;
}

bool manifest_watch_name(struct manifest_watch *watch, int dir, const char *name)
{
	if (watch && dir >= 0)
		get_name(watch, dir, name)->round = watch->round;
	return manifest_watch_touched(watch, dir, name);
}

void manifest_watch_end(struct manifest_watch *watch)
{
	struct watched *dir, *next_dir;
	struct watched_name *name, *next_name;

	if (!watch)
		return;
	HASH_ITER(hh, watch->dirs, dir, next_dir)
		if (dir->round != watch->round) {
			HASH_DEL(watch->dirs, dir);
			(void)inotify_rm_watch(watch->fd, dir->wd); /* -EINVAL: gone already */
			free(dir);
		}
	HASH_ITER(hh, watch->names, name, next_name) {
		name->touched = false;
		if (name->round != watch->round) {
			HASH_DEL(watch->names, name);
			free(name);
		}
	}
	watch->all_touched = false;
}
