/* One connection through a real server, as the kernel's connection tracking (conntrack) tells of it. conntrack has clocks of
 * its own, so whether a server is empty is decided by the counters of IPVS alone. */
#pragma once
#include "base/ip.h"

#define FLOW_STATES_OF(X)                                                              \
	X(FLOW_SYN, "syn")                 /* not open yet */                          \
	X(FLOW_ESTABLISHED, "established")                                             \
	X(FLOW_FIN_WAIT, "fin-wait")       /* one side ended, the other has not said that it knows */ \
	X(FLOW_CLOSE_WAIT, "close-wait")   /* half closed: the other side may still send */ \
	X(FLOW_LAST_ACK, "last-ack")                                                   \
	X(FLOW_TIME_WAIT, "time-wait")     /* over in good order */                    \
	X(FLOW_CLOSE, "close")             /* over by a reset */                       \
	X(FLOW_OTHER, "other")             /* without states (UDP), or not known to us */
enum flow_state {
#define X(id, word) id,
	FLOW_STATES_OF(X)
#undef X
	FLOW_STATES
};
const char *flow_state_word(enum flow_state state);

struct flow {
	struct ip client;
	uint8_t state;   /* enum flow_state */
	uint16_t port;   /* the client's, host byte order */
	uint32_t left_s; /* until the kernel forgets it if no packet comes; 0 = not told (UDP, SCTP) */
};
