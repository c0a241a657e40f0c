/* Many rounds of a drain's steps while another writer adds and deletes real servers of the same virtual server, also between the
 * parts of a dump: nothing that is there may ever be taken for gone. ROUNDS=N in the environment: so many. */
#include "contract/contract.h"

#include "core/settle.h"
#include "kernel/kernel_linux.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define VS "10.96.0.10:80/tcp"
#define OURS 140      /* more than two parts of a dump */
#define THEIRS 60
#define ROUNDS_REAL 2000
#define ROUNDS_FAKE 20000

struct rounds {
	struct contract *c;
	struct vs_key vs;
	struct observed observed;
	struct seen_vs *seen;
	bool there[OURS];           /* ours, in the kernel */
	size_t wrong, gone, skipped, again, asked;
	uint64_t random;
	/* the other writer */
	bool theirs[THEIRS];        /* the fake's */
	pthread_t thread;
	atomic_bool stop;
	atomic_size_t writes;
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static struct rs_key ours(unsigned n)
{
	return rs_nth(n);
}

static struct rs_key theirs(unsigned n)
{
	return rs_nth(10000 + n);
}

/* ---- the other writer ---- */

static void hook(void *ctx, const struct op *op, const struct vs_key *vs)
{
	struct rounds *r = ctx;

	if (op)
		return;
	for (unsigned n = (unsigned)(next_random(&r->random) % 3); n; n--) {
		unsigned which = (unsigned)(next_random(&r->random) % THEIRS);
		struct rs_key key = theirs(which);

		if (r->theirs[which] ? fake_rs_del(r->c->fake, vs, &key) : fake_rs_add(r->c->fake, vs, &key, 1))
			abort();
		r->theirs[which] = !r->theirs[which];
		r->writes++;
	}
}

static void *other_writer(void *ctx)
{
	const struct kernel_options options = { .device = "kube-ipvs0" };
	uint64_t random = 77;
	struct rounds *r = ctx;
	struct op_result result;
	struct kernel *k;

	if (kernel_linux_open(&options, &k, NULL) < 0)
		abort();
	while (!r->stop) {
		struct op op = { .kind = next_random(&random) & 64 ? OP_RS_ADD : OP_RS_DEL, .vs = r->vs, .weight = 1 };

		op.rs = theirs((unsigned)(next_random(&random) % THEIRS));
		k->v->apply(k, &op, 1, &result);
		r->writes++;
	}
	k->v->free(k);
	return NULL;
}

/* ---- our steps ---- */

static void lost(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs)
{
	(void)ctx;
	(void)vs;
	(void)rs;
}

static void conclude_gone(struct rounds *r, const struct rs_key *rs)
{
	r->gone++;
	for (unsigned i = 0; i < OURS; i++) {
		struct rs_key key = ours(i);

		if (rs_cmp(&key, rs) == 0 && r->there[i])
			r->wrong++;
	}
}

static void drift(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs, const char *what)
{
	struct rounds *r = ctx;

	(void)vs;
	if (strcmp(what, "vs-gone") == 0)
		r->wrong++;
	if (strcmp(what, "rs-gone") == 0)
		conclude_gone(r, &rs->key);
}

static bool read_once(struct rounds *r)
{
	const struct observed_listener listener = { r, lost, drift };
	static int64_t now;
	struct kernel_rss rss = { 0 };
	bool again = false;

	if (r->c->k->v->list_rs(r->c->k, &r->vs, &rss, NULL) < 0)
		r->wrong++;
	else
		again = observed_take_rss(&r->observed, r->seen, rss.rows.v, rss.rows.n, (struct mono){ ++now }, 1000, &listener);
	for (unsigned i = 0; i < OURS; i++) {
		struct rs_key key = ours(i);
		bool found = !r->there[i];

		for (size_t j = 0; j < rss.rows.n && !found; j++)
			found = rs_cmp(&rss.rows.v[j].key, &key) == 0;
		r->skipped += !found;
	}
	kernel_rss_fini(&rss);
	return again;
}

/* What two dumps did not show is edited: the answer says whether it is gone. */
static void ask_for_missed(struct rounds *r)
{
	for (size_t i = r->seen->n_rs; i-- > 0;) {
		struct op op = { .kind = OP_RS_RAISE, .vs = r->vs, .rs = r->seen->rs[i].key, .weight = r->seen->rs[i].weight };
		struct op_result result;
		size_t before = r->seen->n_rs;

		if (!r->seen->rs[i].missed)
			continue;
		op.kind = op.weight ? OP_RS_RAISE : OP_RS_ZERO;
		result.code = do_op(r->c, op);
		(void)settle(&r->observed, &op, result, (struct mono){ 1 });
		r->asked++;
		if (r->seen->n_rs < before)
			conclude_gone(r, &op.rs);
	}
}

/* As the daemon does: a row that is missing is asked for once more, then by name. */
static void read_table(struct rounds *r)
{
	if (!read_once(r))
		return;
	r->again++;
	if (read_once(r))
		(void)read_once(r); /* other rows were missing now */
	ask_for_missed(r);
}

static int step(struct rounds *r, enum op_kind kind, unsigned n, int32_t weight)
{
	struct op op = { .kind = kind, .vs = r->vs, .rs = ours(n), .weight = weight };

	return do_op(r->c, op);
}

static void round_of(struct rounds *r)
{
	unsigned n = (unsigned)(next_random(&r->random) % OURS);
	struct rs_key key = ours(n);
	const struct seen_rs *seen;

	if (!r->there[n]) {
		r->wrong += step(r, OP_RS_ADD, n, 1) != 0;
		r->there[n] = true;
		read_table(r);
		return;
	}
	r->wrong += step(r, OP_RS_ZERO, n, 0) != 0;
	read_table(r);
	seen = seen_rs_find(r->seen, &key);
	r->wrong += !seen || seen->weight != 0;
	r->wrong += step(r, OP_RS_DEL, n, 0) != 0;
	r->there[n] = false;
	if (next_random(&r->random) & 1)
		read_table(r);
}

static void rounds_against_another_writer(struct contract *c)
{
	struct rounds r = { .c = c, .vs = vs_of(VS), .random = 12345 };
	const char *asked = getenv("ROUNDS");
	size_t rounds = asked ? strtoul(asked, NULL, 10) : c->fake ? ROUNDS_FAKE : ROUNDS_REAL, wrong, writes;

	CHECK_INT(c, do_vs(c, OP_VS_ADD, VS), 0);
	for (unsigned i = 0; i < OURS; i++)
		r.there[i] = step(&r, OP_RS_ADD, i, 1) == 0;
	r.seen = observed_vs_get(&r.observed, &r.vs);
	if (c->fake)
		fake_hook(c->fake, hook, &r);
	else if (pthread_create(&r.thread, NULL, other_writer, &r))
		abort();
	for (size_t i = 0; i < rounds && r.wrong == 0; i++)
		round_of(&r);
	r.stop = true;
	if (!c->fake)
		(void)pthread_join(r.thread, NULL);
	wrong = r.wrong;
	writes = r.writes;
	(void)fprintf(stderr, "rounds: %zu writes of the other, %zu of our rows were skipped by dumps, %zu reads asked again, %zu rows asked for "
		      "by name, %zu gone for good, %zu wrong\n", writes, r.skipped, r.again, r.asked, r.gone, wrong);
	observed_fini(&r.observed);
	CHECK_INT(c, wrong, 0);
	CHECK(c, writes > rounds / 4); /* the other one was really there */
}

const struct contract_test contract_rounds[] = {
	CONTRACT_TEST(rounds_against_another_writer),
	{ 0 },
};
