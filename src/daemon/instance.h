/* One sluice for one network namespace, whatever its run directory: two would undo each other's work for ever. */
#pragma once
#include "base/err.h"

/* Holds the namespace until *ret_fd is closed. -EBUSY: another one holds it. A holder that is not the superuser's proves nothing
 * and is passed over (anybody may take the name): *ret_fd is -1 then, and ret_warning has a sentence. */
MUST_CHECK int instance_hold(int *ret_fd, struct err *ret_warning, struct err *err);

/* Does a sluice of this user or of the superuser hold it? */
bool instance_held(void);
