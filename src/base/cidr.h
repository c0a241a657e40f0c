/* Ranges of addresses: "10.0.0.0/8", "fd00::/64". */
#pragma once
#include "base/ip.h"

struct cidr {
	struct ip ip; /* bits behind the prefix are 0 */
	uint8_t bits; /* length of the prefix: 0…32, 0…128 */
};
struct cidrs {
	VEC(struct cidr) list; /* owned: free(list.v) */
};

/* "ADDRESS/BITS"; bits behind the prefix are cleared. -EINVAL. */
MUST_CHECK int cidr_parse(const char *text, struct cidr *ret_cidr);
/* "A/B, C/D": appends; blanks around an item and an empty text are fine. -EINVAL with a sentence that names the item. */
MUST_CHECK int cidrs_parse(const char *text, struct cidrs *ret_cidrs, struct err *err);
bool cidr_has(const struct cidr *cidr, const struct ip *ip);
bool cidrs_have(const struct cidrs *cidrs, const struct ip *ip); /* NULL has none */
