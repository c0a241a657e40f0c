/* One state of the small world: a Service with one virtual server, two real servers, one address; the kernel; the daemon. A plain value:
 * two states are the same if their bytes are. Always zeroed before it is filled in. */
#pragma once
#include "base/mem.h"

enum { A, B, SERVERS };

/* A moment, as far from now as it matters. Everything behind 10 ms is one: which of two far moments comes first is tried both ways. */
enum when { NEVER, DUE, IN_5MS, IN_10MS, FAR };
#define TICK_MS 5

/* What the source says of an endpoint. Terminating: it still serves, so it is wanted if no other is ready. */
enum endpoint { GONE, READY, TERMINATING };

/* Which pod the source says A is: that is not known, or one of two. Of B it is never known. */
enum pod { POD_UNKNOWN, POD_ONE, POD_TWO, PODS };

struct source {
	uint8_t service : 1;
	uint8_t pod : 2;      /* enum pod; 0 while A is gone */
	uint8_t a : 2, b : 2; /* enum endpoint */
};

struct kernel_rs {
	uint8_t present : 1, weight : 1;
	uint8_t active : 2, inactive : 2;
	uint8_t late : 2; /* so many ticks, and what was past the scheduler when the weight became 0 cannot come any more */
	/* Witnesses: what is true of it, whatever the daemon believes. */
	uint8_t acked : 1;  /* the daemon was told of weight 0 … */
	uint8_t read : 1;   /* … and its counters were read after that */
	uint8_t raised : 1; /* a foreign hand raised it: what is scheduled to it now is not ours to answer for */
	uint8_t limit : 3;  /* enum when: the limit of its drain, counted from the first weight 0 that the daemon knows of */
	uint8_t pods : 2;   /* a bit for each known pod that was wanted at its address while it was there */
	/* Of the one that was here before it: connections that the kernel has not ended yet, and its pods. */
	uint8_t left : 2, left_pods : 2;
};

struct kernel_model {
	struct kernel_rs rs[SERVERS];
	uint8_t vs : 1, bound : 1, guarded : 1, served : 1, pinged : 1;
};

/* The record of an address that waits for the end of what a server had there. */
enum flush_model { FLUSH_NONE, FLUSH_AHEAD /* its server is not deleted yet */, FLUSH_BEGUN };

/* The mirror, without what decides nothing. Ages in ticks, 0 = never, else 1 + age, as far back as it matters. */
struct mirror_rs {
	uint8_t exists : 1, weight : 1, counted : 1 /* some connection */, missed : 1, on : 1, old_limit : 1 /* it was read behind its deadline */;
	uint8_t verdict : 3, checks : 2;
	uint8_t zeroed_at : 3, zero_since : 3, counted_at : 2;
	uint8_t deadline : 3, next_check : 3, limit : 3; /* enum when */
	uint8_t uid : 2, superseded : 1;      /* enum pod */
	uint8_t flush : 2, flush_next : 3;    /* enum flush_model, enum when; it may exist or not */
};

struct mirror {
	struct mirror_rs rs[SERVERS];
	uint8_t vs : 1, present : 1, ours : 1, unsure : 1, served : 1, stale : 1, dirty : 1;
	uint8_t attrs : 1, gone : 1;
	uint8_t gone_until : 3, retry : 3;
	uint8_t addr : 1, bound : 1, guarded : 1, pinged : 1, addr_ours : 1, addr_dirty : 1;
	uint8_t linger : 3, addr_retry : 3;
	uint8_t fresh : 1, filter_stale : 1, addrs_stale : 1, vss_stale : 1;
};

struct journal_model {
	uint8_t vs : 1, addr : 1, gone : 1, linger : 1, drain_a : 1, drain_b : 1;
	uint8_t gone_until : 3, linger_until : 3, until_a : 3, until_b : 3;
	uint8_t uid_a : 2; /* enum pod */
};

struct small_op {
	uint8_t kind; /* enum op_kind */
	uint8_t rs : 1;
	uint8_t limit_came : 1; /* before it was planned: it may cut */
	uint8_t pod : 2;        /* of OP_RS_ADD */
};

enum phase { RUN, START_LIST, START_RSS };

#define OPS_MAX 8
struct daemon_model {
	struct mirror mirror;
	struct small_op ops[OPS_MAX]; /* the pass in progress: what is left of it */
	uint8_t n_ops : 4, phase : 2;
	uint8_t any_wanted : 1; /* while it is in progress: some real server was wanted when it was planned */
	uint8_t checked : 1; /* its drains, in this turn: now it plans */
	uint8_t wake : 3, read_retry : 3;
};

enum hand { HAND_FREE, HAND_UNSEEN, HAND_SEEN };

struct world {
	struct source source;
	struct kernel_model kernel;
	struct daemon_model daemon;
	struct journal_model journal;
	uint8_t limit_came : 1; /* the Service is gone for longer than its drains may last */
	uint8_t failures : 2, skips : 2, restarts : 1; /* what is left of each trouble on this path */
	uint8_t hand : 2;       /* enum hand */
	uint8_t blind : 1;      /* a dump missed a server that the mirror does not know: only an audit will find it */
};

/* What is explored from one beginning. */
struct bounds {
	const char *name;
	uint8_t failures, skips, restarts;
	bool hand;
	bool limit;      /* service_drain_limit_ms is set */
	bool own_limit;  /* drain_limit_ms is set */
	bool pods;       /* the source says which pod A is, and it may become another one */
	bool lone;       /* there is no B */
	bool b_back;     /* B may come back once it was gone */
	bool steady;     /* the Service and B stay as they are */
	uint8_t clients[SERVERS]; /* so many at once */
};
extern struct bounds bounds;

/* Told by whoever finds an invariant broken; the first one stays. */
void broken(const char *format, ...) PRINTF(1, 2);
