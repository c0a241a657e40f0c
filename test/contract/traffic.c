/* Clients and servers of the tests: the fake kernel's, or real ones in network namespaces around the node. */
#include "contract/contract.h"

#include "vm/client.h"
#include "vm/server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define SERVED_MS 15000
#define MUTE_PORT 8081

struct client {
	char name[64];
	struct conn conn;
};
struct traffic {
	struct world *w;
	int mute;
	char dir[64];
	VEC(struct client) clients;
};

struct traffic *traffic_new(void)
{
	struct traffic *t = xzalloc(sizeof(*t));
	struct server *servers[BACKENDS];

	(void)snprintf(t->dir, sizeof(t->dir), "/tmp/sluice-contract-XXXXXX");
	if (!mkdtemp(t->dir))
		abort();
	check_dir = t->dir;
	t->w = world_new();
	servers_start(t->w, servers);
	t->mute = server_mute(t->w, BACKEND1, MUTE_PORT);
	world_enter(t->w, NODE);
	return t;
}

void traffic_free(struct traffic *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->clients.n; i++)
		conn_reset(&t->clients.v[i].conn);
	(void)close(t->mute);
	world_must(t->w, NODE, "rm -rf %s", t->dir);
	free(t->clients.v);
	free(t);
}

static void connect_real(struct traffic *t, const char *client, const struct target *to, bool mute)
{
	struct client *new = vec_push(&t->clients);
	uint16_t port = rs_of(client).port;
	int code = (mute ? conn_begin : conn_open)(t->w, CLIENT, to, port, SERVED_MS, &new->conn);

	need(code == 0, "%s is not served: %s", client, strerror(-code));
	(void)snprintf(new->name, sizeof(new->name), "%s", client);
}

static void connect_any(struct contract *c, const char *client, const char *vs, bool mute)
{
	struct vs_key key = vs_of(vs);

	if (!c->fake)
		connect_real(c->traffic, client, &(struct target){ key.ip, key.port, VIA_TCP }, mute);
	else if (fake_connect(c->fake, client, client, &key, NULL) != FAKE_ACCEPTED)
		abort();
}

void hand_connect(struct contract *c, const char *client, const char *vs)
{
	connect_any(c, client, vs, false);
}

void hand_connect_mute(struct contract *c, const char *client, const char *vs)
{
	connect_any(c, client, vs, true);
}

void hand_connect_past(struct contract *c, const char *client, const char *rs)
{
	struct rs_key key = rs_of(rs);

	if (!c->fake)
		connect_real(c->traffic, client, &(struct target){ key.ip, key.port, VIA_TCP }, false);
}

void hand_datagram(struct contract *c, const char *client, const char *vs)
{
	struct vs_key key = vs_of(vs);
	const struct target to = { key.ip, key.port, VIA_UDP };
	int fd, code;

	if (c->fake) {
		if (fake_connect(c->fake, client, client, &key, NULL) != FAKE_ACCEPTED)
			abort();
		return;
	}
	fd = world_socket(c->traffic->w, CLIENT, key.ip.family, SOCK_DGRAM);
	code = datagram_echo(fd, &to, SERVED_MS);
	need(code >= 0, "a datagram to %s: %s", vs, strerror(-code));
	(void)close(fd);
}

static struct conn *find(struct contract *c, const char *client)
{
	struct traffic *t = c->traffic;

	for (size_t i = 0; i < t->clients.n; i++)
		if (!strcmp(t->clients.v[i].name, client))
			return &t->clients.v[i].conn;
	abort();
}

void hand_half_close(struct contract *c, const char *client)
{
	if (!c->fake)
		conn_half_close(find(c, client));
	else if (fake_fin(c->fake, client) < 0)
		abort();
}

void hand_close(struct contract *c, const char *client)
{
	if (!c->fake)
		conn_close(find(c, client));
	else if (fake_close(c->fake, client) < 0)
		abort();
}

void hand_reset(struct contract *c, const char *client)
{
	if (!c->fake)
		conn_reset(find(c, client));
	else if (fake_reset(c->fake, client) < 0)
		abort();
}

void hand_wait(struct contract *c, int ms)
{
	if (c->fake)
		fake_advance(c->fake, ms);
	else
		pause_ms(ms);
}

void hand_short_idle(struct contract *c)
{
	if (!c->fake)
		world_must(c->traffic->w, NODE, "ipvsadm --set 2 0 0");
}

void hand_wait_idle(struct contract *c)
{
	if (c->fake)
		fake_advance(c->fake, 900 * 1000);
}
