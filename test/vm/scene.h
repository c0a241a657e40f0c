/* What most tests begin with: a world, its servers, the Service web at one address of each family, sluice running. */
#pragma once
#include "client.h"
#include "daemon.h"
#include "server.h"

/* How long a change of a manifest may take to reach the kernel, on the slowest machine. */
#define CHANGE_MS 5000
#define START_MS 60000 /* the same after a start: on a busy emulated machine loading the modules alone takes long */
/* An entry of the kernel's that was closed by RST is forgotten after 10 s; plus two checks. */
#define FORGET_MS 10000
#define NOTICE_MS 3000

struct scene {
	struct world *w;
	struct server *servers[BACKENDS];
	struct daemon *daemon;
	struct target web[2];  /* IPv4, IPv6 */
	struct vs_key vs[2];
	struct rs_key first[2]; /* the first backend */
};
/* options of sluice run; comes back when everything is served. */
struct scene *scene_new(const char *options);
/* The same without starting sluice; daemon is NULL. */
struct scene *scene_quiet(void);
/* Both families of the Service are served. */
void scene_await_served(const struct scene *s);

#define FAMILY(i) ((i) ? AF_INET6 : AF_INET)
/* The backends of web: bits as for manifest_slice(), both families. */
void scene_backends(const struct scene *s, unsigned backends);
/* n new connections, each closed by RST; all must be served, none by that server. */
void scene_others(const struct scene *s, int family, int n, char not_who);
