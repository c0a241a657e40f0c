/* Any single failure heals, on the real kernel too: the real pass goes through a round of changes, again and again, and each time another
 * operation fails, in one way or another, while a client holds a connection through a server that comes and goes. */
#include "scene.h"
#include "through.h"

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
	struct through through;
	unsigned ops, at; /* the operation that fails, counted from 1; 0: none */
	const struct failure *failure;
	bool hit;
};

static void bad_apply(struct kernel *port, const struct op *ops, size_t n, struct op_result *ret)
{
	struct bad_kernel *k = (struct bad_kernel *)port;
	struct kernel *real = through_real(port);

	for (size_t i = 0; i < n; i++) {
		bool fails = ++k->ops == k->at;

		if (!fails || k->failure->done)
			real->v->apply(real, &ops[i], 1, &ret[i]);
		if (fails)
			ret[i].code = k->failure->code;
		k->hit = k->hit || fails;
	}
}

/* Until the table says so and nothing is due. */
static void until(const struct world *w, struct reconcile *r, const char *table, const struct bad_kernel *k)
{
	for (int64_t end_us = now_us() + HEAL_MS * 1000; strcmp(table_text(w), table) != 0; (void)through_turns(r, 100))
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
	through_read_manifests(w, r);
}

static void more(const struct world *w, struct reconcile *r, bool there)
{
	if (there) {
		manifest_service(w, "more", "203.0.113.20", "{name: http, port: 80}");
		manifest_slice(w, "more", AF_INET, WEB_PORTS, 2);
		through_read_manifests(w, r);
	} else {
		manifest_remove(w, "more.yaml");
		through_gone(r, "more");
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
	(void)through_turns(r, 500); /* the linger */
}

static void any_single_failure_heals(void)
{
	struct scene *s = scene_quiet();
	struct reconcile_options options = through_options();
	struct bad_kernel k = { .failure = &failures[0] };
	struct reconcile *r;
	struct stream *held;
	unsigned per_round, n = 0;

	manifest_remove(s->w, "web-IPv6.yaml");
	world_enter(s->w, NODE);
	through_open(&k.through, bad_apply, NULL);
	options.sync_period_ms = 2000;
	options.address_linger_ms = 200;
	r = reconcile_new(&options, &k.through.port, NULL);
	web(s->w, r, "rr", 3);
	until(s->w, r, WEB("rr", "1"), &k);
	(void)through_turns(r, 300);
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
	(void)through_turns(r, 3000); /* an audit finds nothing more */
	k.ops = 0;
	(void)through_turns(r, 3000);
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
