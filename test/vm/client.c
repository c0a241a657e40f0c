/* TCP and UDP clients, single and as threads. Knows nothing of IPVS. */
#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

#define CONNECT_MS 15000 /* who has to be served is, in this time, on the slowest machine */
#define ECHO_MS 10000
#define DATAGRAM_MS 3000
#define TURN_MS (3 * CONNECT_MS)

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

struct target target_vip(int family, int n, uint16_t port)
{
	return (struct target){ world_vip(family, n), port, VIA_TCP };
}

static socklen_t address_of(const struct ip *ip, uint16_t port, union address *ret)
{
	*ret = (union address){ 0 };
	ret->any.sa_family = ip->family;
	if (ip->family == AF_INET) {
		ret->v4.sin_port = htons(port);
		memcpy(&ret->v4.sin_addr, ip->bytes, 4);
		return sizeof(ret->v4);
	}
	ret->v6.sin6_port = htons(port);
	memcpy(&ret->v6.sin6_addr, ip->bytes, 16);
	return sizeof(ret->v6);
}

static int ready(int fd, short events, int64_t end_us)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t left_ms = (end_us - now_us()) / 1000;
	int n = poll(&p, 1, left_ms > 0 ? (int)left_ms : 0);

	return n > 0 ? 0 : -ETIMEDOUT;
}

static int start_connect(int fd, const struct target *to, uint16_t local_port, int64_t end_us)
{
	const struct ip none = { .family = to->ip.family };
	union address address;
	socklen_t size;
	int yes = 1, error = 0;

	if (local_port) {
		size = address_of(&none, local_port, &address);
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
		if (bind(fd, &address.any, size) < 0)
			return -errno;
	}
	size = address_of(&to->ip, to->port, &address);
	if (connect(fd, &address.any, size) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	if (ready(fd, POLLOUT, end_us) < 0)
		return -ETIMEDOUT;
	size = sizeof(error);
	(void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return -error;
}

static int receive(int fd, char *data, size_t size, int64_t end_us)
{
	ssize_t n;

	while ((n = recv(fd, data, size, 0)) < 0 && errno == EAGAIN)
		if (ready(fd, POLLIN, end_us) < 0)
			return -ETIMEDOUT;
	return n > 0 ? (int)n : n == 0 ? -EPIPE : -errno;
}

int conn_begin(const struct world *w, enum place from, const struct target *to, uint16_t local_port, int limit_ms, struct conn *ret)
{
	struct conn c = { .fd = world_socket_of(w, from, to->ip.family, SOCK_STREAM, to->via == VIA_SCTP ? IPPROTO_SCTP : 0) };
	int code = start_connect(c.fd, to, local_port, now_us() + (int64_t)limit_ms * 1000);

	if (code < 0) {
		conn_reset(&c);
		return code;
	}
	*ret = c;
	return 0;
}

int conn_open(const struct world *w, enum place from, const struct target *to, uint16_t local_port, int limit_ms, struct conn *ret)
{
	int64_t end_us = now_us() + (int64_t)limit_ms * 1000;
	struct conn c;
	int code = conn_begin(w, from, to, local_port, limit_ms, &c);

	if (code < 0)
		return code;
	code = receive(c.fd, &c.who, 1, end_us);
	if (code < 0) {
		conn_reset(&c);
		return code;
	}
	*ret = c;
	return 0;
}

struct conn conn_must(const struct world *w, enum place from, const struct target *to)
{
	char text[IP_TEXT];
	struct conn c;
	int code = conn_open(w, from, to, 0, CONNECT_MS, &c);

	need(code == 0, "connect to %s port %u: %s", ip_format(&to->ip, text), to->port, strerror(-code));
	return c;
}

struct conn conn_to(const struct world *w, enum place from, const struct target *to, char who)
{
	for (int i = 0; i < 100; i++) {
		struct conn c = conn_must(w, from, to);

		if (c.who == who)
			return c;
		conn_reset(&c);
	}
	check_fail("no connection of 100 came to server %c", who);
}

int conn_echo(const struct conn *c, int limit_ms)
{
	static const char ping[16] = "are you there?";
	int64_t end_us = now_us() + (int64_t)limit_ms * 1000;
	char data[sizeof(ping)];
	size_t got = 0;

	if (send(c->fd, ping, sizeof(ping), MSG_NOSIGNAL) < 0)
		return -errno;
	while (got < sizeof(data)) {
		int n = receive(c->fd, data + got, sizeof(data) - got, end_us);

		if (n < 0)
			return n;
		got += (size_t)n;
	}
	return memcmp(data, ping, sizeof(ping)) ? -EBADMSG : 0;
}

void conn_half_close(const struct conn *c)
{
	need(shutdown(c->fd, SHUT_WR) == 0, "shutdown: %s", strerror(errno));
}

void conn_reset(struct conn *c)
{
	const struct linger reset = { 1, 0 };

	(void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	conn_close(c);
}

void conn_close(struct conn *c)
{
	if (c->fd >= 0)
		(void)close(c->fd);
	c->fd = -1;
}

int datagram_echo(int fd, const struct target *to, int limit_ms)
{
	int64_t end_us = now_us() + (int64_t)limit_ms * 1000, stamp = now_us();
	char data[64];
	union address address;
	socklen_t size = address_of(&to->ip, to->port, &address);
	int n;

	/* Connected, so that a refusal comes back; the local port stays. */
	if (connect(fd, &address.any, size) < 0 || send(fd, &stamp, sizeof(stamp), 0) < 0)
		return -errno;
	/* Answers to earlier datagrams may still come. */
	while ((n = receive(fd, data, sizeof(data), end_us)) >= 0)
		if (n == 1 + (int)sizeof(stamp) && memcmp(data + 1, &stamp, sizeof(stamp)) == 0)
			return data[0];
	return n;
}

static void most(_Atomic int64_t *p, int64_t value)
{
	int64_t old = atomic_load(p);

	while (value > old && !atomic_compare_exchange_weak(p, &old, value))
		;
}

static int one_try(struct prober *p, int fd, char *ret_who)
{
	struct conn c;
	int code;

	if (p->to.via == VIA_UDP) {
		code = datagram_echo(fd, &p->to, DATAGRAM_MS);
		*ret_who = (char)code;
		return code < 0 ? code : 0;
	}
	code = conn_open(p->w, p->from, &p->to, 0, CONNECT_MS, &c);
	if (code < 0)
		return code;
	*ret_who = c.who;
	conn_reset(&c);
	return 0;
}

static void *probe(void *ctx)
{
	struct prober *p = ctx;

	while (!atomic_load(&p->stop)) {
		int fd = p->to.via == VIA_UDP ? world_socket(p->w, p->from, p->to.ip.family, SOCK_DGRAM) : -1;
		int64_t began = now_us();
		char who = 0;
		int code = one_try(p, fd, &who), at = who >= '1' && who <= '3' ? who - '0' : 0;

		if (code == 0) {
			atomic_store(&p->began_us[at], began);
			atomic_fetch_add(&p->served[at], 1);
		} else if (code == -ECONNREFUSED) {
			atomic_fetch_add(&p->refused, 1);
		} else {
			atomic_store(&p->last_error, code);
			atomic_fetch_add(&p->failed, 1);
		}
		most(&p->slowest_us, now_us() - began);
		atomic_fetch_add(&p->tried, 1);
		if (fd >= 0)
			(void)close(fd);
		if (p->every_ms)
			pause_ms(p->every_ms);
	}
	atomic_store(&p->stopped, true);
	return NULL;
}

struct prober *prober_start(const struct world *w, enum place from, const struct target *to, int every_ms)
{
	struct prober *p = xzalloc(sizeof(*p));
	pthread_t thread;

	p->w = w;
	p->from = from;
	p->to = *to;
	p->every_ms = every_ms;
	need(pthread_create(&thread, NULL, probe, p) == 0, "no thread");
	return p;
}

void prober_stop(struct prober *p)
{
	atomic_store(&p->stop, true);
	await(TURN_MS, atomic_load(&p->stopped), "a prober does not end");
}

void prober_turn(struct prober *p)
{
	unsigned tried = atomic_load(&p->tried);

	await(TURN_MS, atomic_load(&p->tried) >= tried + 2, "a prober makes no try");
}

unsigned prober_served(const struct prober *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(p->served); i++)
		n += atomic_load(&p->served[i]);
	return n;
}

struct stream_task {
	struct stream *stream;
	int every_ms;
};

static void *keep_sending(void *ctx)
{
	struct stream_task *task = ctx;
	struct stream *s = task->stream;

	while (!atomic_load(&s->stop)) {
		int64_t began = now_us();
		int code = conn_echo(&s->conn, ECHO_MS);

		if (code < 0) {
			atomic_store(&s->error, code);
			break;
		}
		most(&s->slowest_us, now_us() - began);
		atomic_fetch_add(&s->echoes, 1);
		pause_ms(task->every_ms);
	}
	free(task);
	atomic_store(&s->stopped, true);
	return NULL;
}

struct stream *stream_start(struct conn conn, int every_ms)
{
	struct stream *s = xzalloc(sizeof(*s));
	struct stream_task *task = xzalloc(sizeof(*task));
	pthread_t thread;

	s->conn = conn;
	*task = (struct stream_task){ s, every_ms };
	need(pthread_create(&thread, NULL, keep_sending, task) == 0, "no thread");
	return s;
}

void stream_stop(struct stream *s)
{
	atomic_store(&s->stop, true);
	await(15000, atomic_load(&s->stopped), "a stream does not end");
}

void stream_check(struct stream *s, const char *when)
{
	unsigned echoes = atomic_load(&s->echoes);

	await(ECHO_MS + 2000, atomic_load(&s->echoes) >= echoes + 2 || atomic_load(&s->error),
	      "the open connection stands still %s", when);
	need(atomic_load(&s->error) == 0, "the open connection was cut %s: %s", when, strerror(-atomic_load(&s->error)));
}
