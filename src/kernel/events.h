/* Notifications that somebody else changed our device, its addresses or our table. */
#pragma once
#include "kernel/address.h"
#include "kernel/filter.h"

struct events {
	const struct address *address; /* borrowed */
	const struct filter *filter;   /* borrowed */
	struct nl_sock route, nft;
	int poll; /* an epoll that holds both sockets: readable when one is */
};

/* From here on nothing is missed. Borrows both. owned: events_close(). */
MUST_CHECK int events_open(struct events *e, const struct address *address, const struct filter *filter, struct err *err);
void events_close(struct events *e);
unsigned events_read(struct events *e); /* as in kernel.h */
