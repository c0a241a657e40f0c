/* How the backends of a virtual server leave it: the node's settings, and what a Service's annotations say instead. Pure. */
#pragma once
#include "core/types.h"

#define LIMIT_NONE (-1)
#define LIMIT_NODE (-2) /* in a wish: what holds for the node */

/* Of one virtual server. */
struct drain_policy {
	bool drains;           /* false: deleted at once */
	bool ignore_time_wait; /* connections that are over and only remembered do not hold a drain */
	int64_t limit_ms;      /* of one real server's drain; LIMIT_NONE */
	int64_t gone_limit_ms; /* of all of them once their Service or port is gone; LIMIT_NONE */
};
/* The node's flags. */
struct drain_settings {
	bool tcp, sctp, udp; /* these drain */
	int64_t limit_ms;
	int64_t gone_limit_ms;
};
/* A Service's annotations. */
struct drain_wish {
	int64_t limit_ms, gone_limit_ms; /* LIMIT_NODE, LIMIT_NONE, or milliseconds */
	bool ignore_time_wait;
};
#define DRAIN_WISH_NONE ((struct drain_wish){ LIMIT_NODE, LIMIT_NODE, false })

/* UDP drains only with a limit: a client that goes on from the same port renews its entry for ever. */
struct drain_policy drain_policy(const struct drain_settings *node, const struct drain_wish *wish, uint8_t proto);

bool drain_policy_equal(const struct drain_policy *a, const struct drain_policy *b);

/* "30s", "1m30s", "none". -EINVAL. */
MUST_CHECK int limit_parse(const char *text, int64_t *ret_ms);

/* The flags that a scheduler needs so that a server of weight 0 refuses nobody (IP_VS_SVC_F_SCHED1: fall back to the next one; _SCHED2: mh
 * hashes the port too), as kernel and ipvsadm have them. 0 for all others. */
uint32_t sched_flags(const char *sched);
/* Can it be the name of a scheduler? */
bool sched_valid(const char *name);
