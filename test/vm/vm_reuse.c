/* Why the sysctls are as they are: a client that uses a port again while the server of its last connection has weight 0, in each
 * combination of the three that matter. No sluice runs here. */
#include "scene.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

struct mode {
	bool expire, reuse, conntrack;
};
enum last { LAST_RESET, LAST_CLOSED, LAST_OPEN, LASTS };
static const char *const last_words[] = { "reset", "closed", "still open" };

#define KEY "203.0.113.10:80"

static void set(const struct world *w, const char *key, bool on)
{
	world_must(w, NODE, "sysctl -qw net.ipv4.vs.%s=%d", key, on);
}

static void weight_of_first(const struct world *w, int weight)
{
	world_must(w, NODE, "ipvsadm -e -t " KEY " -r 192.0.2.11:8080 -m -w %d", weight);
}

/* A connection to the first server, from a port that is told. */
static struct conn first_of(const struct world *w, const struct target *to, uint16_t *port)
{
	struct conn c;

	for (int tries = 0; tries < 20; tries++) {
		int code = conn_open(w, CLIENT, to, ++*port, 5000, &c);

		need(code == 0, "connect from port %u: %s", *port, strerror(-code));
		if (c.who == '1')
			return c;
		conn_reset(&c);
	}
	check_fail("no connection came to the first server");
}

/* Its client forgets it; only of an open one the kernel of the node hears nothing. */
static void end(const struct world *w, struct conn *c, enum last last, uint16_t port)
{
	if (last == LAST_OPEN)
		world_must(w, CLIENT, "nft 'add table ip t; add chain ip t o { type filter hook output priority 0; }; "
				      "add rule ip t o tcp sport %u tcp flags & rst == rst drop'", port);
	if (last == LAST_CLOSED)
		conn_close(c);
	else
		conn_reset(c);
	pause_ms(100);
	if (last == LAST_OPEN)
		world_must(w, CLIENT, "nft delete table ip t");
}

static void try_one(const struct world *w, const struct mode *mode, enum last last, uint16_t *port)
{
	const struct target to = target_vip(AF_INET, 10, 80);
	CLEANUP(free_p) char *what = xfmt("expire_nodest_conn=%d conn_reuse_mode=%d conntrack=%d, %s", mode->expire, mode->reuse, mode->conntrack,
					  last_words[last]);
	bool sticks = !mode->expire && !mode->reuse; /* as measured on 6.1, 6.12 and 7.2 */
	struct conn c;
	int64_t began_us;
	int code;

	weight_of_first(w, 1);
	c = first_of(w, &to, port);
	weight_of_first(w, 0);
	end(w, &c, last, *port);
	began_us = now_us();
	code = conn_open(w, CLIENT, &to, *port, 5000, &c);
	need(code == 0, "%s: no new connection: %s", what, strerror(-code));
	need(sticks == (c.who == '1'), "%s: it came to server %c", what, c.who);
	need(sticks || now_us() - began_us < 2500000, "%s: it took %.2f s", what, (double)(now_us() - began_us) / 1e6);
	conn_reset(&c);
}

static void a_port_that_is_used_again(void)
{
	struct world *w = world_new();
	struct server *servers[BACKENDS];
	uint16_t port = 41000;

	servers_start(w, servers);
	world_must(w, CLIENT, "sysctl -qw net.ipv4.tcp_max_tw_buckets=0"); /* an orderly close leaves its port free */
	world_must(w, NODE, "ip addr add 203.0.113.10/32 dev lo; ipvsadm -A -t " KEY " -s rr");
	/* Something that makes the kernel use conntrack at all. */
	world_must(w, NODE, "nft 'add table inet seen; add chain inet seen in { type filter hook input priority 0; }; add rule inet seen in ct state new accept'");
	for (int i = 1; i <= 2; i++)
		world_must(w, NODE, "ipvsadm -a -t " KEY " -r 192.0.2.1%d:8080 -m -w 1", i);
	for (int i = 0; i < 8; i++) {
		const struct mode mode = { i & 4, i & 2, i & 1 };

		set(w, "expire_nodest_conn", mode.expire);
		set(w, "conn_reuse_mode", mode.reuse);
		set(w, "conntrack", mode.conntrack);
		for (enum last last = 0; last < LASTS; last++)
			try_one(w, &mode, last, &port);
	}
}

static const struct check_test tests[] = {
	{ "a-port-that-is-used-again", a_port_that_is_used_again, 0 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
