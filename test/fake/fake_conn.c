/* Connections through the fake kernel: who gets a new one, how they age, and what a deleted server does to them. */
#include "fake/fake_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* What the kernel keeps of a connection after its last packet: IPVS for so long, conntrack (which loses the entry with IPVS) for so long
 * and under this word. Half-closed: IPVS waits for the rest as in FIN_WAIT, to conntrack the first side's end is acknowledged. */
struct clocks {
	int64_t ipvs_ms, conntrack_ms;
	enum flow_state word;
};
static const struct clocks clocks_tcp[] = {
	[CONN_OPEN] = { 900000, 432000000, FLOW_ESTABLISHED },
	[CONN_HALF] = { 120000, 60000, FLOW_CLOSE_WAIT },
	[CONN_CLOSED] = { 120000, 120000, FLOW_TIME_WAIT },
	[CONN_RESET] = { 10000, 10000, FLOW_CLOSE },
};
static const struct clocks clocks_udp = { 300000, 30000, FLOW_OTHER };

static bool live(const struct fake_conn *c)
{
	return c->state == CONN_OPEN || c->state == CONN_HALF;
}

/* Of one that has an entry. */
static const struct clocks *clocks_of(const struct fake_conn *c)
{
	return c->vs.proto == PROTO_UDP && live(c) ? &clocks_udp : &clocks_tcp[c->state];
}

/* The kernel has an entry for it. */
static bool has_entry(const struct fake_conn *c)
{
	return live(c) || c->state == CONN_CLOSED || c->state == CONN_RESET;
}

static bool is_on(const struct fake_conn *c, const struct vs_key *vs, const struct rs_key *rs)
{
	return has_entry(c) && !memcmp(&c->vs, vs, sizeof(*vs)) && !memcmp(&c->rs, rs, sizeof(*rs));
}

void conn_counts(const struct fake_kernel *f, const struct vs_key *vs, const struct fake_rs *rs, struct rs_row *ret)
{
	*ret = (struct rs_row){ .key = rs->key, .weight = rs->weight, .active = rs->active, .inactive = rs->inactive };
	for (size_t i = 0; i < f->conns.n; i++) {
		const struct fake_conn *c = &f->conns.v[i];

		if (!is_on(c, vs, &rs->key) || mono_set(c->orphan_since))
			continue;
		if (c->state == CONN_OPEN && vs->proto != PROTO_UDP)
			ret->active++;
		else
			ret->inactive++;
	}
	for (size_t i = 0; i < f->templates.n; i++)
		ret->persist += !memcmp(&f->templates.v[i].vs, vs, sizeof(*vs)) &&
				!memcmp(&f->templates.v[i].rs, &rs->key, sizeof(rs->key)) && f->templates.v[i].expires.ms > f->now.ms;
}

/* The client's text, or an address and a port made of it: of the benchmark's networks, and by its place among all connections. */
static void client_of(const struct fake_kernel *f, const struct fake_conn *c, struct flow *ret)
{
	uint64_t hash = hash_bytes(HASH_START, c->client, strlen(c->client));
	struct ip ip = { AF_INET, { 198, 18, (uint8_t)(hash >> 8), (uint8_t)hash } };
	struct rs_key key;

	ret->client = ip;
	ret->port = (uint16_t)(32768 + (c - f->conns.v) % 28000);
	if (c->vs.ip.family == AF_INET6)
		ret->client = (struct ip){ AF_INET6, { 0x20, 0x01, 0, 2, [14] = (uint8_t)(hash >> 8), [15] = (uint8_t)hash } };
	if (rs_parse(c->client, &key) == 0 && key.ip.family == c->vs.ip.family) {
		ret->client = key.ip;
		ret->port = key.port;
	} else if (ip_parse(c->client, &ip) == 0 && ip.family == c->vs.ip.family) {
		ret->client = ip;
	}
}

void conn_flows(const struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret)
{
	const size_t start = ret->rows.n;

	for (size_t i = 0; i < f->conns.n; i++) {
		const struct fake_conn *c = &f->conns.v[i];
		struct flow flow = { 0 };
		int64_t left_ms;

		if (!is_on(c, vs, rs) || c->untracked)
			continue;
		left_ms = c->expires.ms - clocks_of(c)->ipvs_ms + clocks_of(c)->conntrack_ms - f->now.ms;
		if (left_ms <= 0)
			continue;
		flow.state = (uint8_t)clocks_of(c)->word;
		ret->n[flow.state]++;
		if (ret->rows.n - start >= max)
			continue;
		client_of(f, c, &flow);
		if (flow.state == FLOW_ESTABLISHED) /* told by the clock of IPVS, which runs out first */
			left_ms = c->expires.ms - f->now.ms;
		flow.left_s = c->vs.proto == PROTO_TCP ? (uint32_t)(left_ms / 1000) : 0;
		*vec_push(&ret->rows) = flow;
	}
}

void conn_orphan(struct fake_kernel *f, const struct vs_key *vs, const struct fake_rs *rs)
{
	*vec_push(&f->trash) = (struct fake_gone_rs){
		.vs = *vs, .rs = rs->key, .active = rs->active, .inactive = rs->inactive, .deleted = f->now, .by = f->op,
		.foreign = f->hand || rs->foreign, /* who adds a server to our virtual server answers for it */
	};
	for (size_t i = 0; i < f->conns.n; i++)
		if (is_on(&f->conns.v[i], vs, &rs->key) && !mono_set(f->conns.v[i].orphan_since))
			f->conns.v[i].orphan_since = f->now;
	for (size_t i = 0; i < f->templates.n; i++)
		if (!memcmp(&f->templates.v[i].vs, vs, sizeof(*vs)) && !memcmp(&f->templates.v[i].rs, &rs->key, sizeof(rs->key)))
			f->templates.v[i].expires = f->now;
}

/* In the same instant the add beats the delayed flush: the old structure comes back with all that was on it. */
void conn_readopt(struct fake_kernel *f, const struct vs_key *vs, struct fake_rs *rs)
{
	for (size_t i = f->trash.n; i-- > 0;) {
		struct fake_gone_rs *gone = &f->trash.v[i];

		if (memcmp(&gone->vs, vs, sizeof(*vs)) || memcmp(&gone->rs, &rs->key, sizeof(rs->key)))
			continue;
		f->readds += !f->hand && !gone->foreign;
		if (!gone->flushed) {
			rs->active = gone->active;
			rs->inactive = gone->inactive;
			for (size_t j = 0; j < f->conns.n; j++)
				if (is_on(&f->conns.v[j], vs, &rs->key))
					f->conns.v[j].orphan_since = MONO_NEVER;
		}
		memmove(gone, gone + 1, (f->trash.n - i - 1) * sizeof(*gone));
		f->trash.n--;
	}
}

static void flush_conns(struct fake_kernel *f, const struct fake_gone_rs *gone)
{
	for (size_t i = 0; i < f->conns.n; i++) {
		struct fake_conn *c = &f->conns.v[i];

		if (!is_on(c, &gone->vs, &gone->rs) || !mono_set(c->orphan_since))
			continue;
		if (!live(c)) {
			c->state = CONN_OVER;
		} else if (c->vs.proto == PROTO_UDP) {
			c->state = CONN_MOVED;
		} else {
			c->state = CONN_CUT;
			if (!gone->foreign)
				watch_blame(f, FAKE_CUT, c->name, &gone->rs, 1, &gone->by);
		}
	}
}

static void flush_gone(struct fake_kernel *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->trash.n; i++) {
		struct fake_gone_rs *gone = &f->trash.v[i];
		int64_t age = f->now.ms - gone->deleted.ms;

		if (!gone->flushed && age >= FLUSH_MS) {
			char text[RS_TEXT];

			gone->flushed = true;
			flush_conns(f, gone);
			if (gone->active + gone->inactive && gone->vs.proto != PROTO_UDP && !gone->foreign)
				watch_blame(f, FAKE_CUT, rs_format(&gone->rs, text), &gone->rs, gone->active + gone->inactive, &gone->by);
		}
		if (age < TRASH_MS)
			f->trash.v[kept++] = *gone;
	}
	f->trash.n = kept;
}

/* Its packets reach no virtual server any more. A foreign hand may put the address back: TCP repeats itself meanwhile. */
void conn_unbound(struct fake_kernel *f, const struct ip *ip)
{
	if (f->hand)
		return;
	for (size_t i = 0; i < f->conns.n; i++) {
		struct fake_conn *c = &f->conns.v[i];

		if (!live(c) || !ip_equal(&c->vs.ip, ip))
			continue;
		c->state = CONN_CUT;
		watch_blame(f, FAKE_CUT, c->name, &c->rs, 1, &f->op);
	}
}

static void leave(struct fake_kernel *f)
{
	for (size_t i = 0; i < f->conns.n; i++) {
		struct fake_conn *c = &f->conns.v[i];

		if (!live(c) || !mono_reached(c->leaves, f->now))
			continue;
		c->state = CONN_RESET;
		c->expires = mono_after(c->leaves, clocks_of(c)->ipvs_ms);
	}
}

static void expire(struct fake_kernel *f)
{
	for (size_t i = 0; i < f->conns.n; i++) {
		struct fake_conn *c = &f->conns.v[i];

		if (!has_entry(c) || !mono_reached(c->expires, f->now))
			continue;
		/* A half-closed one is forgotten too, although TCP may go on: counted as over. */
		c->state = c->state == CONN_OPEN && c->vs.proto != PROTO_UDP ? CONN_FORGOTTEN : CONN_OVER;
	}
}

void conn_tick(struct fake_kernel *f)
{
	flush_gone(f);
	leave(f);
	expire(f);
}

/* The candidate with the fewest connections for its weight; among equals the first by key. */
static struct fake_rs *pick(struct fake_kernel *f, const struct fake_vs *vs)
{
	struct fake_rs *rs, *next, *best = NULL;
	uint64_t best_load = 0, best_weight = 1;

	HASH_ITER(hh, vs->rss, rs, next) {
		struct rs_row row;
		uint64_t load, weight = (uint64_t)rs->weight;

		if (rs->weight <= 0)
			continue;
		conn_counts(f, &vs->key, rs, &row);
		load = row.active + row.inactive;
		if (!best || load * best_weight < best_load * weight ||
		    (load * best_weight == best_load * weight && rs_cmp(&rs->key, &best->key) < 0)) {
			best = rs;
			best_load = load;
			best_weight = weight;
		}
	}
	return best;
}

/* With expire_quiescent_template=1: a template whose server has weight 0 leads nowhere. */
static struct fake_rs *pick_persistent(struct fake_kernel *f, const struct fake_vs *vs, const char *client)
{
	struct fake_template *t = NULL;
	struct fake_rs *rs;

	for (size_t i = 0; i < f->templates.n && !t; i++)
		if (!strcmp(f->templates.v[i].client, client) && !memcmp(&f->templates.v[i].vs, &vs->key, sizeof(vs->key)))
			t = &f->templates.v[i];
	rs = t && t->expires.ms > f->now.ms ? table_rs(vs, &t->rs) : NULL;
	if (!rs || rs->weight <= 0)
		rs = pick(f, vs);
	if (!rs)
		return NULL;
	if (!t) {
		t = vec_push(&f->templates);
		(void)snprintf(t->client, sizeof(t->client), "%s", client);
		t->vs = vs->key;
	}
	t->rs = rs->key;
	t->expires = mono_after(f->now, (int64_t)vs->attrs.timeout_s * 1000);
	return rs;
}

static struct fake_conn *find(const struct fake_kernel *f, const char *name)
{
	for (size_t i = f->conns.n; i-- > 0;)
		if (!strcmp(f->conns.v[i].name, name))
			return &f->conns.v[i];
	return NULL;
}

static void open_conn(struct fake_kernel *f, const char *name, const char *client, const struct vs_key *vs, const struct rs_key *rs)
{
	struct fake_conn *c = vec_push(&f->conns);

	*c = (struct fake_conn){ .vs = *vs, .rs = *rs, .state = CONN_OPEN, .leaves = MONO_NEVER, .orphan_since = MONO_NEVER };
	(void)snprintf(c->name, sizeof(c->name), "%s", name);
	(void)snprintf(c->client, sizeof(c->client), "%s", client);
	c->expires = mono_after(f->now, clocks_of(c)->ipvs_ms);
}

enum fake_answer fake_connect(struct fake_kernel *f, const char *name, const char *client, const struct vs_key *key, struct rs_key *ret_rs)
{
	struct fake_addr *addr = table_addr(f, &key->ip);
	struct fake_vs *vs = table_vs(f, key);
	struct fake_rs *rs;

	if (!addr || !addr->bound)
		return FAKE_UNREACHABLE;
	if (f->table && addr->guarded && !table_served(f, key))
		return FAKE_REFUSED;
	if (!vs)
		return FAKE_HOST;
	rs = vs->attrs.flags & VS_FLAG_PERSISTENT ? pick_persistent(f, vs, client) : pick(f, vs);
	if (!rs)
		return FAKE_REFUSED;
	open_conn(f, name, client, key, &rs->key);
	if (ret_rs)
		*ret_rs = rs->key;
	return FAKE_ACCEPTED;
}

int fake_straggler(struct fake_kernel *f, const char *name, const struct vs_key *key, const struct rs_key *rs)
{
	struct fake_vs *vs = table_vs(f, key);

	if (!vs)
		return -ESRCH;
	if (!table_rs(vs, rs))
		return -ENOENT;
	open_conn(f, name, name, key, rs);
	return 0;
}

void fake_leaves(struct fake_kernel *f, const char *name, int64_t ms)
{
	struct fake_conn *c = find(f, name);

	if (c)
		c->leaves = mono_after(f->now, ms);
}

static int end_conn(struct fake_kernel *f, const char *name, enum conn_state state)
{
	struct fake_conn *c = find(f, name);

	if (!c || !live(c))
		return -ENOENT;
	c->state = state;
	c->expires = mono_after(f->now, clocks_of(c)->ipvs_ms);
	return 0;
}

int fake_close(struct fake_kernel *f, const char *name)
{
	return end_conn(f, name, CONN_CLOSED);
}

int fake_reset(struct fake_kernel *f, const char *name)
{
	return end_conn(f, name, CONN_RESET);
}

int fake_fin(struct fake_kernel *f, const char *name)
{
	return end_conn(f, name, CONN_HALF);
}

int fake_untrack(struct fake_kernel *f, const char *name)
{
	struct fake_conn *c = find(f, name);

	if (!c)
		return -ENOENT;
	c->untracked = true;
	return 0;
}

int fake_send(struct fake_kernel *f, const char *name)
{
	struct fake_conn *c = find(f, name);
	struct fake_vs *vs = c ? table_vs(f, &c->vs) : NULL;
	struct fake_rs *rs = c && c->state == CONN_MOVED && vs ? pick(f, vs) : NULL;

	if (rs) {
		c->rs = rs->key;
		c->state = CONN_OPEN;
		c->orphan_since = MONO_NEVER;
	}
	if (!c || !live(c))
		return -ENOENT;
	c->expires = mono_after(f->now, clocks_of(c)->ipvs_ms);
	return 0;
}

void fake_all_leave(struct fake_kernel *f)
{
	struct fake_vs *vs, *vs_next;
	struct fake_rs *rs, *rs_next;

	for (size_t i = 0; i < f->conns.n; i++)
		if (live(&f->conns.v[i]))
			f->conns.v[i].leaves = f->now;
	leave(f);
	HASH_ITER(hh, f->vss, vs, vs_next)
		HASH_ITER(hh, vs->rss, rs, rs_next)
			rs->active = rs->inactive = 0;
}

const char *fake_answer_word(enum fake_answer answer)
{
	switch (answer) {
	case FAKE_ACCEPTED:
		return "accepted";
	case FAKE_REFUSED:
		return "refused";
	case FAKE_UNREACHABLE:
		return "unreachable";
	case FAKE_HOST:
		return "host";
	}
	return "?";
}

const char *fake_conn_word(const struct fake_kernel *f, const char *name)
{
	const struct fake_conn *c = find(f, name);

	if (!c)
		return "none";
	switch (c->state) {
	case CONN_OPEN:
		return "open";
	case CONN_HALF:
		return "half-closed";
	case CONN_CLOSED:
		return "closed";
	case CONN_RESET:
		return "reset";
	case CONN_OVER:
		return "over";
	case CONN_FORGOTTEN:
		return "forgotten";
	case CONN_MOVED:
		return "moved";
	case CONN_CUT:
		return "cut";
	}
	return "none";
}

const struct rs_key *fake_conn_rs(const struct fake_kernel *f, const char *name)
{
	const struct fake_conn *c = find(f, name);

	return c ? &c->rs : NULL;
}
