/* Reading the filter's table back. Private to the filter. */
#pragma once
#include "kernel/filter_rules.h"

/* The table without its elements. */
struct filter_sight {
	bool table;       /* there is one */
	uint64_t digest;  /* of everything that matters: equal means that table, sets, chains and rules are the same */
	bool sets[SET_COUNT]; /* this set is there with the right type: its elements can be read */
};

MUST_CHECK int filter_see(struct nl_sock *nl, struct filter_sight *ret, struct err *err);
/* The elements of one set. Appends to ret. -ENOENT: no such set, or no table. */
MUST_CHECK int filter_read_keys(struct nl_sock *nl, enum filter_set_id id, struct filter_keys *ret, struct err *err);
/* The digest that a table has right after it was made by these messages. */
uint64_t filter_digest(const struct nl_batch *batch);
