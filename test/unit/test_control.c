#include "test/unit/unit.h"

#include "base/mono.h"
#include "base/text.h"
#include "core/view.h"
#include "serve/control.h"
#include "serve/status.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <uv.h>

#define LIMIT_MS 20000

struct world {
	uv_loop_t loop;
	char dir[64];
	char *path;
	struct control *control;
	size_t n_vss; /* of the view that it shows */
	unsigned views;
};

static struct view *make_view(void *ctx, const struct view_ask *ask)
{
	struct world *world = ctx;
	struct arena *arena = arena_new();
	struct view *view = arena_alloc(arena, sizeof(*view));

	*view = (struct view){ .arena = arena, .synced = true, .audit_age_ms = -1, .n_vss = world->n_vss };
	view->vss = arena_alloc(arena, world->n_vss * sizeof(*view->vss));
	for (size_t i = 0; i < world->n_vss; i++)
		view->vss[i] = (struct view_vs){ .key = vs_of("10.96.0.10:80/tcp"), .attrs = { .sched = "rr" }, .service = "default/web",
						 .port_name = "http", .state = "serving" };
	world->views++;
	return view;
}

static int start(struct world *world, struct err *err)
{
	return control_start(&world->loop, world->path, &(struct control_face){ world, make_view }, &world->control, err);
}

static int setup(void **state)
{
	struct world *world = xzalloc(sizeof(*world));

	strcpy(world->dir, "/tmp/test-control-XXXXXX");
	assert_non_null(mkdtemp(world->dir));
	world->path = xfmt("%s/%s", world->dir, CONTROL_SOCKET);
	assert_int_equal(uv_loop_init(&world->loop), 0);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;
	struct stat st;

	control_stop(world->control);
	(void)uv_run(&world->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&world->loop), 0);
	if (world->control)
		assert_int_equal(lstat(world->path, &st), -1); /* it took its socket away */
	(void)unlink(world->path);
	assert_int_equal(rmdir(world->dir), 0);
	free(world->path);
	free(world);
	return 0;
}

/* ---- clients, on the same thread: the loop turns while they wait ---- */

static int client(const struct world *world)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	strcpy(address.sun_path, world->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void on_tick(uv_timer_t *timer)
{
}

/* Until an event or for a millisecond, whatever comes first. */
static void turn(struct world *world)
{
	uv_timer_t tick;

	(void)uv_timer_init(&world->loop, &tick);
	(void)uv_timer_start(&tick, on_tick, 1, 0);
	(void)uv_run(&world->loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&tick, NULL);
	(void)uv_run(&world->loop, UV_RUN_NOWAIT);
}

static void send_all(struct world *world, int fd, const char *text)
{
	struct mono end = mono_after(mono_now(), LIMIT_MS);

	for (size_t n = strlen(text); n;) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent < 0 && errno != EAGAIN)
			return; /* it has closed; the answer tells why */
		if (sent > 0) {
			text += sent;
			n -= (size_t)sent;
		}
		turn(world);
		assert_false(mono_reached(end, mono_now()));
	}
}

/* All that comes until the other side closes. */
static void read_all(struct world *world, int fd, struct text *ret)
{
	struct mono end = mono_after(mono_now(), LIMIT_MS);
	char buffer[65536];

	for (;;) {
		ssize_t got = recv(fd, buffer, sizeof(buffer), 0);

		if (got == 0 || (got < 0 && errno != EAGAIN))
			return;
		if (got > 0)
			text_add_bytes(ret, buffer, (size_t)got);
		else
			turn(world);
		if (mono_reached(end, mono_now()))
			fail_msg("no end of the answer: %s", text_str(ret));
	}
}

static void ask(struct world *world, const char *request, struct text *ret)
{
	int fd = client(world);

	send_all(world, fd, request);
	read_all(world, fd, ret);
	close(fd);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n\r\n"

static json_t *body_of(const struct text *answer)
{
	const char *body = strstr(text_str(answer), "\r\n\r\n");
	json_error_t error;
	json_t *json;

	assert_non_null(body);
	json = json_loads(body + 4, 0, &error);
	if (!json)
		fail_msg("%s: %s", error.text, body);
	return json;
}

static void expect_status(struct world *world, const char *request, const char *status)
{
	struct text answer = { 0 };

	ask(world, request, &answer);
	if (strncmp(text_str(&answer), "HTTP/1.1 ", 9) != 0 || strncmp(text_str(&answer) + 9, status, 3) != 0)
		fail_msg("%.60s: %.200s", request, text_str(&answer));
	text_fini(&answer);
}

/* ---- tests ---- */

static void status_and_drains_are_answered(void **state)
{
	struct world *world = *state;
	struct text answer = { 0 };
	json_t *json;

	world->n_vss = 3;
	assert_int_equal(start(world, NULL), 0);
	ask(world, GET(STATUS_PATH), &answer);
	assert_non_null(strstr(text_str(&answer), "Content-Type: application/json\r\n"));
	json = body_of(&answer);
	assert_int_equal(json_array_size(json_object_get(json, "virtualServers")), 3);
	json_decref(json);
	text_fini(&answer);
	ask(world, GET(DRAINS_PATH), &answer);
	json = body_of(&answer);
	assert_true(json_is_array(json_object_get(json, "outcomes")));
	json_decref(json);
	text_fini(&answer);
	assert_int_equal(world->views, 2);
}

/* Larger than any socket buffer: written in many turns. */
static void a_large_answer_arrives_whole(void **state)
{
	struct world *world = *state;
	struct text answer = { 0 };
	json_t *json;

	world->n_vss = 10000;
	assert_int_equal(start(world, NULL), 0);
	ask(world, GET(STATUS_PATH), &answer);
	json = body_of(&answer);
	assert_int_equal(json_array_size(json_object_get(json, "virtualServers")), 10000);
	json_decref(json);
	text_fini(&answer);
}

static void anything_else_is_refused(void **state)
{
	struct world *world = *state;
	CLEANUP(free_p) char *many = xzalloc(40001);
	CLEANUP(free_p) char *large = NULL;
	struct text answer = { 0 };
	json_t *json;

	assert_int_equal(start(world, NULL), 0);
	expect_status(world, GET("/"), "404");
	expect_status(world, GET("/v1/status/"), "404");
	expect_status(world, GET("/v1/../v1/status"), "404");
	expect_status(world, "POST /v1/status HTTP/1.1\r\nHost: s\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc", "405");
	expect_status(world, "DELETE /v1/drains HTTP/1.1\r\nHost: s\r\nConnection: close\r\n\r\n", "405");
	ask(world, "nonsense\r\n\r\n", &answer); /* closed, with or without a word */
	assert_null(strstr(text_str(&answer), "200"));
	text_fini(&answer);
	memset(many, 'a', 40000);
	large = xfmt("GET /v1/status HTTP/1.1\r\nHost: s\r\nX-Large: %s\r\n\r\n", many);
	expect_status(world, large, "431");
	assert_int_equal(world->views, 0); /* none of them made it work */
	ask(world, GET("/nothing"), &answer);
	json = body_of(&answer);
	assert_non_null(json_string_value(json_object_get(json, "error")));
	json_decref(json);
	text_fini(&answer);
	expect_status(world, "HEAD /v1/status HTTP/1.1\r\nHost: s\r\nConnection: close\r\n\r\n", "200");
	expect_status(world, "GET /v1/status HTTP/1.1\r\nHost: s\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc", "200");
}

static void only_root_may_connect(void **state)
{
	struct world *world = *state;
	mode_t old = umask(0);
	struct stat st;

	assert_int_equal(start(world, NULL), 0);
	assert_int_equal(umask(old), 0); /* it put the mask back */
	assert_int_equal(stat(world->path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
}

/* What a killed sluice left behind. */
static void a_stale_socket_is_replaced(void **state)
{
	struct world *world = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(address.sun_path, world->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(start(world, NULL), 0);
	expect_status(world, GET(STATUS_PATH), "200");
}

static void another_file_is_left_alone(void **state)
{
	struct world *world = *state;
	int fd = open(world->path, O_CREAT | O_WRONLY, 0600);
	struct err err = { "" };
	struct stat st;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(start(world, &err), -EEXIST);
	assert_non_null(strstr(err.text, world->path));
	assert_int_equal(stat(world->path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
}

static void a_missing_directory_is_named(void **state)
{
	struct world *world = *state;
	struct err err = { "" };

	free(world->path);
	world->path = xfmt("%s/absent/%s", world->dir, CONTROL_SOCKET);
	assert_int_equal(start(world, &err), -ENOENT);
	assert_non_null(strstr(err.text, world->path));
}

/* Clients that say nothing, or half of something, or go away, keep nobody else waiting. */
static void slow_clients_do_not_block(void **state)
{
	struct world *world = *state;
	int silent, half;

	world->n_vss = 3000;
	assert_int_equal(start(world, NULL), 0);
	silent = client(world);
	half = client(world);
	send_all(world, half, "GET /v1/sta");
	for (int i = 0; i < 20; i++) {
		int gone = client(world);

		send_all(world, gone, GET(STATUS_PATH)); /* …and never reads */
		close(gone);
	}
	expect_status(world, GET(STATUS_PATH), "200");
	close(silent);
	close(half);
}

/* Over the limit one waits until another ends, and no longer. */
static void connections_are_limited(void **state)
{
	struct world *world = *state;
	struct text answer = { 0 };
	struct mono asked_at;
	int fds[70];

	assert_int_equal(start(world, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = client(world);
		turn(world);
	}
	for (size_t i = 0; i < 20; i++)
		close(fds[i]);
	asked_at = mono_now();
	send_all(world, fds[69], GET(STATUS_PATH));
	read_all(world, fds[69], &answer);
	assert_true(mono_now().ms - asked_at.ms < 5000); /* not by the time-out of the silent ones */
	assert_int_equal(strncmp(text_str(&answer), "HTTP/1.1 200", 12), 0);
	text_fini(&answer);
	for (size_t i = 20; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

/* Two requests on one connection. */
static void a_connection_can_be_kept(void **state)
{
	struct world *world = *state;
	struct text answer = { 0 };
	int fd;

	assert_int_equal(start(world, NULL), 0);
	fd = client(world);
	send_all(world, fd, "GET /v1/drains HTTP/1.1\r\nHost: s\r\n\r\n" GET(DRAINS_PATH));
	read_all(world, fd, &answer);
	assert_non_null(strstr(text_str(&answer) + 1, "HTTP/1.1 200"));
	assert_int_equal(world->views, 2);
	text_fini(&answer);
	close(fd);
}

/* Stopped in the middle of an answer. The teardown sees that all memory and handles are gone. */
static void stop_ends_open_connections(void **state)
{
	struct world *world = *state;
	int fd;

	world->n_vss = 10000;
	assert_int_equal(start(world, NULL), 0);
	fd = client(world);
	send_all(world, fd, GET(STATUS_PATH));
	while (!world->views)
		turn(world);
	control_stop(world->control);
	world->control = NULL;
	(void)uv_run(&world->loop, UV_RUN_DEFAULT);
	close(fd);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(status_and_drains_are_answered),
		TEST(a_large_answer_arrives_whole),
		TEST(anything_else_is_refused),
		TEST(only_root_may_connect),
		TEST(a_stale_socket_is_replaced),
		TEST(another_file_is_left_alone),
		TEST(a_missing_directory_is_named),
		TEST(slow_clients_do_not_block),
		TEST(connections_are_limited),
		TEST(a_connection_can_be_kept),
		TEST(stop_ends_open_connections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
