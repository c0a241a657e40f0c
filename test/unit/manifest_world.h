/* A directory of manifests with a source on a loop, and what the source told, for tests. */
#pragma once
#include "test/unit/unit.h"

#include "base/text.h"
#include "source/manifests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>

#define SVC(name, ip) "{apiVersion: v1, kind: Service, metadata: {name: " name "}, spec: {clusterIP: " ip ", ports: [{port: 80}]}}\n"
#define BAD_SVC(name) "{apiVersion: v1, kind: Service, metadata: {name: " name "}, spec: {clusterIP: 10.0.0.9, ports: [{port: 70000}]}}\n"
#define NAMELESS "{apiVersion: v1, kind: Service, metadata: {name: No Name}}\n"
#define SLICE(name, addresses)                                                                                         \
	"{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: " name ", labels: {kubernetes.io/service-name: web}}, " \
	"addressType: IPv4, endpoints: [" addresses "]}\n"
#define EP(ip) "{addresses: [" ip "]}, "

#define LIMIT_MS 20000 /* of waiting; only what fails waits that long */

struct world {
	char top[64];      /* everything of the test lies below it */
	char dir[80];      /* top/m: what the source reads */
	uv_loop_t loop;
	struct source *source;
	struct change known[64]; /* CHANGE_SERVICE and CHANGE_SLICE only, sorted by name */
	size_t n_known;
	struct text reports;     /* "warn PATH…\n" */
	size_t n_bursts, n_changes, n_gone;
	int n_synced, partial;   /* of the last synced; -1 = never */
	uint64_t burst_at;       /* ms, of the last burst */
};

static inline const char *change_name(const struct change *c)
{
	return c->kind == CHANGE_SERVICE ? c->service->name : c->kind == CHANGE_SLICE ? c->slice->name : c->name;
}

static inline void forget(struct world *w, enum change_kind kind, const char *name)
{
	for (size_t i = 0; i < w->n_known; i++)
		if (w->known[i].kind == kind && strcmp(change_name(&w->known[i]), name) == 0) {
			change_fini(&w->known[i]);
			memmove(&w->known[i], &w->known[i + 1], (--w->n_known - i) * sizeof(w->known[0]));
			return;
		}
}

static inline void remember(struct world *w, struct change *change)
{
	size_t at = 0;

	assert_true(w->n_known < ARRAY_SIZE(w->known));
	forget(w, change->kind, change_name(change));
	while (at < w->n_known && strcmp(change_name(&w->known[at]), change_name(change)) < 0)
		at++;
	memmove(&w->known[at + 1], &w->known[at], (w->n_known++ - at) * sizeof(w->known[0]));
	w->known[at] = *change;
	*change = (struct change){ 0 };
}

static inline void on_changes(void *ctx, struct change *changes, size_t n)
{
	struct world *w = ctx;

	w->n_bursts++;
	w->n_changes += n;
	w->burst_at = uv_hrtime() / 1000000;
	for (size_t i = 0; i < n; i++) {
		if (changes[i].kind == CHANGE_SERVICE || changes[i].kind == CHANGE_SLICE) {
			remember(w, &changes[i]);
			continue;
		}
		w->n_gone++;
		assert_string_equal(changes[i].ns, "default");
		forget(w, changes[i].kind == CHANGE_SERVICE_GONE ? CHANGE_SERVICE : CHANGE_SLICE, changes[i].name);
	}
}

static inline void on_synced(void *ctx, bool partial)
{
	struct world *w = ctx;

	w->n_synced++;
	w->partial = partial;
}

static inline void on_report(void *ctx, enum log_level level, const char *line)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };
	struct world *w = ctx;

	text_add(&w->reports, "%s %s\n", names[level], line);
}

static inline struct source_sink world_sink(struct world *w)
{
	return (struct source_sink){ w, on_changes, on_synced, on_report };
}

/* What the sink knows: "api=10.0.0.2 web=10.0.0.1 web-1/2 " (a slice with two endpoints). */
static inline void show(const struct world *w, struct text *text)
{
	char ip[IP_TEXT];

	text->n = 0;
	for (size_t i = 0; i < w->n_known; i++)
		if (w->known[i].kind == CHANGE_SERVICE)
			text_add(text, "%s=%s ", w->known[i].service->name, ip_format(&w->known[i].service->cluster_ips[0], ip));
		else
			text_add(text, "%s/%zu ", w->known[i].slice->name, w->known[i].slice->n_endpoints);
	text_add(text, "%s", "");
}

static inline bool shows(const struct world *w, const char *state)
{
	CLEANUP(text_fini) struct text text = { 0 };

	show(w, &text);
	return strcmp(text_str(&text), state) == 0;
}

static inline bool said(const struct world *w, const char *part)
{
	return strstr(text_str(&w->reports), part) != NULL;
}

static inline size_t times_said(const struct world *w, const char *part)
{
	size_t n = 0;

	for (const char *at = text_str(&w->reports); (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

static inline void on_tick(uv_timer_t *timer) { (void)timer; }

/* Runs the loop until done(w, arg), for at most limit_ms. */
static inline bool run_until(struct world *w, bool (*done)(const struct world *, const char *), const char *arg, unsigned limit_ms)
{
	uint64_t end = uv_hrtime() + limit_ms * 1000000ull;
	uv_timer_t tick;

	(void)uv_timer_init(&w->loop, &tick);
	(void)uv_timer_start(&tick, on_tick, 5, 5);
	while (!done(w, arg) && uv_hrtime() < end)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&tick, NULL);
	(void)uv_run(&w->loop, UV_RUN_NOWAIT);
	return done(w, arg);
}

#define await(w, state)                                                                                        \
	do {                                                                                                   \
		if (!run_until(w, shows, state, LIMIT_MS)) {                                                       \
			struct text shown_ = { 0 };                                                            \
			show(w, &shown_);                                                                      \
			fail_msg("not \"%s\" but \"%s\"\n%s", state, text_str(&shown_), text_str(&(w)->reports)); \
		}                                                                                              \
	} while (0)
#define await_said(w, part)                                                                    \
	do {                                                                                   \
		if (!run_until(w, said, part, LIMIT_MS))                                           \
			fail_msg("nobody said \"%s\"\n%s", part, text_str(&(w)->reports));     \
	} while (0)

static inline bool never(const struct world *w, const char *arg) { return (void)w, (void)arg, false; }

static inline char *at(const struct world *w, const char *rel) { return xfmt("%s/%s", w->dir, rel); }

static inline void write_bytes(const struct world *w, const char *rel, const char *bytes, size_t n)
{
	CLEANUP(free_p) char *path = at(w, rel);
	CLEANUP(close_p) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
}
static inline void put(const struct world *w, const char *rel, const char *text) { write_bytes(w, rel, text, strlen(text)); }

static inline void del(const struct world *w, const char *rel)
{
	CLEANUP(free_p) char *path = at(w, rel);

	assert_int_equal(unlink(path), 0);
}
static inline void move(const struct world *w, const char *from, const char *to)
{
	CLEANUP(free_p) char *a = at(w, from), *b = at(w, to);

	assert_int_equal(rename(a, b), 0);
}
static inline void folder(const struct world *w, const char *rel)
{
	CLEANUP(free_p) char *path = at(w, rel);

	assert_int_equal(mkdir(path, 0755), 0);
}
static inline void ln(const struct world *w, const char *target, const char *rel)
{
	CLEANUP(free_p) char *path = at(w, rel);

	assert_int_equal(symlink(target, path), 0);
}
static inline void remove_tree(const char *path)
{
	CLEANUP(free_p) char *command = xfmt("rm -rf '%s'", path);

	assert_int_equal(system(command), 0);
}

static inline void world_start(struct world *w)
{
	struct source_sink sink = world_sink(w);
	struct err err = { 0 };

	w->source = manifests_new(w->dir);
	if (w->source->v->start(w->source, &w->loop, &sink, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(w->n_synced, 0); /* nothing is called from inside start */
	assert_int_equal(w->n_bursts, 0);
	assert_int_equal(w->reports.n, 0);
}

static inline int world_setup(void **state)
{
	struct world *w = xzalloc(sizeof(*w));

	strcpy(w->top, "/tmp/manifests.XXXXXX");
	assert_non_null(mkdtemp(w->top));
	(void)snprintf(w->dir, sizeof(w->dir), "%s/m", w->top);
	assert_int_equal(mkdir(w->dir, 0755), 0);
	w->partial = -1;
	(void)uv_loop_init(&w->loop);
	*state = w;
	return 0;
}

static inline int world_teardown(void **state)
{
	struct world *w = *state;
	size_t bursts = w->n_bursts;

	if (w->source) {
		w->source->v->stop(w->source);
		(void)uv_run(&w->loop, UV_RUN_DEFAULT); /* ends: nothing is left open */
		w->source->v->free(w->source);
		assert_int_equal(w->n_bursts, bursts);
	}
	assert_int_equal(uv_loop_close(&w->loop), 0);
	for (size_t i = 0; i < w->n_known; i++)
		change_fini(&w->known[i]);
	text_fini(&w->reports);
	remove_tree(w->top);
	free(w);
	return 0;
}

static inline void once(struct world *w)
{
	struct source_sink sink = world_sink(w);
	struct err err = { 0 };

	if (manifests_read_once(w->dir, &sink, &err) < 0)
		fail_msg("%s", err.text);
}

static inline bool is_synced(const struct world *w, const char *arg) { return (void)arg, w->n_synced > 0; }

static inline void start(struct world *w)
{
	world_start(w);
	assert_true(run_until(w, is_synced, NULL, LIMIT_MS));
}

/* Root may read everything: such tests go on as somebody else. */
static inline void be_nobody(const struct world *w)
{
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(w->top, 65534, 65534), 0);
	assert_int_equal(chown(w->dir, 65534, 65534), 0);
	assert_int_equal(seteuid(65534), 0);
}

static inline int be_root_again(void **state)
{
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	return world_teardown(state);
}

static inline uint64_t now_ms(void) { return uv_hrtime() / 1000000; }

#define world_test(f) cmocka_unit_test_setup_teardown(f, world_setup, world_teardown)
