/* The common beginning of tests. Judges only that it came about. */
#include "scene.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

struct scene *scene_quiet(void)
{
	struct scene *s = xzalloc(sizeof(*s));

	s->w = world_new();
	servers_start(s->w, s->servers);
	for (int i = 0; i < 2; i++) {
		s->web[i] = target_vip(FAMILY(i), 10, 80);
		s->vs[i] = (struct vs_key){ world_vip(FAMILY(i), 10), PROTO_TCP, 80 };
		s->first[i] = backend_key(FAMILY(i), 1, TCP_PORT);
	}
	manifest_web(s->w, 10);
	return s;
}

/* A SYN that is given up leaves an entry that counts as active for a minute: what is not refused is waited for. */
#define SYN_MS 15000

static bool is_served(const struct scene *s, int i)
{
	struct conn c;

	if (conn_open(s->w, CLIENT, &s->web[i], 0, SYN_MS, &c) < 0)
		return false;
	conn_reset(&c);
	return true;
}

void scene_await_served(const struct scene *s)
{
	for (int i = 0; i < 2; i++)
		await(START_MS, is_served(s, i), "the Service is not served 60 s after the start");
}

struct scene *scene_new(const char *options)
{
	struct scene *s = scene_quiet();

	s->daemon = daemon_start(s->w, options);
	scene_await_served(s);
	return s;
}

void scene_backends(const struct scene *s, unsigned backends)
{
	for (int i = 0; i < 2; i++)
		manifest_slice(s->w, "web", FAMILY(i), WEB_PORTS, backends);
}

void scene_others(const struct scene *s, int family, int n, char not_who)
{
	for (int i = 0; i < n; i++) {
		struct conn c = conn_must(s->w, CLIENT, &s->web[family == AF_INET6]);

		need(c.who != not_who, "new connection %d of %d came to server %c", i + 1, n, not_who);
		need(c.who >= '1' && c.who <= '3', "a new connection came to %c", c.who);
		conn_reset(&c);
	}
}
