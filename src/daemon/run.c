/* Wires source, reconcile, kernel, journal and control socket to one libuv loop. Decides nothing about Services; it only
 * says when a turn is due. */
#include "daemon/run.h"

#include "base/log.h"
#include "daemon/instance.h"
#include "daemon/journal.h"
#include "daemon/reconcile.h"
#include "kernel/kernel_linux.h"
#include "kernel/sysctl.h"
#include "serve/control.h"
#include "source/manifests.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/utsname.h>
#include <uv.h>

#define EVENT_ERRORS_MAX 100 /* in a row, without anything learnt: the descriptor is broken */

struct run {
	const struct config *config;
	char *node;
	uv_loop_t loop;
	uv_signal_t stop_term, stop_int, rescan;
	uv_timer_t turn_at;  /* the next turn is due later… */
	uv_idle_t turn_now;  /* …or at once: one turn, then the loop looks at everything else, then the next */
	uv_timer_t sysctls;
	uv_poll_t kernel_events;
	unsigned event_errors;
	bool polling, stopping;
	char sysctl_trouble[ERR_TEXT_MAX]; /* what was said of them last; "" = all is well */
	int instance; /* -1: not held */
	struct journal *journal;
	struct kernel *kernel;
	struct reconcile *reconcile;
	struct source *source;
	bool source_started;
	struct control *control;
};

static void on_turn_now(uv_idle_t *idle);
static void on_turn_at(uv_timer_t *timer);

static void turn_at_once(struct run *run)
{
	if (!run->stopping)
		(void)uv_idle_start(&run->turn_now, on_turn_now);
}

static void turn(struct run *run)
{
	struct mono due = reconcile_turn(run->reconcile), now = mono_now();

	(void)uv_timer_stop(&run->turn_at);
	if (!mono_set(due))
		return;
	if (due.ms <= now.ms) {
		turn_at_once(run);
		return;
	}
	uv_update_time(&run->loop); /* the turn took its time */
	(void)uv_timer_start(&run->turn_at, on_turn_at, (uint64_t)(due.ms - now.ms), 0);
}

static void on_turn_now(uv_idle_t *idle)
{
	(void)uv_idle_stop(idle);
	turn(idle->data);
}

static void on_turn_at(uv_timer_t *timer)
{
	turn(timer->data);
}

static void on_changes(void *ctx, struct change *changes, size_t n)
{
	struct run *run = ctx;

	reconcile_changes(run->reconcile, changes, n);
	turn_at_once(run);
}

static void on_synced(void *ctx, bool partial)
{
	struct run *run = ctx;

	reconcile_synced(run->reconcile, partial);
	turn_at_once(run);
}

static void on_report(void *ctx, enum log_level level, const char *line)
{
	log_line(level, "%s", line);
}

static void on_kernel_events(uv_poll_t *poll, int status, int events)
{
	struct run *run = poll->data;
	unsigned areas = run->kernel->v->events(run->kernel);

	if (areas)
		reconcile_drift(run->reconcile, areas);
	turn_at_once(run);
	if (status >= 0) {
		run->event_errors = 0;
		return;
	}
	/* An overrun of the socket shows as an error, for which libuv stops to poll; reading has cleared it. */
	if (areas)
		run->event_errors = 0;
	if (++run->event_errors > EVENT_ERRORS_MAX) {
		log_warn("the kernel's notifications cannot be read any more: foreign changes are found by the audit alone");
		return;
	}
	(void)uv_poll_start(poll, UV_READABLE, on_kernel_events);
}

static struct view *on_view(void *ctx, const struct view_ask *ask)
{
	return reconcile_view(((struct run *)ctx)->reconcile, ask);
}

static void on_sysctl(void *ctx, const struct sysctl_note *note)
{
	if (note->code == 1)
		log_info("sysctl key=%s value=%s was=%s", note->key, note->wanted, note->found);
}

static int apply_sysctls(struct run *run, struct err *err)
{
	struct sysctl_options options = { .root = "/proc/sys", .strict_arp = run->config->strict_arp };

	return sysctl_apply(&options, on_sysctl, NULL, err);
}

static void check_sysctls(void *ctx)
{
	struct run *run = ctx;
	struct err err = { "" };

	if (apply_sysctls(run, &err) < 0 && strcmp(err.text, run->sysctl_trouble) != 0)
		log_warn("%s, trying again at each audit", err.text);
	else if (!err.text[0] && run->sysctl_trouble[0])
		log_info("sysctls are right again");
	strcpy(run->sysctl_trouble, err.text);
}

static void on_sysctls(uv_timer_t *timer)
{
	check_sysctls(timer->data);
}

/* Closes everything that keeps the loop alive. */
static void stop(struct run *run)
{
	uv_handle_t *const handles[] = {
		(uv_handle_t *)&run->stop_term, (uv_handle_t *)&run->stop_int, (uv_handle_t *)&run->rescan,
		(uv_handle_t *)&run->turn_at,	(uv_handle_t *)&run->turn_now, (uv_handle_t *)&run->sysctls,
	};

	if (run->stopping)
		return;
	run->stopping = true;
	if (run->source_started)
		run->source->v->stop(run->source);
	control_stop(TAKE(run->control));
	for (size_t i = 0; i < ARRAY_SIZE(handles); i++)
		uv_close(handles[i], NULL);
	if (run->polling)
		uv_close((uv_handle_t *)&run->kernel_events, NULL);
}

static void on_stop(uv_signal_t *handle, int signum)
{
	log_info("stop signal=%s: the kernel's state stays as it is", signum == SIGTERM ? "SIGTERM" : "SIGINT");
	stop(handle->data);
}

static void on_rescan(uv_signal_t *handle, int signum)
{
	struct run *run = handle->data;

	log_info("rescan signal=SIGHUP");
	run->source->v->rescan(run->source);
}

static void init_handles(struct run *run)
{
	(void)uv_signal_init(&run->loop, &run->stop_term);
	(void)uv_signal_init(&run->loop, &run->stop_int);
	(void)uv_signal_init(&run->loop, &run->rescan);
	(void)uv_timer_init(&run->loop, &run->turn_at);
	(void)uv_timer_init(&run->loop, &run->sysctls);
	(void)uv_idle_init(&run->loop, &run->turn_now);
	run->stop_term.data = run->stop_int.data = run->rescan.data = run;
	run->turn_at.data = run->sysctls.data = run->turn_now.data = run;
}

/* What the daemon stands on; changes sysctls, else nothing. */
static int open_ground(struct run *run, struct err *err)
{
	struct kernel_options options = { .device = run->config->device };
	struct err warning = { "" };
	int r;

	r = instance_hold(&run->instance, &warning, err);
	if (r < 0)
		return r;
	if (warning.text[0])
		log_warn("%s", warning.text);
	r = journal_open(run->config->run_dir, &run->journal, &warning, err);
	if (r < 0)
		return r;
	if (warning.text[0])
		log_warn("%s", warning.text);
	r = config_check_device(run->config, run->journal, err);
	if (r < 0)
		return r;
	r = kernel_linux_open(&options, &run->kernel, err);
	if (r < 0)
		return r;
	r = kernel_linux_scheduler(run->kernel, run->config->sched, err);
	if (r < 0)
		return r;
	journal_set_device(run->journal, run->config->device); /* written with the first that is created on it */
	return apply_sysctls(run, err);
}

static int open_faces(struct run *run, struct err *err)
{
	struct control_face face = { run, on_view };
	struct reconcile_options options = config_reconcile(run->config, run->node);
	CLEANUP(free_p) char *path = xfmt("%s/%s", run->config->run_dir, CONTROL_SOCKET);

	options.before_cut = check_sysctls;
	options.before_cut_ctx = run;
	run->reconcile = reconcile_new(&options, run->kernel, run->journal);
	return control_start(&run->loop, path, &face, &run->control, err);
}

static int start_source(struct run *run, struct err *err)
{
	struct source_sink sink = { run, on_changes, on_synced, on_report };
	int r;

	run->source = manifests_new(run->config->manifests);
	r = run->source->v->start(run->source, &run->loop, &sink, err);
	run->source_started = r == 0;
	return r;
}

static int watch_kernel(struct run *run, struct err *err)
{
	int r, fd = run->kernel->v->event_fd(run->kernel);

	if (fd < 0)
		return 0;
	r = uv_poll_init(&run->loop, &run->kernel_events, fd);
	if (r < 0)
		return err_set(err, r, "watch the kernel's notifications: %s", uv_strerror(r));
	run->polling = true;
	run->kernel_events.data = run;
	(void)uv_poll_start(&run->kernel_events, UV_READABLE, on_kernel_events);
	return 0;
}

static void start_handles(struct run *run)
{
	uint64_t period = (uint64_t)run->config->sync_period_ms;

	(void)uv_signal_start(&run->stop_term, on_stop, SIGTERM);
	(void)uv_signal_start(&run->stop_int, on_stop, SIGINT);
	(void)uv_signal_start(&run->rescan, on_rescan, SIGHUP);
	(void)uv_timer_start(&run->sysctls, on_sysctls, period, period);
	turn_at_once(run);
}

static int start(struct run *run, struct err *err)
{
	struct utsname host;
	int r;

	r = config_node(run->config, &run->node, err);
	if (r < 0)
		return r;
	(void)uname(&host);
	log_info("start version=%s kernel=%s node=%s run-dir=%s", SLUICE_VERSION, host.release, run->node, run->config->run_dir);
	r = open_ground(run, err);
	if (r == 0)
		r = open_faces(run, err);
	if (r == 0)
		r = watch_kernel(run, err);
	if (r == 0)
		r = start_source(run, err);
	if (r == 0)
		start_handles(run);
	return r;
}

int daemon_run(const struct config *config, struct err *err)
{
	struct run run = { .config = config, .instance = -1 };
	int r;

	log_verbosity(config->verbosity);
	(void)signal(SIGPIPE, SIG_IGN);
	r = uv_loop_init(&run.loop);
	if (r < 0)
		return err_set(err, r, "event loop: %s", uv_strerror(r));
	init_handles(&run);
	r = start(&run, err);
	if (r < 0)
		stop(&run);
	(void)uv_run(&run.loop, UV_RUN_DEFAULT); /* until everything is closed */
	(void)uv_loop_close(&run.loop);
	if (run.source)
		run.source->v->free(run.source);
	reconcile_free(run.reconcile);
	if (run.kernel)
		run.kernel->v->free(run.kernel);
	journal_close(run.journal);
	close_p(&run.instance);
	free(run.node);
	return r;
}
