/* IP addresses of both families as plain values: padding-free, so memcmp() and hashing work on them. */
#pragma once
#include "base/err.h"

#define IP_TEXT 46 /* longest text of an address, with its NUL */

struct ip {
	uint8_t family;    /* AF_INET or AF_INET6; 0 = none */
	uint8_t bytes[16]; /* network byte order; IPv4 in the first 4, the rest 0 */
};
_Static_assert(sizeof(struct ip) == 17, "struct ip has padding");

/* Strict text form (inet_pton), except that leading zeros of an IPv4 part are tolerated, as Kubernetes
 * does. Zone suffixes and IPv4-mapped IPv6 addresses are refused. -EINVAL. */
MUST_CHECK int ip_parse(const char *text, struct ip *ret_ip);

/* Canonical text in ret (RFC 5952 as inet_ntop writes it); gives ret back. "none" for family 0. */
const char *ip_format(const struct ip *ip, char ret[IP_TEXT]);

size_t ip_size(const struct ip *ip);                     /* 4, 16 or 0 */
int ip_cmp(const struct ip *a, const struct ip *b);      /* total order, IPv4 before IPv6 */
bool ip_equal(const struct ip *a, const struct ip *b);
bool ip_is_loopback(const struct ip *ip);                /* 127/8, ::1 */
bool ip_is_link_local(const struct ip *ip);              /* fe80::/10; 169.254/16 */
bool ip_is_multicast(const struct ip *ip);               /* 224/4, ff00::/8 */
bool ip_is_unspecified(const struct ip *ip);             /* 0.0.0.0, :: */
