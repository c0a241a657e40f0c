/* A small world in network namespaces of its own: a client, a node and three backends, IPv4 and IPv6. The namespaces have no
 * names and are held by descriptors alone, so any number of worlds fit side by side and each dies with its process.
 *
 *   client 198.51.100.90  2001:db8:3::90 ── 198.51.100.1  2001:db8:3::1 node 192.0.2.1  2001:db8:1::1 ── backends 192.0.2.11…13
 *   The client reaches 203.0.113.0/24 and 2001:db8:2::/64 through the node.        2001:db8:1::11…13
 */
#pragma once
#include "base/ip.h"
#include "check.h"

enum place { CLIENT, NODE, BACKEND1, BACKEND2, BACKEND3, PLACES };
#define BACKENDS 3

/* Everything a test needs to find again; one per test process. */
struct world {
	int ns[PLACES];      /* descriptors of the namespaces */
	char dir[64];        /* a directory of its own */
	char manifests[96];  /* DIR/manifests */
	char run_dir[96];    /* DIR/run */
};

/* Builds it; fails the test if it cannot. Never freed: it dies with the process. */
struct world *world_new(void);

/* The calling thread is in that namespace from now on. */
void world_enter(const struct world *w, enum place place);

/* A socket in a namespace, non-blocking; the calling thread stays where it is. */
int world_socket(const struct world *w, enum place place, int family, int type);
int world_socket_of(const struct world *w, enum place place, int family, int type, int protocol); /* IPPROTO_SCTP */

/* Runs a shell command in a namespace; gives its exit status. */
int world_run(const struct world *w, enum place place, const char *fmt, ...) PRINTF(3, 4);
/* The same; its standard output goes to ret (owned: free()). Fails the test if the command does. */
char *world_output(const struct world *w, enum place place, const char *fmt, ...) PRINTF(3, 4);
/* Runs a shell command that must succeed. */
void world_must(const struct world *w, enum place place, const char *fmt, ...) PRINTF(3, 4);
/* Opens a file of /proc/net as the namespace shows it. */
int world_proc_net(const struct world *w, enum place place, const char *name);
/* The value of a sysctl in a namespace, without its newline; owned: free(). */
char *world_sysctl(const struct world *w, enum place place, const char *key);

/* Addresses of this world. family: AF_INET or AF_INET6. */
struct ip world_address(enum place place, int family); /* backends: their own; node: the client's side */
struct ip world_vip(int family, int n);                /* 203.0.113.n, 2001:db8:2::n (n as its decimal digits) */
struct ip world_ip(const char *text);                  /* fails the test if it is no address */
