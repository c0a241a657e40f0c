/* The tests' own ground: the world, its servers and clients, and the view of the table, on a table that ipvsadm laid. */
#include "client.h"
#include "server.h"
#include "table.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char lay[] =
	"ip link add kube-ipvs0 type dummy && ip addr add 203.0.113.10/32 dev kube-ipvs0 && "
	"ip addr add 2001:db8:2::10/128 dev kube-ipvs0 nodad && ipvsadm -R <<X\n"
	"-A -t 203.0.113.10:80 -s rr\n-a -t 203.0.113.10:80 -r 192.0.2.11:8080 -m\n-a -t 203.0.113.10:80 -r 192.0.2.12:8080 -m\n"
	"-A -t [2001:db8:2::10]:80 -s rr\n-a -t [2001:db8:2::10]:80 -r [2001:db8:1::11]:8080 -m\n"
	"-A -u 203.0.113.10:53 -s rr\n-a -u 203.0.113.10:53 -r 192.0.2.13:5353 -m\n-A -f 7 -s wlc\nX\n";

static void packets_go_round(void)
{
	struct world *w = world_new();
	struct server *servers[BACKENDS];
	struct target web = target_vip(AF_INET, 10, 80), dns = { world_vip(AF_INET, 10), 53, VIA_UDP }, web6 = target_vip(AF_INET6, 10, 80);
	const struct vs_key vs = vs_key_of("203.0.113.10:80/tcp");
	const struct rs_key rs = rs_key_of("192.0.2.11:8080");
	int udp = world_socket(w, CLIENT, AF_INET, SOCK_DGRAM);
	struct watch *watch;
	struct conn c, c6;

	servers_start(w, servers);
	world_must(w, NODE, "%s", lay);
	watch = watch_start(w, &vs, &rs);
	c = conn_to(w, CLIENT, &web, '1');
	need(conn_echo(&c, 5000) == 0, "no echo over IPv4");
	c6 = conn_must(w, CLIENT, &web6);
	need(c6.who == '1' && conn_echo(&c6, 5000) == 0, "no echo over IPv6");
	need(datagram_echo(udp, &dns, 5000) == '3', "no datagram");
	await(2000, watch_now(watch).active == 1, "the kernel's table does not show the connection");
	world_must(w, NODE, "ipvsadm -e -t 203.0.113.10:80 -r 192.0.2.11:8080 -m -w 0");
	await(2000, watch_weight_at(watch, 0, 0) > 0, "the watch saw no weight 0");
	for (int i = 0; i < 20; i++) {
		struct conn more = conn_must(w, CLIENT, &web);

		need(more.who == '2', "a new connection came to the server of weight 0");
		conn_reset(&more);
	}
	need(conn_echo(&c, 5000) == 0, "the old connection was cut");
	conn_reset(&c);
	await(15000, watch_now(watch).inactive == 0 && watch_now(watch).active == 0, "not zero 15 s after the reset");
	world_must(w, NODE, "ipvsadm -d -t 203.0.113.10:80 -r 192.0.2.11:8080");
	await(2000, watch_gone_at(watch, 0) > 0, "the watch did not see it go");
	need(watch_zero_before(watch, watch_gone_at(watch, 0)) > 0, "the watch saw no zero before that");
	check_note("the watch looked at least every %.1f ms", (double)watch_widest_gap(watch) / 1e3);
}

static void backends_reach_each_other_through_the_address(void)
{
	struct world *w = world_new();
	struct server *servers[BACKENDS];
	struct target web = target_vip(AF_INET, 10, 80);
	struct conn c;

	servers_start(w, servers);
	world_must(w, NODE, "%s", lay);
	c = conn_must(w, BACKEND3, &web);
	need(conn_echo(&c, 5000) == 0, "no echo from a backend");
	c = conn_must(w, NODE, &web);
	need(conn_echo(&c, 5000) == 0, "no echo from the node");
	need(conn_open(w, CLIENT, &(struct target){ web.ip, 81, VIA_TCP }, 0, 5000, &c) == -ECONNREFUSED, "port 81 is not refused");
}

static void the_table_is_read_right(void)
{
	struct world *w = world_new();
	char *text;

	world_must(w, NODE, "%s", lay);
	text = table_text(w);
	need(strcmp(text, "FWM 00000007 wlc\n"
			  "TCP 203.0.113.10:80 rr\n  192.0.2.11:8080 1\n  192.0.2.12:8080 1\n"
			  "TCP [2001:db8:2::10]:80 rr\n  [2001:db8:1::11]:8080 1\n"
			  "UDP 203.0.113.10:53 rr\n  192.0.2.13:5353 1\n") == 0,
	     "read:\n%s", text);
	free(text);
}

static const struct check_test tests[] = {
	{ "packets-go-round", packets_go_round, 0 },
	{ "backends-reach-each-other-through-the-address", backends_reach_each_other_through_the_address, 0 },
	{ "the-table-is-read-right", the_table_is_read_right, 0 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
