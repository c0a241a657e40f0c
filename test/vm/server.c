/* Echo servers, each one thread with one epoll. Knows nothing of IPVS. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* What epoll gives back: which of its sockets. */
enum { LISTENER, DATAGRAMS, CONNECTION };
struct job {
	int kind, fd;
};

struct task {
	struct server *server;
	int epoll;
};

static void add(int epoll, int kind, int fd)
{
	struct job *job = xzalloc(sizeof(*job));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = job };

	*job = (struct job){ kind, fd };
	need(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll: %s", strerror(errno));
}

/* Taken out first: a child that has not executed yet holds the descriptor too, and epoll would go on to tell of it. */
static void close_job(int epoll, struct job *job)
{
	(void)epoll_ctl(epoll, EPOLL_CTL_DEL, job->fd, NULL);
	(void)close(job->fd);
	free(job);
}

static void take(const struct task *task, int fd)
{
	int conn;

	while ((conn = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		(void)send(conn, &task->server->who, 1, MSG_NOSIGNAL);
		atomic_fetch_add(&task->server->accepted, 1);
		atomic_fetch_add(&task->server->open, 1);
		add(task->epoll, CONNECTION, conn);
	}
}

static void answer(const struct task *task, int fd)
{
	struct sockaddr_in6 from;
	char data[2048];
	ssize_t n;

	for (;;) {
		socklen_t size = sizeof(from);

		n = recvfrom(fd, data + 1, sizeof(data) - 1, 0, (struct sockaddr *)&from, &size);
		if (n < 0)
			return;
		data[0] = task->server->who;
		atomic_fetch_add(&task->server->datagrams, 1);
		(void)sendto(fd, data, (size_t)n + 1, 0, (struct sockaddr *)&from, size);
	}
}

static void echo(const struct task *task, struct job *job)
{
	char data[4096];
	ssize_t n = recv(job->fd, data, sizeof(data), 0);

	if (n > 0) {
		(void)send(job->fd, data, (size_t)n, MSG_NOSIGNAL);
	} else if (n == 0 || errno != EAGAIN) {
		close_job(task->epoll, job);
		atomic_fetch_sub(&task->server->open, 1);
	}
}

static void *serve(void *ctx)
{
	const struct task *task = ctx;
	struct epoll_event events[64];

	for (;;) {
		int n = epoll_wait(task->epoll, events, 64, -1);

		for (int i = 0; i < n; i++) {
			struct job *job = events[i].data.ptr;

			if (job->kind == LISTENER)
				take(task, job->fd);
			else if (job->kind == DATAGRAMS)
				answer(task, job->fd);
			else
				echo(task, job);
		}
	}
	return NULL;
}

static int listener(const struct server *server, int type, int protocol, uint16_t port)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int fd = world_socket_of(server->w, server->place, AF_INET6, type, protocol), no = 0, yes = 1;

	(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	need(bind(fd, (struct sockaddr *)&any, sizeof(any)) == 0, "bind to port %u: %s", port, strerror(errno));
	need(type == SOCK_DGRAM || listen(fd, 1024) == 0, "listen: %s", strerror(errno));
	return fd;
}

static struct task *task_new(const struct world *w, enum place place)
{
	struct server *server = xzalloc(sizeof(*server));
	struct task *task = xzalloc(sizeof(*task));

	server->w = w;
	server->place = place;
	server->who = place >= BACKEND1 ? (char)('1' + place - BACKEND1) : place == NODE ? 'N' : 'C';
	*task = (struct task){ server, epoll_create1(EPOLL_CLOEXEC) };
	return task;
}

static struct server *task_start(struct task *task)
{
	pthread_t thread;

	need(pthread_create(&thread, NULL, serve, task) == 0, "no thread");
	return task->server;
}

struct server *server_start(const struct world *w, enum place place, uint16_t tcp_port, uint16_t udp_port)
{
	struct task *task = task_new(w, place);

	task->server->tcp_port = tcp_port;
	task->server->udp_port = udp_port;
	if (tcp_port)
		add(task->epoll, LISTENER, listener(task->server, SOCK_STREAM, 0, tcp_port));
	if (udp_port)
		add(task->epoll, DATAGRAMS, listener(task->server, SOCK_DGRAM, 0, udp_port));
	return task_start(task);
}

struct server *server_start_sctp(const struct world *w, enum place place, uint16_t port)
{
	struct task *task = task_new(w, place);

	add(task->epoll, LISTENER, listener(task->server, SOCK_STREAM, IPPROTO_SCTP, port));
	return task_start(task);
}

int server_mute(const struct world *w, enum place place, uint16_t tcp_port)
{
	const struct server server = { .w = w, .place = place };

	return listener(&server, SOCK_STREAM, 0, tcp_port);
}

void servers_start(const struct world *w, struct server *ret[BACKENDS])
{
	for (int i = 0; i < BACKENDS; i++)
		ret[i] = server_start(w, BACKEND1 + i, TCP_PORT, UDP_PORT);
}
