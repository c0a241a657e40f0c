/* Serves the control socket with libmicrohttpd on the daemon's loop. Knows the paths and the limits; what it shows comes
 * from the face that it is given. */
#include "serve/control.h"

#include "base/text.h"
#include "core/view.h"
#include "serve/status.h"

#include <errno.h>
#include <microhttpd.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <uv.h>

#define CONNECTIONS_MAX 64
#define CONNECTION_TIMEOUT_S 10
#define REQUEST_BYTES_MAX 16384u /* request line and headers of one connection */
#define BACKLOG 64
#define BUSY_WAIT_MS 50
#define IDLE_WAIT_MS 1000

struct control {
	struct control_face face;
	char *path;
	struct MHD_Daemon *http;
	uv_poll_t poll;   /* the epoll descriptor of libmicrohttpd */
	uv_timer_t timer; /* its time-outs */
	int closing;      /* handles that are not closed yet */
};

static const struct {
	const char *path;
	void (*text)(const struct view *view, struct text *ret);
} pages[] = { { STATUS_PATH, status_text }, { DRAINS_PATH, drains_text } };

/* Takes body. */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code, struct text *body)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(body->n, body->s, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result result;

	if (!response) {
		text_fini(body);
		return MHD_NO;
	}
	(void)MHD_add_response_header(response, "Content-Type", "application/json");
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, "Allow", "GET, HEAD");
	result = MHD_queue_response(connection, code, response);
	MHD_destroy_response(response);
	return result;
}

/* text has nothing that JSON would escape. */
static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, const char *text)
{
	struct text body = { 0 };

	text_add(&body, "{\"error\":\"%s\"}", text);
	return answer(connection, code, &body);
}

/* "?holders=N&service=NAMESPACE/NAME" */
static struct view_ask wanted_ask(struct MHD_Connection *connection)
{
	const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, HOLDERS_KEY);
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;

	return (struct view_ask){
		.holders = n < HOLDERS_MAX ? n : HOLDERS_MAX,
		.service = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, SERVICE_KEY),
	};
}

static enum MHD_Result request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
			       const char *version, const char *upload, size_t *n_upload, void **state)
{
	static char seen;
	struct control *control = cls;

	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is answered here");
	if (!*state) { /* the headers are complete; the whole request is with the next call */
		*state = &seen;
		return MHD_YES;
	}
	if (*n_upload) {
		*n_upload = 0; /* a body means nothing to us */
		return MHD_YES;
	}
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		struct text body = { 0 };
		struct view_ask ask;
		struct view *view;

		if (strcmp(url, pages[i].path) != 0)
			continue;
		ask = wanted_ask(connection);
		view = control->face.view(control->face.ctx, &ask);
		pages[i].text(view, &body);
		view_free(view);
		return answer(connection, MHD_HTTP_OK, &body);
	}
	return refuse(connection, MHD_HTTP_NOT_FOUND, "no such path; there are " STATUS_PATH " and " DRAINS_PATH);
}

static void on_timer(uv_timer_t *timer);

/* When libmicrohttpd is to work again although nothing is heard of its epoll. That one is edge-triggered and now and then
 * holds an event back until the next run (0.9.75), so nobody is kept waiting for longer than this. */
static uint64_t wait_ms(struct control *control)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(control->http, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
	uint64_t most = info && info->num_connections ? BUSY_WAIT_MS : IDLE_WAIT_MS;
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(control->http, &ms) == MHD_YES && ms < most)
		return ms ? ms : 1;
	return most;
}

static void turn(struct control *control)
{
	(void)MHD_run(control->http);
	/* Again: after connections ended at the limit, only the next run listens once more, and none may come soon. */
	(void)MHD_run(control->http);
	(void)uv_timer_start(&control->timer, on_timer, wait_ms(control), 0);
}

static void on_timer(uv_timer_t *timer)
{
	turn(timer->data);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	turn(poll->data);
}

/* Makes room at path. */
static int remove_stale(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_set(err, -errno, "control socket %s: %m", path);
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, -EEXIST, "control socket %s: something else is there and is no socket", path);
	if (unlink(path) < 0)
		return err_set(err, -errno, "control socket %s: remove the old one: %m", path);
	return 0;
}

static int listen_at(const char *path, int *ret_fd, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	CLEANUP(close_p) int fd = -1;
	mode_t old;
	int r;

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, -ENAMETOOLONG, "control socket %s: the path is too long", path);
	strcpy(address.sun_path, path);
	r = remove_stale(path, err);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(err, -errno, "control socket: %m");
	old = umask(0177); /* the socket has its mode from its first moment */
	r = bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
	(void)umask(old);
	if (r < 0)
		return err_set(err, r, "control socket %s: bind: %s", path, strerror(-r));
	if (listen(fd, BACKLOG) < 0)
		return err_set(err, -errno, "control socket %s: listen: %m", path);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* Takes fd. */
static int start_http(struct control *control, int fd, int *ret_epoll, struct err *err)
{
	const union MHD_DaemonInfo *info;

	control->http = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, request, control, MHD_OPTION_LISTEN_SOCKET, fd,
					 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
					 (unsigned)CONNECTION_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
					 (size_t)REQUEST_BYTES_MAX, MHD_OPTION_END);
	if (!control->http)
		return err_set(err, -EIO, "control socket %s: libmicrohttpd does not start", control->path);
	info = MHD_get_daemon_info(control->http, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info) {
		MHD_stop_daemon(control->http);
		return err_set(err, -EIO, "control socket %s: libmicrohttpd has no epoll", control->path);
	}
	*ret_epoll = info->epoll_fd;
	return 0;
}

int control_start(struct uv_loop_s *loop, const char *path, const struct control_face *face, struct control **ret, struct err *err)
{
	struct control *control;
	int r, fd = -1, epoll = -1;

	r = listen_at(path, &fd, err);
	if (r < 0)
		return r;
	control = xzalloc(sizeof(*control));
	control->face = *face;
	control->path = xstrdup(path);
	r = start_http(control, fd, &epoll, err);
	if (r < 0) {
		free(control->path);
		free(control);
		return r;
	}
	(void)uv_timer_init(loop, &control->timer);
	r = uv_poll_init(loop, &control->poll, epoll);
	if (r < 0)
		abort(); /* an epoll descriptor can always be polled */
	control->timer.data = control->poll.data = control;
	(void)uv_poll_start(&control->poll, UV_READABLE, on_poll);
	*ret = control;
	return 0;
}

static void on_closed(uv_handle_t *handle)
{
	struct control *control = handle->data;

	if (--control->closing > 0)
		return;
	free(control->path);
	free(control);
}

void control_stop(struct control *control)
{
	if (!control)
		return;
	(void)uv_poll_stop(&control->poll); /* before its descriptor goes */
	MHD_stop_daemon(control->http);
	(void)unlink(control->path);
	control->closing = 2;
	uv_close((uv_handle_t *)&control->poll, on_closed);
	uv_close((uv_handle_t *)&control->timer, on_closed);
}
