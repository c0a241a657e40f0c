/* The source on the loop: when to scan, and the order of what the sink is told. What a scan finds is manifest_set's. */
#include "source/manifests.h"

#include "base/mono.h"
#include "base/text.h"
#include "source/manifest_set.h"
#include "source/manifest_watch.h"

#include <errno.h>
#include <string.h>
#include <uv.h>

#define BURST_QUIET_MS 50  /* after the last event */
#define BURST_MAX_MS 500   /* after the first */
#define LOOK_AGAIN_MS 1000 /* while there is nothing to watch */
#define SCAN_SHARE 10      /* looking again and again takes a tenth of the time at most */

enum sync_state { SYNC_NONE, SYNC_PARTIAL, SYNC_DONE };

struct manifests {
	struct source source;
	char *dir;
	struct manifest_set *set;
	struct manifest_watch *watch; /* NULL without a loop */
	struct source_sink sink;
	uv_loop_t *loop;
	uv_poll_t poll;
	uv_timer_t burst, look;
	bool running;
	bool pending;         /* the burst timer runs */
	uint64_t first_ms;    /* of the burst, on the loop's clock */
	bool all;             /* the next scan reads every file */
	bool lost;            /* the directory cannot be read, and that was said */
	int watch_failure;    /* that was reported */
	enum sync_state sync;
};

static void report(const struct manifests *m, enum log_level level, char *line)
{
	m->sink.report(m->sink.ctx, level, line);
	free(line);
}

/* Tells the sink when its picture is complete for the first time, and when nothing is left out any more. */
static void tell_synced(struct manifests *m)
{
	bool partial = manifest_set_partial(m->set);

	if (m->sync == SYNC_DONE || (m->sync == SYNC_PARTIAL && partial))
		return;
	m->sync = partial ? SYNC_PARTIAL : SYNC_DONE;
	m->sink.synced(m->sink.ctx, partial);
}

static int scan(struct manifests *m, struct err *err)
{
	bool all = m->all;
	int r;

	manifest_watch_begin(m->watch);
	r = manifest_set_scan(m->set, m->watch, all, &m->sink, err);
	manifest_watch_end(m->watch);
	m->all = r < 0; /* what events told was lost with the watches: do not trust equal times and sizes after that */
	if (r < 0)
		return r;
	manifest_set_tell(m->set, &m->sink);
	if (m->running || !m->loop) /* the sink may have stopped us */
		tell_synced(m);
	return 0;
}

static void report_watch(struct manifests *m)
{
	int failure = manifest_watch_failure(m->watch);

	if (failure && failure != m->watch_failure)
		report(m, LOG_WARN,
		       xfmt("%s: not all of it can be watched: %s, looking every second", m->dir,
			    failure == ENOSPC ? "more folders than fs.inotify.max_user_watches allows" : strerror(failure)));
	m->watch_failure = failure;
}

static void on_look(uv_timer_t *timer);
static void schedule(struct manifests *m);

static void scan_now(struct manifests *m)
{
	struct err err = { 0 };
	int64_t began = mono_now().ms, took;
	int r = scan(m, &err);

	took = mono_now().ms - began;
	if (!m->running)
		return;
	if (r < 0 && !m->lost)
		report(m, LOG_ERROR, xfmt("%s: cannot be read: %s; all stays as it is, looking every second", m->dir, err.text));
	if (r == 0 && m->lost)
		report(m, LOG_INFO, xfmt("%s can be read again", m->dir));
	m->lost = r < 0;
	if (r == 0)
		report_watch(m);
	if (m->lost || m->watch_failure)
		(void)uv_timer_start(&m->look, on_look, LOOK_AGAIN_MS + (uint64_t)took * SCAN_SHARE, 0);
	if (r == 0 && manifest_set_unsettled(m->set))
		schedule(m);
}

static void on_burst(uv_timer_t *timer)
{
	struct manifests *m = timer->data;

	m->pending = false;
	scan_now(m);
}

static void on_look(uv_timer_t *timer)
{
	struct manifests *m = timer->data;

	if (!m->pending)
		scan_now(m);
}

static void schedule(struct manifests *m)
{
	uint64_t now = uv_now(m->loop), due = now + BURST_QUIET_MS;

	if (!m->pending)
		m->first_ms = now;
	if (due > m->first_ms + BURST_MAX_MS)
		due = m->first_ms + BURST_MAX_MS;
	m->pending = true;
	(void)uv_timer_start(&m->burst, on_burst, due > now ? due - now : 0, 0);
}

static void on_events(uv_poll_t *poll, int status, int events)
{
	struct manifests *m = poll->data;

	if (manifest_watch_read(m->watch))
		schedule(m);
}

static int m_start(struct source *source, struct uv_loop_s *loop, const struct source_sink *sink, struct err *err)
{
	struct manifests *m = (struct manifests *)source;
	int r;

	m->watch = manifest_watch_new(err);
	if (!m->watch)
		return -EMFILE;
	r = uv_poll_init(loop, &m->poll, manifest_watch_fd(m->watch));
	if (r < 0)
		return err_set(err, r, "inotify: %s", uv_strerror(r));
	m->loop = loop;
	m->sink = *sink;
	(void)uv_timer_init(loop, &m->burst);
	(void)uv_timer_init(loop, &m->look);
	m->poll.data = m->burst.data = m->look.data = m;
	m->running = m->pending = true;
	m->first_ms = uv_now(loop);
	(void)uv_poll_start(&m->poll, UV_READABLE, on_events);
	(void)uv_timer_start(&m->burst, on_burst, 0, 0);
	return 0;
}

static void m_rescan(struct source *source)
{
	struct manifests *m = (struct manifests *)source;

	if (!m->running)
		return;
	m->all = m->pending = true;
	m->first_ms = uv_now(m->loop);
	(void)uv_timer_start(&m->burst, on_burst, 0, 0);
}

static void m_stop(struct source *source)
{
	struct manifests *m = (struct manifests *)source;

	if (!m->running)
		return;
	m->running = false;
	uv_close((uv_handle_t *)&m->poll, NULL);
	uv_close((uv_handle_t *)&m->burst, NULL);
	uv_close((uv_handle_t *)&m->look, NULL);
}

static void m_free(struct source *source)
{
	struct manifests *m = (struct manifests *)source;

	if (!m)
		return;
	manifest_watch_free(m->watch);
	manifest_set_free(m->set);
	free(m->dir);
	free(m);
}

static const struct source_vtbl manifests_vtbl = { m_start, m_rescan, m_stop, m_free };

static struct manifests *make(const char *dir)
{
	struct manifests *m = xzalloc(sizeof(*m));

	m->source.v = &manifests_vtbl;
	m->dir = xstrdup(dir);
	m->set = manifest_set_new(dir);
	return m;
}

struct source *manifests_new(const char *dir)
{
	return &make(dir)->source;
}

int manifests_read_once(const char *dir, const struct source_sink *sink, struct err *err)
{
	struct manifests *m = make(dir);
	int r;

	m->sink = *sink;
	r = scan(m, err);
	if (r < 0)
		err_wrap(err, "%s", dir);
	m_free(&m->source);
	return r;
}
