/* Clients of the tests: single connections, and threads that make new ones without a pause. */
#pragma once
#include "world.h"

#include <stdatomic.h>

/* Where somebody connects to. */
struct target {
	struct ip ip;
	uint16_t port;
	enum via { VIA_TCP, VIA_UDP, VIA_SCTP /* as a stream, otherwise like TCP */ } via;
};
struct target target_vip(int family, int n, uint16_t port); /* TCP */

/* A TCP connection that is open. */
struct conn {
	int fd;
	char who; /* what the server called itself */
};

/* Connects and hears nothing; who is not written. Else as conn_open(). */
MUST_CHECK int conn_begin(const struct world *w, enum place from, const struct target *to, uint16_t local_port, int limit_ms,
			  struct conn *ret);
/* Connects and hears who answers. local_port 0: any. 0 or a negative errno: -ECONNREFUSED, -EHOSTUNREACH,
 * -ECONNRESET, -ETIMEDOUT; ret is written only on success. */
MUST_CHECK int conn_open(const struct world *w, enum place from, const struct target *to, uint16_t local_port, int limit_ms,
			 struct conn *ret);
/* The same, must succeed. */
struct conn conn_must(const struct world *w, enum place from, const struct target *to);
/* Connections until one is served by who. */
struct conn conn_to(const struct world *w, enum place from, const struct target *to, char who);
/* Sends some bytes and waits for them to come back: 0 or a negative errno. */
MUST_CHECK int conn_echo(const struct conn *c, int limit_ms);
void conn_half_close(const struct conn *c); /* sends no more */
void conn_reset(struct conn *c); /* closes by RST: the kernel forgets the connection after 10 s */
void conn_close(struct conn *c); /* closes in order: TIME_WAIT, 120 s */

/* Sends a datagram and waits for the answer. fd: a socket of world_socket(). Gives who answered, or a negative errno. */
MUST_CHECK int datagram_echo(int fd, const struct target *to, int limit_ms);

/* A thread that connects again and again; each connection is closed by RST. The numbers are of all so far. */
struct prober {
	const struct world *w;
	enum place from;
	struct target to;
	int every_ms;                    /* pause between two; 0 = none */
	atomic_uint tried, refused, failed; /* failed: neither served nor refused (timed out, reset, unreachable) */
	atomic_uint served[4];           /* [0] by the node itself or an unknown, [1…3] by that backend */
	_Atomic int64_t began_us[4];     /* when the last connection began that it served */
	atomic_int last_error;           /* negative errno of the last one that failed */
	_Atomic int64_t slowest_us;      /* to be served or refused */
	atomic_bool stop, stopped;
};
struct prober *prober_start(const struct world *w, enum place from, const struct target *to, int every_ms);
void prober_stop(struct prober *p); /* comes back when it has stopped */
/* One full try begins and ends after this call. */
void prober_turn(struct prober *p);
unsigned prober_served(const struct prober *p); /* by anybody */
/* A thread that sends on one connection all the time; it must stay alive. */
struct stream {
	struct conn conn;
	atomic_uint echoes;
	atomic_int error;            /* negative errno; 0 = alive */
	_Atomic int64_t slowest_us;
	atomic_bool stop, stopped;
};
struct stream *stream_start(struct conn conn, int every_ms);
void stream_stop(struct stream *s); /* the connection stays open */
/* It lives: bytes come back now. */
void stream_check(struct stream *s, const char *when);
