/* The inotify side of a directory of manifests: which directories are watched, and what events named. A scan renews
 * the watches: begin, dir and name for all that it meets, end. All functions take NULL: nothing is watched then. */
#pragma once
#include "base/err.h"

struct manifest_watch;

struct manifest_watch *manifest_watch_new(struct err *err); /* owned: manifest_watch_free(); NULL: err says why */
void manifest_watch_free(struct manifest_watch *watch);
int manifest_watch_fd(const struct manifest_watch *watch); /* non-blocking, readable when there are events */

/* Reads all events. true: one of them may have changed what a scan would find. */
bool manifest_watch_read(struct manifest_watch *watch);

void manifest_watch_begin(struct manifest_watch *watch);
/* Watches the directory open at fd, before its entries are read. whole: all manifests in it count, else only the names
 * asked for by manifest_watch_name(). Gives a number for that directory, -1 if it cannot be watched. */
int manifest_watch_dir(struct manifest_watch *watch, int fd, bool whole);
/* Did an event name this entry of a watched directory since the last scan? */
bool manifest_watch_touched(const struct manifest_watch *watch, int dir, const char *name);
/* The same, and events that name it count from now on, also if the directory is not watched as a whole. */
bool manifest_watch_name(struct manifest_watch *watch, int dir, const char *name);
/* Drops the watches that this scan did not renew and forgets what events had named. */
void manifest_watch_end(struct manifest_watch *watch);

/* 0, or the errno with which a directory could not be watched in the last scan. */
int manifest_watch_failure(const struct manifest_watch *watch);
