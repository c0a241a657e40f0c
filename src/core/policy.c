/* Settings and wishes → one policy. Knows no time and no server. */
#include "core/policy.h"

#include "base/text.h"

#include <string.h>

#define SCHED_FALLBACK 0x8 /* IP_VS_SVC_F_SCHED1: of sh and mh */
#define SCHED_PORT 0x10    /* IP_VS_SVC_F_SCHED2 */

int limit_parse(const char *text, int64_t *ret_ms)
{
	if (strcmp(text, "none") != 0)
		return span_parse(text, ret_ms);
	*ret_ms = LIMIT_NONE;
	return 0;
}

static int64_t limit(int64_t wish, int64_t node)
{
	return wish == LIMIT_NODE ? node : wish;
}

static bool drains(const struct drain_settings *node, uint8_t proto, int64_t limit_ms)
{
	if (proto == PROTO_UDP)
		return node->udp && limit_ms != LIMIT_NONE;
	return proto == PROTO_SCTP ? node->sctp : node->tcp;
}

struct drain_policy drain_policy(const struct drain_settings *node, const struct drain_wish *wish, uint8_t proto)
{
	int64_t limit_ms = limit(wish->limit_ms, node->limit_ms);

	return (struct drain_policy){
		.drains = drains(node, proto, limit_ms),
		.ignore_time_wait = wish->ignore_time_wait,
		.limit_ms = limit_ms,
		.gone_limit_ms = limit(wish->gone_limit_ms, node->gone_limit_ms),
	};
}

bool drain_policy_equal(const struct drain_policy *a, const struct drain_policy *b)
{
	return a->drains == b->drains && a->ignore_time_wait == b->ignore_time_wait && a->limit_ms == b->limit_ms &&
	       a->gone_limit_ms == b->gone_limit_ms;
}

uint32_t sched_flags(const char *sched)
{
	if (strcmp(sched, "sh") == 0)
		return SCHED_FALLBACK;
	return strcmp(sched, "mh") == 0 ? SCHED_FALLBACK | SCHED_PORT : 0;
}

bool sched_valid(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n < SCHED_MAX && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == n;
}
