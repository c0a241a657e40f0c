/* Passes everything on. Judges only that it can. */
#include "through.h"

#include "kernel/sysctl.h"
#include "source/manifests.h"

static int list_vs(struct kernel *k, struct kernel_vss *ret, struct err *err)
{
	return through_real(k)->v->list_vs(through_real(k), ret, err);
}

static int list_rs(struct kernel *k, const struct vs_key *vs, struct kernel_rss *ret, struct err *err)
{
	return through_real(k)->v->list_rs(through_real(k), vs, ret, err);
}

static int list_addrs(struct kernel *k, struct kernel_ips *ret, struct err *err)
{
	return through_real(k)->v->list_addrs(through_real(k), ret, err);
}

static int list_filter(struct kernel *k, struct kernel_filter *ret, struct err *err)
{
	return through_real(k)->v->list_filter(through_real(k), ret, err);
}

static int list_flows(struct kernel *k, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret, struct err *err)
{
	return through_real(k)->v->list_flows(through_real(k), vs, rs, max, ret, err);
}

static int prepare_real(struct kernel *k, const struct kernel_filter_want *want, struct err *err)
{
	return through_real(k)->v->prepare(through_real(k), want, err);
}

static int event_fd(struct kernel *k)
{
	return through_real(k)->v->event_fd(through_real(k));
}

static unsigned events(struct kernel *k)
{
	return through_real(k)->v->events(through_real(k));
}

static void free_real(struct kernel *k)
{
	through_real(k)->v->free(through_real(k));
}

void through_open(struct through *t, void (*apply)(struct kernel *k, const struct op *ops, size_t n, struct op_result *ret),
		  int (*prepare)(struct kernel *k, const struct kernel_filter_want *want, struct err *err))
{
	static struct kernel_vtbl vtbl; /* one port in a test's process */
	const struct kernel_options options = { .device = "kube-ipvs0" };
	const struct sysctl_options sysctls = { .root = "/proc/sys" };
	struct err err = { "" };

	vtbl = (struct kernel_vtbl){
		.list_vs = list_vs, .list_rs = list_rs, .list_addrs = list_addrs, .list_filter = list_filter, .list_flows = list_flows,
		.prepare = prepare ? prepare : prepare_real, .apply = apply, .event_fd = event_fd, .events = events, .free = free_real,
	};
	t->port.v = &vtbl;
	need(kernel_linux_open(&options, &t->real, &err) == 0, "%s", err.text);
	need(sysctl_apply(&sysctls, NULL, NULL, &err) == 0, "%s", err.text);
}

static struct mono clock_now(void *ctx)
{
	return mono_now();
}

struct reconcile_options through_options(void)
{
	return (struct reconcile_options){
		.node = "n1", .sched = "rr", .seed = 1, .clock = clock_now,
		.drain = { .tcp = true, .limit_ms = LIMIT_NONE, .gone_limit_ms = LIMIT_NONE },
	};
}

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

void through_read_manifests(const struct world *w, struct reconcile *r)
{
	const struct source_sink sink = { r, on_changes, on_synced, on_report };
	struct err err = { "" };

	need(manifests_read_once(w->manifests, &sink, &err) == 0, "%s", err.text);
}

void through_gone(struct reconcile *r, const char *service)
{
	struct change gone = { .kind = CHANGE_SERVICE_GONE, .ns = xstrdup("default"), .name = xstrdup(service) };

	reconcile_changes(r, &gone, 1);
}

bool through_turns(struct reconcile *r, int ms)
{
	bool was_due = false;

	for (int64_t end_us = now_us() + (int64_t)ms * 1000; now_us() < end_us;) {
		struct mono due = reconcile_turn(r);

		if (mono_set(due) && mono_reached(due, mono_now()))
			was_due = true;
		else
			pause_ms(2);
	}
	return was_due;
}
