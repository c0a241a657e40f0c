/* The unix socket that status and drains ask: HTTP with JSON answers, for root alone. */
#pragma once
#include "base/err.h"

struct uv_loop_s;
struct view;
struct view_ask;

#define CONTROL_SOCKET "sluice.sock" /* in the run directory */

/* Where its answers come from; called from the loop. */
struct control_face {
	void *ctx;
	/* ask says of which drains the kernel is to be asked who holds them. Owned by the caller: view_free() */
	struct view *(*view)(void *ctx, const struct view_ask *ask);
};

struct control;
/* Listens at path, mode 0600. A socket that is there already is removed: whoever calls holds the lock of the run
 * directory, so nobody else answers on it. Anything else at path is -EEXIST. face and the strings are copied. */
MUST_CHECK int control_start(struct uv_loop_s *loop, const char *path, const struct control_face *face, struct control **ret,
			     struct err *err);
/* Closes everything and removes the socket; NULL is fine. The memory goes when the loop has run the closing callbacks. */
void control_stop(struct control *control);
