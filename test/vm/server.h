/* Servers of the tests: each says who it is and sends everything back. One thread each, TCP and UDP, IPv4 and IPv6. */
#pragma once
#include "world.h"

#include <stdatomic.h>

struct server {
	const struct world *w;
	enum place place;
	uint16_t tcp_port, udp_port; /* 0 = none */
	char who;                    /* what it calls itself: '1', '2', '3' for backends, 'N' for the node */
	atomic_uint accepted;        /* connections */
	atomic_uint datagrams;
	atomic_uint open;            /* connections now */
};

/* Listens before it comes back. A new TCP connection gets one byte, who it is, then an echo; a datagram comes back
 * with that byte before it. Never freed. */
struct server *server_start(const struct world *w, enum place place, uint16_t tcp_port, uint16_t udp_port);

/* Listens and takes nothing: the kernel alone opens connections, and nobody ever ends them. A descriptor that holds it. */
int server_mute(const struct world *w, enum place place, uint16_t tcp_port);

/* The same for SCTP, as a stream. */
struct server *server_start_sctp(const struct world *w, enum place place, uint16_t port);
#define TCP_PORT 8080 /* of the backends */
#define UDP_PORT 5353
/* The three backends. */
void servers_start(const struct world *w, struct server *ret[BACKENDS]);
