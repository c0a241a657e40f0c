/* What all Services together want, by virtual server; who has a key that several claim. */
#pragma once
#include "core/compile.h"

struct wanted;
/* One Service's wish. */
struct wish {
	char *service;    /* "namespace/name" */
	int64_t created;  /* Unix seconds; CREATED_UNKNOWN = youngest */
	struct compiled *compiled;
	UT_hash_handle hh;
};

struct wanted *wanted_new(void); /* owned: wanted_free() */
void wanted_free(struct wanted *wanted);

/* Replaces what the Service wanted; takes compiled. Calls touched for every key whose outcome may differ, and conflict
 * for each key that this Service claims together with another (loser and winner are Service names). */
struct wanted_listener {
	void *ctx;
	void (*touched)(void *ctx, const struct vs_key *key);
	void (*conflict)(void *ctx, const struct vs_key *key, const char *loser, const char *winner);
};
void wanted_set(struct wanted *wanted, const char *service, int64_t created, struct compiled *compiled,
		const struct wanted_listener *listener);

/* Who has the key: the oldest of those that claim it, then the first by name; NULL if nobody does. Borrowed until
 * wanted_set(). ret_service may be NULL. */
const struct wanted_vs *wanted_find(const struct wanted *wanted, const struct vs_key *key, const char **ret_service);

/* Each virtual server that somebody has; then each lost claim. Order is not defined. */
void wanted_each(const struct wanted *wanted, void (*each)(void *ctx, const struct wanted_vs *vs, const char *service), void *ctx);
void wanted_each_conflict(const struct wanted *wanted,
			  void (*each)(void *ctx, const struct vs_key *key, const char *loser, const char *winner), void *ctx);
