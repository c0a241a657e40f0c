/* The lock that belongs to the network namespace: a unix socket with an abstract name, which lives and dies with its process and is
 * seen in its namespace alone (unix(7)). The lock in the run directory says nothing of a second run directory. */
#include "daemon/instance.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NAME "sluice/instance"

static const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "\0" NAME };
static const socklen_t size = offsetof(struct sockaddr_un, sun_path) + sizeof(NAME); /* the leading NUL counts, the last does not */

/* Does anybody of whom it may be believed listen there? */
bool instance_held(void)
{
	CLEANUP(close_p) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred cred;
	socklen_t n = sizeof(cred);

	if (fd < 0)
		return false;
	if (connect(fd, (const struct sockaddr *)&address, size) < 0)
		return errno == EAGAIN; /* so many ask that its queue is full; better believed */
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) == 0 && (cred.uid == 0 || cred.uid == geteuid());
}

int instance_hold(int *ret_fd, struct err *ret_warning, struct err *err)
{
	CLEANUP(close_p) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*ret_fd = -1;
	if (fd < 0)
		return err_set(err, -errno, "instance lock: socket: %m");
	if (bind(fd, (const struct sockaddr *)&address, size) == 0 && listen(fd, 1) == 0) {
		*ret_fd = TAKE_FD(fd);
		return 0;
	}
	if (errno != EADDRINUSE)
		return err_set(err, -errno, "instance lock: %m");
	if (instance_held())
		return err_set(err, -EBUSY, "another sluice is running in this network namespace (`ss -xlp` shows it as @" NAME ")");
	(void)err_set(ret_warning, -EADDRINUSE, "a process of another user holds the name @" NAME ": a second sluice here would not be noticed");
	return 0;
}
