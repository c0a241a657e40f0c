/* The vocabulary of kernel operations, and their order within a pass. */
#pragma once
#include "core/types.h"

/* Up: guard the address (NEW to it is refused) → bind → VS → RS → serve the key (NEW to it passes to IPVS).
 * Down: stop serving → RS to zero … delete → VS → unbind → unguard. */
#define OP_KINDS(X)                                                                       \
	X(OP_GUARD, 10, "guard")       /* refuse NEW to the address ip… */                \
	X(OP_ADDR_ADD, 20, "addr-add") /* …before it is local: bind ip on the device */   \
	X(OP_VS_ADD, 30, "vs-add")     /* vs, attrs */                                    \
	X(OP_VS_SET, 31, "vs-set")     /* vs, attrs: in place */                          \
	X(OP_RS_ADD, 40, "rs-add")     /* vs, rs, weight */                               \
	X(OP_RS_RAISE, 41, "rs-raise") /* vs, rs, weight: in place */                     \
	X(OP_SERVE, 45, "serve")       /* NEW to vs passes to IPVS; ping to its ip too */ \
	X(OP_UNSERVE, 48, "unserve")   /* vs; last_on_ip: ping to its ip ends too */      \
	X(OP_RS_ZERO, 50, "rs-zero")   /* vs, rs: weight 0 in place */                    \
	X(OP_RS_DEL, 60, "rs-del")     /* vs, rs */                                       \
	X(OP_VS_DEL, 70, "vs-del")     /* vs */                                           \
	X(OP_ADDR_DEL, 80, "addr-del") /* ip */                                           \
	X(OP_UNGUARD, 90, "unguard")   /* ip */

enum op_kind {
#define X(id, order, word) id = (order),
	OP_KINDS(X)
#undef X
};

struct op {
	enum op_kind kind;
	struct vs_key vs;      /* all but the operations on addresses; those use vs.ip alone, proto and port are 0 */
	struct rs_key rs;      /* OP_RS_* */
	struct vs_attrs attrs; /* OP_VS_ADD, OP_VS_SET */
	int32_t weight;        /* OP_RS_ADD, OP_RS_RAISE, OP_RS_ZERO (0) */
	uint64_t uid;          /* OP_RS_ADD: which pod it is; 0 = not known. The kernel has no place for it */
	bool last_on_ip;       /* OP_UNSERVE: no other served key is left on this address; set when it is sent */
	const char *why;       /* one word for the log; static text or NULL */
};

const char *op_word(enum op_kind kind); /* "rs-add" */

/* -EINPROGRESS never; 0 = acknowledged. -ETIMEDOUT = no answer, so nobody knows. -EEXIST, -ENOENT, -ESRCH, … as the
 * kernel answered. */
struct op_result {
	int code;
};
