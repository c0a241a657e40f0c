/* The filter's table as messages: names, sets, chains and rules. Private to the filter. */
#pragma once
#include "core/types.h"
#include "kernel/netlink.h"

#define FILTER_TABLE "sluice"

/* Names are kube-proxy's words where it has one. */
#define FILTER_SETS(X)                                                                    \
	X(SET_GUARDED4, "ipvs-ips", 4)        /* addresses of ours: refuse what is not… */ \
	X(SET_GUARDED6, "ipvs-ips-v6", 16)                                                \
	X(SET_SERVED4, "cluster-ip", 12)      /* …served: address, protocol, port */       \
	X(SET_SERVED6, "cluster-ip-v6", 24)                                               \
	X(SET_PINGED4, "ping-ips", 4)         /* addresses whose ping is answered */       \
	X(SET_PINGED6, "ping-ips-v6", 16)

enum filter_set_id {
#define X(id, name, len) id,
	FILTER_SETS(X)
#undef X
	SET_COUNT
};
#define FILTER_KEY_MAX 24

/* Keys of one set, and of all. {0} is empty. */
struct filter_key {
	uint8_t bytes[FILTER_KEY_MAX]; /* as the kernel has it; the rest 0 */
};
struct filter_keys {
	VEC(struct filter_key) rows;
};
struct filter_sets {
	struct filter_keys of[SET_COUNT]; /* by enum filter_set_id */
};
/* Into the set v4, or its twin for IPv6. */
void filter_sets_add_ip(struct filter_sets *sets, enum filter_set_id v4, const struct ip *ip);
void filter_sets_add_vs(struct filter_sets *sets, enum filter_set_id v4, const struct vs_key *vs);
void filter_sets_tidy(struct filter_sets *sets); /* sorts, and drops what is there twice */
/* Drops the keys that there does not have (common), or those that it has. Both tidy. */
void filter_sets_keep(struct filter_sets *sets, const struct filter_sets *there, bool common);
void filter_sets_fini(struct filter_sets *sets);
struct ip filter_key_ip(const struct filter_key *key, enum filter_set_id id);
struct vs_key filter_key_vs(const struct filter_key *key, enum filter_set_id id);

const char *filter_set_name(enum filter_set_id id);
size_t filter_set_len(enum filter_set_id id);

/* A request about an object of nf_tables, whatever its type; attributes follow. */
struct nlmsghdr *filter_put(struct nl_batch *batch, uint8_t type, uint16_t flags, size_t room);
void filter_put_begin(struct nl_batch *batch);
void filter_put_end(struct nl_batch *batch);
void filter_put_table(struct nl_batch *batch);       /* makes the table */
void filter_put_table_gone(struct nl_batch *batch);  /* deletes it */
/* Sets, chains, rules; no elements. renew: what is there may be ours already, then sets and chains stay and the rules are exchanged. */
void filter_put_content(struct nl_batch *batch, bool renew);
/* add, or delete; nothing at all for an empty set. */
void filter_put_keys(struct nl_batch *batch, bool add, const struct filter_sets *sets);
