/* Serves a scene on a control socket until SIGTERM, as the daemon would: "golden_daemon RUN_DIR SCENE". */
#include "base/text.h"
#include "golden/scenes.h"
#include "serve/control.h"

#include <signal.h>
#include <stdio.h>
#include <uv.h>

static struct control *control;

static struct view *on_view(void *ctx, const struct view_ask *ask)
{
	struct view *view = scene_new(ctx);

	if (ask->holders)
		scene_ask(view);
	return view;
}

static void on_stop(uv_signal_t *handle, int signum)
{
	control_stop(control);
	uv_close((uv_handle_t *)handle, NULL);
}

int main(int argc, char **argv)
{
	uv_loop_t *loop = uv_default_loop();
	struct view *probe = argc == 3 ? scene_new(argv[2]) : NULL;
	CLEANUP(free_p) char *path = probe ? xfmt("%s/" CONTROL_SOCKET, argv[1]) : NULL;
	struct err err = { "" };
	uv_signal_t stop;

	if (!probe) {
		(void)fprintf(stderr, "usage: golden_daemon RUN_DIR SCENE\n");
		return 2;
	}
	view_free(probe);
	(void)uv_signal_init(loop, &stop);
	(void)uv_signal_start(&stop, on_stop, SIGTERM);
	if (control_start(loop, path, &(struct control_face){ argv[2], on_view }, &control, &err) < 0) {
		(void)fprintf(stderr, "golden_daemon: %s\n", err.text);
		return 1;
	}
	(void)uv_run(loop, UV_RUN_DEFAULT);
	return uv_loop_close(loop) == 0 ? 0 : 1;
}
