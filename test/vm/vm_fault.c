/* Any single failure heals, on the real kernel too: the real pass goes through a round of changes, again and again, and each time another
 * operation fails, in one way or another, while a client holds a connection through a server that comes and goes. */
#include "scene.h"

#include "daemon/reconcile.h"
#include "kernel/kernel_linux.h"
#include "kernel/sysctl.h"
#include "source/manifests.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define HEAL_MS 20000

/* How an operation fails. */
static const struct failure {
	int code;
	bool done; /* nevertheless */
} failures[] = { { -ENOMEM, false }, { -ETIMEDOUT, false }, { -ETIMEDOUT, true }, { -EBUSY, false }, { -EPERM, false }, { -EINVAL, false } };

/* A kernel port that lets one operation fail. */
struct bad_kernel {
	struct kernel port;
	struct kernel *real;
	unsigned ops, at; /* the operation that fails, counted from 1; 0: none */
	const struct failure *failure;
	bool hit;
};

static struct bad_kernel *bad(struct kernel *k)
{
	return (struct bad_kernel *)k;
}

static int bad_list_vs(struct kernel *k, struct kernel_vss *ret, struct err *err)
{
	return bad(k)->real->v->list_vs(bad(k)->real, ret, err);
}

static int bad_list_rs(struct kernel *k, const struct vs_key *vs, struct kernel_rss *ret, struct err *err)
{
	return bad(k)->real->v->list_rs(bad(k)->real, vs, ret, err);
}

static int bad_list_addrs(struct kernel *k, struct kernel_ips *ret, struct err *err)
{
	return bad(k)->real->v->list_addrs(bad(k)->real, ret, err);
}

static int bad_list_filter(struct kernel *k, struct kernel_filter *ret, struct err *err)
{
	return bad(k)->real->v->list_filter(bad(k)->real, ret, err);
}

static int bad_list_flows(struct kernel *k, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret,
			  struct err *err)
{
	return bad(k)->real->v->list_flows(bad(k)->real, vs, rs, max, ret, err);
}

static int bad_prepare(struct kernel *k, const struct kernel_filter_want *want, struct err *err)
{
	return bad(k)->real->v->prepare(bad(k)->real, want, err);
}

static void bad_apply(struct kernel *port, const struct op *ops, size_t n, struct op_result *ret)
{
	struct bad_kernel *k = bad(port);

	for (size_t i = 0; i < n; i++) {
		bool fails = ++k->ops == k->at;

		if (!fails || k->failure->done)
			k->real->v->apply(k->real, &ops[i], 1, &ret[i]);
		if (fails)
			ret[i].code = k->failure->code;
		k->hit = k->hit || fails;
	}
}

static int bad_event_fd(struct kernel *k)
{
	return bad(k)->real->v->event_fd(bad(k)->real);
}

static unsigned bad_events(struct kernel *k)
{
	return bad(k)->real->v->events(bad(k)->real);
}

static void bad_free(struct kernel *k)
{
	bad(k)->real->v->free(bad(k)->real);
}

static const struct kernel_vtbl bad_vtbl = {
	bad_list_vs, bad_list_rs, bad_list_addrs, bad_list_filter, bad_list_flows, bad_prepare, bad_apply, bad_event_fd, bad_events, bad_free,
};

static void on_changes(void *ctx, struct change *changes, size_t n)
{
	reconcile_changes(ctx, changes, n);
}

static void on_synced(void *ctx, bool partial)
{
	need(!partial, "the manifests cannot be read");
	reconcile_synced(ctx, partial);
}

static void on_report(void *ctx, enum log_level level, const char *line)
{
	need(level != LOG_ERROR && level != LOG_WARN, "%s", line);
}

static struct mono clock_now(void *ctx)
{
	return mono_now();
}

static void read_manifests(const struct world *w, struct reconcile *r)
{
	const struct source_sink sink = { r, on_changes, on_synced, on_report };
	struct err err = { "" };

	need(manifests_read_once(w->manifests, &sink, &err) == 0, "%s", err.text);
}

static void turns(struct reconcile *r, int ms)
{
	for (int64_t end_us = now_us() + ms * 1000; now_us() < end_us;) {
		struct mono due = reconcile_turn(r);

		if (!mono_set(due) || !mono_reached(due, mono_now()))
			pause_ms(2);
	}
}

/* Until the table says so and nothing is due. */
static void until(const struct world *w, struct reconcile *r, const char *table, const struct bad_kernel *k)
{
	for (int64_t end_us = now_us() + HEAL_MS * 1000; strcmp(table_text(w), table) != 0; turns(r, 100))
		need(now_us() < end_us, "with operation %u failing (%s, %s) it does not heal; wanted\n%sis\n%s", k->at, strerror(-k->failure->code),
		     k->failure->done ? "done" : "not done", table, table_text(w));
}

#define WEB(sched, weight) "TCP 203.0.113.10:80 " sched "\n  192.0.2.11:8080 " weight "\n  192.0.2.12:8080 1\n"
#define MORE "TCP 203.0.113.20:80 rr\n  192.0.2.12:8080 1\n"

static void web(const struct world *w, struct reconcile *r, const char *sched, unsigned backends)
{
	CLEANUP(free_p) char *annotations = xfmt("{sluice/scheduler: %s}", sched);

	manifest_annotated(w, "web", annotations, "203.0.113.10", "{name: http, port: 80}");
	manifest_slice(w, "web", AF_INET, WEB_PORTS, backends);
	read_manifests(w, r);
}

static void more(const struct world *w, struct reconcile *r, bool there)
{
	if (there) {
		manifest_service(w, "more", "203.0.113.20", "{name: http, port: 80}");
		manifest_slice(w, "more", AF_INET, WEB_PORTS, 2);
		read_manifests(w, r);
	} else {
		struct change gone = { .kind = CHANGE_SERVICE_GONE, .ns = xstrdup("default"), .name = xstrdup("more") };

		manifest_remove(w, "more.yaml");
		reconcile_changes(r, &gone, 1);
	}
}

static void round_of_changes(const struct world *w, struct reconcile *r, const struct bad_kernel *k, struct stream *held)
{
	web(w, r, "lc", 2);
	more(w, r, true);
	until(w, r, WEB("lc", "0") MORE, k);
	stream_check(held, "while its server drains");
	web(w, r, "rr", 3);
	more(w, r, false);
	until(w, r, WEB("rr", "1"), k);
	stream_check(held, "behind the return of its server");
	turns(r, 500); /* the linger */
}

static void any_single_failure_heals(void)
{
	struct scene *s = scene_quiet();
	const struct kernel_options kernel_options = { .device = "kube-ipvs0" };
	const struct sysctl_options sysctls = { .root = "/proc/sys" };
	const struct reconcile_options options = { .node = "n1", .sched = "rr", .sync_period_ms = 2000, .address_linger_ms = 200, .seed = 1,
						   .drain = { .tcp = true, .limit_ms = LIMIT_NONE, .gone_limit_ms = 60000 }, .clock = clock_now };
	struct bad_kernel k = { .port = { &bad_vtbl }, .failure = &failures[0] };
	struct err err = { "" };
	struct reconcile *r;
	struct stream *held;
	unsigned per_round, n = 0;

	manifest_remove(s->w, "web-IPv6.yaml");
	world_enter(s->w, NODE);
	need(kernel_linux_open(&kernel_options, &k.real, &err) == 0, "%s", err.text);
	need(sysctl_apply(&sysctls, NULL, NULL, &err) == 0, "%s", err.text);
	r = reconcile_new(&options, &k.port, NULL);
	web(s->w, r, "rr", 3);
	until(s->w, r, WEB("rr", "1"), &k);
	turns(r, 300);
	held = stream_start(conn_to(s->w, CLIENT, &s->web[0], '1'), 20);
	k.ops = 0;
	round_of_changes(s->w, r, &k, held);
	per_round = k.ops;
	need(per_round % ARRAY_SIZE(failures) != 0, "%u operations a round", per_round);
	for (; n < 2 * per_round; n++) {
		k.at = n % per_round + 1;
		k.failure = &failures[n % ARRAY_SIZE(failures)]; /* another one in the second half: per_round is no multiple of their number */
		k.ops = 0;
		k.hit = false;
		round_of_changes(s->w, r, &k, held);
		need(k.hit, "operation %u of %u did not come", k.at, per_round);
	}
	k.at = 0;
	turns(r, 3000); /* an audit finds nothing more */
	k.ops = 0;
	turns(r, 3000);
	need(k.ops == 0, "%u operations in an unchanged world", k.ops);
	scene_others(s, AF_INET, 20, 'N');
	stream_check(held, "at the end");
	check_note("%u operations a round, %u failures", per_round, n);
	reconcile_free(r);
}

static const struct check_test tests[] = {
	{ "any-single-failure-heals", any_single_failure_heals, 300 },
};

int main(int argc, char **argv)
{
	return check_main(argc, argv, tests, ARRAY_SIZE(tests));
}
