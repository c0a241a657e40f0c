/* Builds and drives the world of one scenario. Decides nothing: the reconciler does. */
#include "scenario/world.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TURNS_MAX 20000

static struct mono clock_of(void *ctx)
{
	return fake_now(((struct world *)ctx)->fake);
}

static void take_line(void *ctx, enum log_level level, const char *line)
{
	static const char *const words[] = { "error", "warn", "info", "debug" };

	text_add(&((struct world *)ctx)->log, "%s %s\n", words[level], line);
}

static char *journal_path(const struct world *w)
{
	return xfmt("%s/journal", w->run_dir);
}

/* What a process that dies leaves behind, before anything of the turn that goes on can reach the file. */
static void copy_journal(void *ctx)
{
	struct world *w = ctx;
	CLEANUP(free_p) char *path = journal_path(w);
	CLEANUP(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct text text = { 0 };
	char part[4096];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0)
		text_add_bytes(&text, part, (size_t)n);
	free(w->journal_copy);
	w->journal_copy = text.s ? text.s : xstrdup("");
	w->journal_copy_n = text.n;
}

static void put_back_journal(struct world *w)
{
	CLEANUP(free_p) char *path = journal_path(w);
	CLEANUP(close_p) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, w->journal_copy, w->journal_copy_n) != (ssize_t)w->journal_copy_n)
		abort();
}

void world_init(struct world *w, const char *tmp_dir)
{
	*w = (struct world){ 0 };
	w->fake = fake_kernel_new();
	fake_on_death(w->fake, copy_journal, w);
	w->run_dir = xfmt("%s/sluice-scenario-XXXXXX", tmp_dir);
	if (!mkdtemp(w->run_dir))
		abort();
	w->sched = xstrdup("rr");
	w->options = (struct reconcile_options){
		.node = "n1",
		.sync_period_ms = 30000,
		.drain = { .tcp = true, .limit_ms = LIMIT_NONE, .gone_limit_ms = 60000 },
		.address_linger_ms = 10000,
		.seed = 7,
		.verbose = true,
		.clock = clock_of,
		.clock_ctx = w,
	};
}

static void free_slice(struct world_slice *s)
{
	for (size_t i = 0; i < s->endpoints.n; i++)
		free(s->endpoints.v[i].uid);
	free(s->endpoints.v);
	free(s->port.name);
	free(s->service);
	free(s->name);
}

static void free_service(struct world_service *s)
{
	for (size_t i = 0; i < s->ports.n; i++)
		free(s->ports.v[i].name);
	free(s->ports.v);
	free(s->sched);
	free(s->name);
}

void world_fini(struct world *w)
{
	static const char *const files[] = { "journal", "journal.new", "lock" };

	world_stop(w);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		CLEANUP(free_p) char *path = xfmt("%s/%s", w->run_dir, files[i]);

		(void)unlink(path);
	}
	(void)rmdir(w->run_dir);
	for (size_t i = 0; i < w->services.n; i++)
		free_service(&w->services.v[i]);
	for (size_t i = 0; i < w->slices.n; i++)
		free_slice(&w->slices.v[i]);
	free(w->services.v);
	free(w->slices.v);
	text_fini(&w->log);
	free(w->journal_copy);
	free(w->run_dir);
	free(w->sched);
	fake_kernel_free(w->fake);
}

void world_start(struct world *w)
{
	struct err warning = { 0 }, err = { 0 };

	if (w->r)
		return;
	log_sink(take_line, w);
	log_verbosity(5);
	if (journal_open(w->run_dir, &w->journal, &warning, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
	if (warning.text[0])
		text_add(&w->log, "warn %s\n", warning.text);
	w->options.sched = w->sched;
	w->r = reconcile_new(&w->options, fake_port(w->fake), w->journal);
	for (size_t i = 0; i < w->services.n; i++)
		world_tell_service(w, &w->services.v[i]);
	for (size_t i = 0; i < w->slices.n; i++)
		world_tell_slice(w, &w->slices.v[i]);
	if (!w->manual_sync || w->synced)
		world_sync(w, w->partial);
}

void world_stop(struct world *w)
{
	reconcile_free(TAKE(w->r));
	journal_close(TAKE(w->journal));
	log_sink(NULL, NULL);
}

void world_restart(struct world *w)
{
	world_stop(w);
	if (w->manual_sync)
		w->synced = false;
}

void world_drop_journal(struct world *w)
{
	CLEANUP(free_p) char *path = journal_path(w);

	(void)unlink(path);
}

/* A letter in the middle differs. */
void world_damage_journal(struct world *w)
{
	copy_journal(w);
	if (w->journal_copy_n)
		w->journal_copy[w->journal_copy_n / 2] ^= 1;
	put_back_journal(w);
}

void world_sync(struct world *w, bool partial)
{
	w->synced = true;
	w->partial = partial;
	if (w->r)
		reconcile_synced(w->r, partial);
}

struct world_service *world_service(struct world *w, const char *name)
{
	struct world_service *s;

	for (size_t i = 0; i < w->services.n; i++)
		if (!strcmp(w->services.v[i].name, name))
			return &w->services.v[i];
	s = vec_push(&w->services);
	*s = (struct world_service){ .name = xstrdup(name), .created = CREATED_UNKNOWN, .drain = DRAIN_WISH_NONE };
	return s;
}

struct world_port *world_service_port(struct world_service *s, const char *name)
{
	for (size_t i = 0; i < s->ports.n; i++)
		if (!strcmp(s->ports.v[i].name, name))
			return &s->ports.v[i];
	return NULL;
}

struct world_slice *world_slice(struct world *w, const char *name)
{
	for (size_t i = 0; i < w->slices.n; i++)
		if (!strcmp(w->slices.v[i].name, name))
			return &w->slices.v[i];
	return NULL;
}

struct world_slice *world_slice_new(struct world *w, const char *name)
{
	struct world_slice *s = vec_push(&w->slices);

	*s = (struct world_slice){ .name = xstrdup(name) };
	return s;
}

static void tell(struct world *w, struct change change)
{
	if (w->r)
		reconcile_changes(w->r, &change, 1);
	change_fini(&change);
}

void world_tell_service(struct world *w, const struct world_service *from)
{
	struct service *s = service_new();

	s->ns = "default";
	s->name = arena_strdup(s->arena, from->name);
	s->created = from->created;
	s->affinity_s = from->affinity_s;
	s->sched = from->sched ? arena_strdup(s->arena, from->sched) : "";
	s->drain = from->drain;
	memcpy(s->cluster_ips, from->ips, sizeof(s->cluster_ips));
	s->n_cluster_ips = from->n_ips;
	s->ports = arena_alloc(s->arena, (from->ports.n + 1) * sizeof(*s->ports));
	s->n_ports = from->ports.n;
	for (size_t i = 0; i < from->ports.n; i++)
		s->ports[i] = (struct service_port){ arena_strdup(s->arena, from->ports.v[i].name), from->ports.v[i].proto, from->ports.v[i].port };
	tell(w, (struct change){ .kind = CHANGE_SERVICE, .service = s });
}

void world_tell_slice(struct world *w, const struct world_slice *from)
{
	struct slice *s = slice_new();

	s->ns = "default";
	s->name = arena_strdup(s->arena, from->name);
	s->service = arena_strdup(s->arena, from->service);
	s->family = from->family;
	s->ports = arena_alloc(s->arena, sizeof(*s->ports));
	s->ports[0] = (struct slice_port){ arena_strdup(s->arena, from->port.name), from->port.proto, from->port.port };
	s->n_ports = 1;
	s->endpoints = arena_alloc(s->arena, (from->endpoints.n + 1) * sizeof(*s->endpoints));
	s->n_endpoints = from->endpoints.n;
	for (size_t i = 0; i < from->endpoints.n; i++) {
		const struct world_endpoint *e = &from->endpoints.v[i];

		s->endpoints[i] = (struct slice_endpoint){
			.ip = e->ip, .uid = arena_strdup(s->arena, e->uid), .ready = e->ready, .serving = e->serving, .terminating = e->terminating,
		};
	}
	tell(w, (struct change){ .kind = CHANGE_SLICE, .slice = s });
}

void world_remove_service(struct world *w, const char *name)
{
	for (size_t i = 0; i < w->services.n; i++) {
		if (strcmp(w->services.v[i].name, name))
			continue;
		tell(w, (struct change){ .kind = CHANGE_SERVICE_GONE, .ns = xstrdup("default"), .name = xstrdup(name) });
		free_service(&w->services.v[i]);
		w->services.v[i] = w->services.v[--w->services.n];
		return;
	}
}

void world_remove_slice(struct world *w, const char *name)
{
	for (size_t i = 0; i < w->slices.n; i++) {
		if (strcmp(w->slices.v[i].name, name))
			continue;
		tell(w, (struct change){ .kind = CHANGE_SLICE_GONE, .ns = xstrdup("default"), .name = xstrdup(name) });
		free_slice(&w->slices.v[i]);
		w->slices.v[i] = w->slices.v[--w->slices.n];
		return;
	}
}

/* The process ended inside a turn: what it would have written afterwards is taken back. */
static void bury(struct world *w)
{
	w->deaths++;
	world_restart(w);
	put_back_journal(w);
	fake_revive(w->fake);
}

static struct mono turn(struct world *w)
{
	struct kernel *k = fake_port(w->fake);
	struct mono due;
	unsigned areas;

	world_start(w);
	areas = k->v->events(k);
	if (areas)
		reconcile_drift(w->r, areas);
	due = reconcile_turn(w->r);
	if (!fake_dead(w->fake))
		return due;
	bury(w);
	return fake_now(w->fake);
}

struct mono world_pass(struct world *w)
{
	struct mono due = fake_now(w->fake);

	for (size_t n = 0; mono_reached(due, fake_now(w->fake)); n++) {
		if (n == TURNS_MAX) {
			w->restless = true;
			return MONO_NEVER;
		}
		due = turn(w);
	}
	return due;
}

void world_run(struct world *w, int64_t ms)
{
	struct mono end = mono_after(fake_now(w->fake), ms);
	struct mono due = world_pass(w);

	while (mono_set(due) && due.ms <= end.ms && !w->restless) {
		fake_advance(w->fake, due.ms - fake_now(w->fake).ms);
		due = world_pass(w);
	}
	if (!w->restless) {
		fake_advance(w->fake, end.ms - fake_now(w->fake).ms);
		(void)world_pass(w);
	}
}

void world_settle(struct world *w)
{
	const int64_t step = 2 * w->options.sync_period_ms + 71000; /* longer than any TIME_WAIT */
	const struct fake_logged *log;

	for (int64_t gone = 0; gone < 1200000 && !w->restless; gone += step) {
		size_t before = fake_log(w->fake, &log);

		world_run(w, step);
		if (fake_log(w->fake, &log) == before)
			return;
	}
}

void world_mark(struct world *w)
{
	const struct fake_logged *log;

	w->log_mark = fake_log(w->fake, &log);
	w->read_mark = fake_reads(w->fake);
	text_fini(&w->log);
}

static bool slice_wants(const struct world_slice *s, const struct world_port *port, const struct rs_key *rs)
{
	if (s->port.proto != port->proto || strcmp(s->port.name, port->name) || s->port.port != rs->port)
		return false;
	for (size_t i = 0; i < s->endpoints.n; i++)
		if (ip_equal(&s->endpoints.v[i].ip, &rs->ip) &&
		    (s->endpoints.v[i].ready || (s->endpoints.v[i].serving && s->endpoints.v[i].terminating)))
			return true;
	return false;
}

static bool service_wants(const struct world *w, const struct world_service *s, const struct vs_key *vs, const struct rs_key *rs)
{
	bool has_ip = false;

	for (size_t i = 0; i < s->n_ips; i++)
		has_ip = has_ip || ip_equal(&s->ips[i], &vs->ip);
	for (size_t i = 0; i < s->ports.n && has_ip; i++) {
		if (s->ports.v[i].proto != vs->proto || s->ports.v[i].port != vs->port)
			continue;
		for (size_t j = 0; j < w->slices.n; j++)
			if (!strcmp(w->slices.v[j].service, s->name) && slice_wants(&w->slices.v[j], &s->ports.v[i], rs))
				return true;
	}
	return false;
}

bool world_wants(const struct world *w, const struct vs_key *vs, const struct rs_key *rs)
{
	for (size_t i = 0; i < w->services.n; i++)
		if (service_wants(w, &w->services.v[i], vs, rs))
			return true;
	return false;
}
