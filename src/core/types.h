/* Keys that everything is found by. Plain values without padding: memcmp() and uthash work on their bytes. */
#pragma once
#include "base/ip.h"

/* Transport protocols of IPVS, by their IP protocol numbers. */
enum proto { PROTO_TCP = 6, PROTO_UDP = 17, PROTO_SCTP = 132 };

/* A virtual server. port in host byte order, never 0. */
struct vs_key {
	struct ip ip;
	uint8_t proto; /* enum proto */
	uint16_t port;
};
_Static_assert(sizeof(struct vs_key) == 20, "struct vs_key has padding");

/* A real server within its virtual server; pad is always 0. port in host byte order. */
struct rs_key {
	struct ip ip;
	uint8_t pad;
	uint16_t port;
};
_Static_assert(sizeof(struct rs_key) == 20, "struct rs_key has padding");

#define VS_TEXT (IP_TEXT + 16)
#define RS_TEXT (IP_TEXT + 9)

/* "10.96.0.10:80/tcp", "[fd00::1]:80/udp"; gives ret back. */
const char *vs_format(const struct vs_key *vs, char ret[VS_TEXT]);
/* "10.1.0.5:8080", "[fd00::5]:8080"; gives ret back. */
const char *rs_format(const struct rs_key *rs, char ret[RS_TEXT]);
/* The inverse of vs_format() and rs_format(), exactly. -EINVAL. */
MUST_CHECK int vs_parse(const char *text, struct vs_key *ret_vs);
MUST_CHECK int rs_parse(const char *text, struct rs_key *ret_rs);

int vs_cmp(const struct vs_key *a, const struct vs_key *b);
int rs_cmp(const struct rs_key *a, const struct rs_key *b);

const char *proto_name(uint8_t proto);                               /* "tcp", "udp", "sctp", else "?" */
MUST_CHECK int proto_parse(const char *text, uint8_t *ret_proto);    /* any case; -EINVAL */

/* How IPVS treats a virtual server. Values as the kernel has them. */
#define SCHED_MAX 16
#define VS_FLAG_PERSISTENT 0x1 /* IP_VS_SVC_F_PERSISTENT */
#define VS_FLAG_HASHED 0x2     /* IP_VS_SVC_F_HASHED: the kernel's own mark, never part of a comparison */
struct vs_attrs {
	char sched[SCHED_MAX]; /* NUL-terminated and NUL-filled: "rr" */
	uint32_t flags;
	uint32_t timeout_s;    /* persistence; 0 without */
};
bool vs_attrs_equal(const struct vs_attrs *a, const struct vs_attrs *b); /* VS_FLAG_HASHED apart */

/* A real server as a dump of the kernel shows it. */
struct rs_row {
	struct rs_key key;
	int32_t weight;
	uint32_t active, inactive, persist; /* ActiveConn, InActConn, PersistConn */
};
/* A virtual server as a dump of the kernel shows it. */
struct vs_row {
	struct vs_key key;
	struct vs_attrs attrs;
};
