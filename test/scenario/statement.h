/* What the files of statements share. */
#pragma once
#include "scenario/play.h"

#define PATIENCE 45 /* seconds that an action waits for its ground in a world with a fault more */

/* In a world where something went wrong that the text knows nothing of, actions come a little later. */
#define EVENTUALLY(p, ok)                                              \
	({                                                             \
		bool ok_ = (ok);                                       \
		for (int i_ = 0; !ok_ && (p)->faulted && !(p)->trapped && !(p)->impatient && i_ < PATIENCE; i_++) { \
			world_run(&(p)->w, 1000);                      \
			ok_ = (ok);                                    \
		}                                                      \
		ok_;                                                   \
	})

static inline bool play_need(struct play *p, size_t n, size_t least)
{
	return n >= least ? true : play_fail(p, "words are missing");
}

/* The next address, for rows of them. */
static inline void next_ip(struct ip *ip)
{
	for (size_t i = ip_size(ip); i-- > 0;)
		if (++ip->bytes[i])
			return;
}

bool st_service(struct play *p, char **a, size_t n);
bool st_endpoint(struct play *p, char **a, size_t n);
bool st_endpoints(struct play *p, char **a, size_t n);
bool st_remove(struct play *p, char **a, size_t n);
bool st_sync(struct play *p, char **a, size_t n);
bool st_option(struct play *p, char **a, size_t n);
bool st_foreign(struct play *p, char **a, size_t n);
bool st_quietly(struct play *p, char **a, size_t n);
bool st_ours(struct play *p, char **a, size_t n);
bool st_theirs(struct play *p, char **a, size_t n);
