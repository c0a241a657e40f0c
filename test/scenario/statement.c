/* The statements of a scenario that say what happens: one function and one row each. */
#include "scenario/play.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE 45 /* seconds that an action waits for its ground in a world with a fault more */

/* In a world where something went wrong that the text knows nothing of, actions come a little later. */
#define EVENTUALLY(p, ok)                                              \
	({                                                             \
		bool ok_ = (ok);                                       \
		for (int i_ = 0; !ok_ && (p)->faulted && !(p)->trapped && !(p)->impatient && i_ < PATIENCE; i_++) { \
			world_run(&(p)->w, 1000);                      \
			ok_ = (ok);                                    \
		}                                                      \
		ok_;                                                   \
	})

static bool need(struct play *p, size_t n, size_t least)
{
	return n >= least ? true : play_fail(p, "words are missing");
}

/* "web/http" → "web", "http"; "web" → "web", "". */
static char *port_of(char *word)
{
	char *slash = strchr(word, '/');

	if (!slash)
		return word + strlen(word);
	*slash = 0;
	return slash + 1;
}

/* ---- what the sources tell ---- */

static void service_ip(struct world_service *s, const struct ip *ip)
{
	for (size_t i = 0; i < s->n_ips; i++)
		if (ip_equal(&s->ips[i], ip))
			return;
	if (s->n_ips < ARRAY_SIZE(s->ips))
		s->ips[s->n_ips++] = *ip;
}

static bool st_service(struct play *p, char **a, size_t n)
{
	struct world_service *s;
	struct world_port *port;
	struct vs_key key;
	char *port_name;

	if (!need(p, n, 2) || !word_vs(p, a[1], &key))
		return false;
	port_name = port_of(a[0]);
	s = world_service(&p->w, a[0]);
	service_ip(s, &key.ip);
	port = world_service_port(s, port_name);
	if (!port) {
		port = vec_push(&s->ports);
		*port = (struct world_port){ .name = xstrdup(port_name) };
	}
	port->proto = key.proto;
	port->port = key.port;
	for (size_t i = 2; i + 1 < n; i += 2) {
		int64_t value;

		if (word_is(a[i], "affinity") && word_span(p, a[i + 1], &value))
			s->affinity_s = (uint32_t)(value / 1000);
		else if (word_is(a[i], "created") && word_number(p, a[i + 1], &value))
			s->created = value;
		else
			return play_fail(p, "'%s' is nothing that a service has", a[i]);
	}
	world_tell_service(&p->w, s);
	return true;
}

static struct world_slice *slice_for(struct world *w, const char *service, const char *port_name, const struct rs_key *rs, const char *named)
{
	CLEANUP(free_p) char *name = named ? xstrdup(named) : xfmt("%s-%s-%u-%u", service, port_name, rs->port, rs->ip.family);
	struct world_slice *s = world_slice(w, name);
	struct world_port *port = world_service_port(world_service(w, service), port_name);

	if (s)
		return s;
	s = world_slice_new(w, name);
	s->service = xstrdup(service);
	s->family = rs->ip.family;
	s->port = (struct world_port){ xstrdup(port_name), port ? port->proto : PROTO_TCP, rs->port };
	return s;
}

static struct world_endpoint *endpoint_in(struct world_slice *s, const struct ip *ip, const char *uid)
{
	for (size_t i = 0; i < s->endpoints.n; i++) {
		struct world_endpoint *e = &s->endpoints.v[i];

		if (ip_equal(&e->ip, ip) && (uid && e->uid ? !strcmp(uid, e->uid) : uid == e->uid))
			return e;
	}
	return NULL;
}

static bool endpoint_flag(struct world_endpoint *e, const char *word)
{
	if (word_is(word, "ready"))
		e->ready = e->serving = !(e->terminating = false);
	else if (word_is(word, "notready"))
		e->ready = e->serving = e->terminating = false;
	else if (word_is(word, "terminating"))
		e->ready = !(e->serving = e->terminating = true);
	else if (word_is(word, "dying"))
		e->ready = e->serving = !(e->terminating = true);
	else
		return false;
	return true;
}

static bool st_endpoint(struct play *p, char **a, size_t n)
{
	const char *slice_name = NULL, *uid = NULL;
	struct world_endpoint flags = { .ready = true, .serving = true }, *e;
	struct world_slice *slice;
	struct rs_key rs;
	char *port_name;

	if (!need(p, n, 2) || !word_rs(p, a[1], &rs))
		return false;
	port_name = port_of(a[0]);
	for (size_t i = 2; i < n; i++) {
		if (endpoint_flag(&flags, a[i]))
			continue;
		if (i + 1 < n && word_is(a[i], "slice"))
			slice_name = a[++i];
		else if (i + 1 < n && word_is(a[i], "uid"))
			uid = a[++i];
		else
			return play_fail(p, "'%s' is nothing that an endpoint has", a[i]);
	}
	slice = slice_for(&p->w, a[0], port_name, &rs, slice_name);
	e = endpoint_in(slice, &rs.ip, uid);
	if (!e) {
		e = vec_push(&slice->endpoints);
		*e = (struct world_endpoint){ .ip = rs.ip, .uid = xstrdup(uid) };
	}
	e->ready = flags.ready;
	e->serving = flags.serving;
	e->terminating = flags.terminating;
	world_tell_slice(&p->w, slice);
	return true;
}

static void next_ip(struct ip *ip)
{
	for (size_t i = ip_size(ip); i-- > 0;)
		if (++ip->bytes[i])
			return;
}

/* "endpoints web/http 10.1.0.1:8080 5000": consecutive addresses, one slice. */
static bool st_endpoints(struct play *p, char **a, size_t n)
{
	struct world_slice *slice;
	struct rs_key rs;
	int64_t count;
	char *port_name;

	if (!need(p, n, 3) || !word_rs(p, a[1], &rs) || !word_number(p, a[2], &count))
		return false;
	port_name = port_of(a[0]);
	slice = slice_for(&p->w, a[0], port_name, &rs, "many");
	for (; count > 0; count--, next_ip(&rs.ip))
		*vec_push(&slice->endpoints) = (struct world_endpoint){ .ip = rs.ip, .ready = true, .serving = true };
	world_tell_slice(&p->w, slice);
	return true;
}

static bool remove_endpoint(struct play *p, char **a, size_t n)
{
	size_t slice_at = word_find(a, n, "slice"), uid_at = word_find(a, n, "uid");
	struct world_endpoint *e;
	struct world_slice *slice;
	struct rs_key rs;
	char *port_name;

	if (!need(p, n, 2) || !word_rs(p, a[1], &rs))
		return false;
	port_name = port_of(a[0]);
	slice = slice_for(&p->w, a[0], port_name, &rs, slice_at + 1 < n ? a[slice_at + 1] : NULL);
	e = endpoint_in(slice, &rs.ip, uid_at + 1 < n ? a[uid_at + 1] : NULL);
	if (!e)
		return p->faulted ? true : play_fail(p, "there is no such endpoint");
	free(e->uid);
	*e = slice->endpoints.v[--slice->endpoints.n];
	world_tell_slice(&p->w, slice);
	return true;
}

static bool remove_port(struct play *p, char *word)
{
	char *port_name = port_of(word);
	struct world_service *s = world_service(&p->w, word);
	struct world_port *port = world_service_port(s, port_name);

	if (!port)
		return play_fail(p, "there is no such port");
	free(port->name);
	*port = s->ports.v[--s->ports.n];
	world_tell_service(&p->w, s);
	return true;
}

static bool st_remove(struct play *p, char **a, size_t n)
{
	if (!need(p, n, 2))
		return false;
	if (word_is(a[0], "endpoint"))
		return remove_endpoint(p, a + 1, n - 1);
	if (word_is(a[0], "port"))
		return remove_port(p, a[1]);
	if (word_is(a[0], "service"))
		world_remove_service(&p->w, a[1]);
	else if (word_is(a[0], "slice"))
		world_remove_slice(&p->w, a[1]);
	else
		return play_fail(p, "'%s' can't be removed", a[0]);
	return true;
}

static bool st_sync(struct play *p, char **a, size_t n)
{
	if (n && word_is(a[0], "later"))
		p->w.manual_sync = true;
	else
		world_sync(&p->w, n && word_is(a[0], "partial"));
	return true;
}

static bool st_option(struct play *p, char **a, size_t n)
{
	struct reconcile_options *o = &p->w.options;

	if (!need(p, n, 2))
		return false;
	if (word_is(a[0], "sched")) {
		free(p->w.sched);
		p->w.sched = xstrdup(a[1]);
		return true;
	}
	if (word_is(a[0], "sync-period"))
		return word_span(p, a[1], &o->sync_period_ms);
	if (word_is(a[0], "service-drain-limit"))
		return word_is(a[1], "none") ? (o->service_drain_limit_ms = -1, true) : word_span(p, a[1], &o->service_drain_limit_ms);
	if (word_is(a[0], "linger"))
		return word_span(p, a[1], &o->address_linger_ms);
	return play_fail(p, "'%s' is no option", a[0]);
}

/* ---- time ---- */

static bool st_pass(struct play *p, char **a, size_t n)
{
	(void)a;
	(void)n;
	(void)world_pass(&p->w);
	return true;
}

static bool st_clock(struct play *p, char **a, size_t n)
{
	int64_t ms;

	if (!need(p, n, 1) || !word_span(p, a[0], &ms))
		return false;
	fake_advance(p->w.fake, ms);
	(void)world_pass(&p->w);
	return true;
}

static bool st_run(struct play *p, char **a, size_t n)
{
	int64_t ms;

	if (!need(p, n, 1) || !word_span(p, a[0], &ms))
		return false;
	world_run(&p->w, ms);
	return true;
}

/* ---- clients ---- */

struct found {
	VEC(struct vs_key) vss;
	const struct rs_key *rs;
};

static void note_vs(void *ctx, const struct vs_key *vs, const struct rs_row *row)
{
	struct found *found = ctx;

	if (rs_cmp(&row->key, found->rs) == 0)
		*vec_push(&found->vss) = *vs;
}

static int each_counters(struct play *p, const struct vs_key *on, const struct rs_key *rs, uint32_t active, uint32_t inactive)
{
	struct found found = { .rs = rs };
	int rc = -ENOENT;

	if (on)
		return fake_counters(p->w.fake, on, rs, active, inactive);
	fake_each_rs(p->w.fake, note_vs, &found);
	for (size_t i = 0; i < found.vss.n; i++)
		rc = fake_counters(p->w.fake, &found.vss.v[i], rs, active, inactive);
	free(found.vss.v);
	return rc;
}

static bool st_counters(struct play *p, char **a, size_t n)
{
	int64_t active = 0, inactive = 0;
	struct vs_key vs;
	struct rs_key rs;
	bool on = false;

	if (!need(p, n, 3) || !word_rs(p, a[0], &rs))
		return false;
	for (size_t i = 1; i + 1 < n; i += 2) {
		if (word_is(a[i], "active") ? !word_number(p, a[i + 1], &active) :
		    word_is(a[i], "inactive") ? !word_number(p, a[i + 1], &inactive) :
		    word_is(a[i], "on") ? !word_vs(p, a[i + 1], &vs) : !play_fail(p, "'%s' is no count", a[i]))
			return false;
		on = on || word_is(a[i], "on");
	}
	if (EVENTUALLY(p, each_counters(p, on ? &vs : NULL, &rs, (uint32_t)active, (uint32_t)inactive) == 0))
		return true;
	/* A drain of zero that was over sooner or later than the text thinks: nothing to count. */
	return p->faulted ? true : play_fail(p, "%s is not in the kernel", a[0]);
}

static bool connects(struct play *p, const char *name, const char *client, const struct vs_key *vs, const struct rs_key *want)
{
	struct rs_key rs;

	if (fake_connect(p->w.fake, name, client, vs, &rs) != FAKE_ACCEPTED)
		return false;
	if (!want || rs_cmp(&rs, want) == 0)
		return true;
	(void)fake_reset(p->w.fake, name); /* the client of the text is another one's */
	return false;
}

/* connect NAME VS [to RS] [from CLIENT] */
static bool st_connect(struct play *p, char **a, size_t n)
{
	size_t to = word_find(a, n, "to"), from = word_find(a, n, "from");
	struct rs_key want;
	struct vs_key vs;
	const char *client;

	if (!need(p, n, 2) || !word_vs(p, a[1], &vs) || (to + 1 < n && !word_rs(p, a[to + 1], &want)))
		return false;
	client = from + 1 < n ? a[from + 1] : a[0];
	if (EVENTUALLY(p, connects(p, a[0], client, &vs, to + 1 < n ? &want : NULL)) || p->faulted)
		return true;
	return play_fail(p, "%s was not taken as it should: %s", a[0], fake_conn_word(p->w.fake, a[0]));
}

static bool st_straggler(struct play *p, char **a, size_t n)
{
	struct vs_key vs;
	struct rs_key rs;

	if (!need(p, n, 3) || !word_vs(p, a[1], &vs) || !word_rs(p, a[2], &rs))
		return false;
	return fake_straggler(p->w.fake, a[0], &vs, &rs) == 0 || p->faulted ? true : play_fail(p, "%s is not in the kernel", a[2]);
}

static bool on_conn(struct play *p, char **a, size_t n, int (*fn)(struct fake_kernel *f, const char *name))
{
	if (!need(p, n, 1))
		return false;
	return fn(p->w.fake, a[0]) == 0 || p->faulted ? true : play_fail(p, "%s is %s", a[0], fake_conn_word(p->w.fake, a[0]));
}

static bool st_close(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_close);
}

static bool st_reset(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_reset);
}

static bool st_fin(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_fin);
}

static bool st_send(struct play *p, char **a, size_t n)
{
	return on_conn(p, a, n, fake_send);
}

/* ---- a foreign hand ---- */

static bool hand_attrs(struct play *p, char **a, size_t n, struct vs_attrs *ret)
{
	*ret = (struct vs_attrs){ .sched = "rr" };
	for (size_t i = 0; i < n; i++) {
		int64_t ms;

		if (i + 1 < n && word_is(a[i], "affinity")) {
			if (!word_span(p, a[++i], &ms))
				return false;
			ret->flags = VS_FLAG_PERSISTENT;
			ret->timeout_s = (uint32_t)(ms / 1000);
		} else {
			*ret = (struct vs_attrs){ .flags = ret->flags, .timeout_s = ret->timeout_s };
			(void)snprintf(ret->sched, sizeof(ret->sched), "%s", a[i]);
		}
	}
	return true;
}

static bool done(struct play *p, int rc)
{
	return rc == 0 || p->faulted ? true : play_fail(p, "the kernel answered %s", code_word(rc));
}

static bool hand_rss(struct play *p, const struct vs_key *vs, struct rs_key rs, char **a, size_t n)
{
	int64_t count, weight;
	int rc = 0;

	if (!need(p, n, 3) || !word_number(p, a[0], &count) || !word_number(p, a[2], &weight))
		return false;
	for (; count > 0 && rc == 0; count--, next_ip(&rs.ip))
		rc = fake_rs_add(p->w.fake, vs, &rs, (int32_t)weight);
	return done(p, rc);
}

/* foreign rs-add|rs-set VS RS WEIGHT, rs-del VS RS, rss VS RS COUNT weight WEIGHT */
static bool hand_rs(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	struct vs_key vs;
	struct rs_key rs;
	int64_t weight = 0;

	if (!need(p, n, 3) || !word_vs(p, a[1], &vs) || !word_rs(p, a[2], &rs))
		return false;
	if (word_is(a[0], "rss"))
		return hand_rss(p, &vs, rs, a + 3, n - 3);
	if (word_is(a[0], "rs-del"))
		return done(p, EVENTUALLY(p, fake_rs_del(f, &vs, &rs) == 0) ? 0 : -ENOENT);
	if (!need(p, n, 4) || !word_number(p, a[3], &weight))
		return false;
	if (word_is(a[0], "rs-add"))
		return done(p, fake_rs_add(f, &vs, &rs, (int32_t)weight));
	return done(p, EVENTUALLY(p, fake_rs_set(f, &vs, &rs, (int32_t)weight) == 0) ? 0 : -ENOENT);
}

/* foreign vs-add|vs-set VS [SCHED] [affinity SPAN], vs-del VS, unserve VS */
static bool hand_vs(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	struct vs_attrs attrs;
	struct vs_key vs;

	if (!need(p, n, 2) || !word_vs(p, a[1], &vs) || !hand_attrs(p, a + 2, n - 2, &attrs))
		return false;
	if (word_is(a[0], "vs-add")) {
		*vec_push(&p->foreign) = xstrdup(a[1]);
		return done(p, fake_vs_add(f, &vs, &attrs));
	}
	if (word_is(a[0], "vs-set"))
		return done(p, EVENTUALLY(p, fake_vs_set(f, &vs, &attrs) == 0) ? 0 : -ESRCH);
	if (word_is(a[0], "unserve"))
		return done(p, EVENTUALLY(p, fake_unserve(f, &vs) == 0) ? 0 : -ENOENT);
	return done(p, EVENTUALLY(p, fake_vs_del(f, &vs) == 0) ? 0 : -ESRCH);
}

static bool hand_addr(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	struct ip ip;

	if (!need(p, n, 2) || !word_ip(p, a[1], &ip))
		return false;
	if (word_is(a[0], "addr-add"))
		return done(p, fake_addr_add(f, &ip));
	if (word_is(a[0], "addr-del"))
		return done(p, EVENTUALLY(p, fake_addr_del(f, &ip) == 0) ? 0 : -ENOENT);
	return done(p, EVENTUALLY(p, fake_unguard(f, &ip) == 0) ? 0 : -ENOENT);
}

static bool hand(struct play *p, char **a, size_t n)
{
	struct fake_kernel *f = p->w.fake;
	int64_t mark;

	if (!need(p, n, 1))
		return false;
	if (word_is(a[0], "flush-vs"))
		fake_vs_flush(f);
	else if (word_is(a[0], "flush-addresses"))
		fake_addr_flush(f);
	else if (word_is(a[0], "flush-filter"))
		fake_filter_flush(f);
	else if (word_is(a[0], "damage-filter"))
		fake_filter_damage(f);
	else if (word_is(a[0], "delete-device"))
		fake_device_del(f);
	else if (word_is(a[0], "fwmark") && n > 1 && word_number(p, a[1], &mark))
		fake_fwmark_add(f, (uint32_t)mark);
	else if (!strncmp(a[0], "rs", 2))
		return hand_rs(p, a, n);
	else if (!strncmp(a[0], "vs-", 3) || word_is(a[0], "unserve"))
		return hand_vs(p, a, n);
	else if (!strncmp(a[0], "addr-", 5) || word_is(a[0], "unguard"))
		return hand_addr(p, a, n);
	else
		return play_fail(p, "no foreign hand does '%s'", a[0]);
	return true;
}

static bool st_foreign(struct play *p, char **a, size_t n)
{
	return hand(p, a, n);
}

/* It is told by nobody: the audit has to find it. */
static bool st_quietly(struct play *p, char **a, size_t n)
{
	bool ok;

	fake_quiet(p->w.fake, true);
	ok = hand(p, a, n);
	fake_quiet(p->w.fake, false);
	return ok;
}

/* The virtual server that a foreign hand made is ours by adoption: what is in it is judged. */
static bool st_ours(struct play *p, char **a, size_t n)
{
	struct vs_key vs;

	if (!need(p, n, 1) || !word_vs(p, a[0], &vs))
		return false;
	fake_own(p->w.fake, &vs);
	for (size_t i = 0; i < p->foreign.n; i++) {
		if (strcmp(p->foreign.v[i], a[0]))
			continue;
		free(p->foreign.v[i]);
		p->foreign.v[i] = p->foreign.v[--p->foreign.n];
		return true;
	}
	return play_fail(p, "no foreign hand made %s", a[0]);
}

/* A virtual server that we made and cannot know any more: nobody's to judge. */
static bool st_theirs(struct play *p, char **a, size_t n)
{
	if (!need(p, n, 1))
		return false;
	*vec_push(&p->foreign) = xstrdup(a[0]);
	return true;
}

/* ---- trouble ---- */

/* fail op N CODE; fail KIND CODE [TIMES] */
static bool st_fail(struct play *p, char **a, size_t n)
{
	int64_t times = 1;
	enum op_kind kind = 0;
	int code;

	if (!need(p, n, 2))
		return false;
	if (word_is(a[0], "op")) {
		if (!need(p, n, 3) || !word_number(p, a[1], &times) || !word_code(p, a[2], &code))
			return false;
		fake_fault_nth(p->w.fake, FAKE_FAIL, (size_t)times, code);
		return true;
	}
	if (!word_is(a[0], "prepare") && !word_kind(a[0], &kind))
		return play_fail(p, "'%s' is no operation", a[0]);
	if (!word_code(p, a[1], &code) || (n > 2 && !word_number(p, a[2], &times)))
		return false;
	fake_fault_kind(p->w.fake, FAKE_FAIL, kind, (size_t)times, code);
	return true;
}

/* silent op N [done|call] */
static bool st_silent(struct play *p, char **a, size_t n)
{
	int64_t at;

	if (!need(p, n, 2) || !word_number(p, a[1], &at))
		return false;
	fake_fault_nth(p->w.fake, n < 3 ? FAKE_SILENT : word_is(a[2], "done") ? FAKE_SILENT_DONE : FAKE_SILENT_CALL, (size_t)at, 0);
	return true;
}

/* die before|after op N */
static bool st_die(struct play *p, char **a, size_t n)
{
	int64_t at;

	if (!need(p, n, 3) || !word_number(p, a[2], &at))
		return false;
	fake_fault_nth(p->w.fake, word_is(a[0], "before") ? FAKE_DIE_BEFORE : FAKE_DIE_AFTER, (size_t)at, 0);
	return true;
}

static bool st_heal(struct play *p, char **a, size_t n)
{
	(void)a;
	(void)n;
	fake_faults_clear(p->w.fake);
	return true;
}

static bool st_interrupt(struct play *p, char **a, size_t n)
{
	int64_t lists;

	if (!need(p, n, 1) || !word_number(p, a[0], &lists))
		return false;
	fake_interrupt(p->w.fake, (size_t)lists);
	return true;
}

/* skip-row|repeat-row VS RS DUMPS */
static bool row(struct play *p, char **a, size_t n, bool repeat)
{
	struct vs_key vs;
	struct rs_key rs;
	int64_t dumps;

	if (!need(p, n, 3) || !word_vs(p, a[0], &vs) || !word_rs(p, a[1], &rs) || !word_number(p, a[2], &dumps))
		return false;
	(repeat ? fake_repeat_row : fake_skip_row)(p->w.fake, &vs, &rs, (size_t)dumps);
	return true;
}

static bool st_skip_row(struct play *p, char **a, size_t n)
{
	return row(p, a, n, false);
}

static bool st_repeat_row(struct play *p, char **a, size_t n)
{
	return row(p, a, n, true);
}

/* restart [without-journal|damaged-journal] */
static bool st_restart(struct play *p, char **a, size_t n)
{
	world_restart(&p->w);
	if (n && word_is(a[0], "without-journal"))
		world_drop_journal(&p->w);
	else if (n && word_is(a[0], "damaged-journal"))
		world_damage_journal(&p->w);
	else if (n)
		return play_fail(p, "'%s'?", a[0]);
	return true;
}

/* at KIND|read STATEMENT: once, just before it. */
static bool st_at(struct play *p, char **a, size_t n)
{
	struct text text = { 0 };
	enum op_kind kind = 0;

	if (!need(p, n, 2))
		return false;
	if (!word_is(a[0], "read") && !word_kind(a[0], &kind))
		return play_fail(p, "'%s' is no operation", a[0]);
	for (size_t i = 1; i < n; i++)
		text_add(&text, "%s%s", i > 1 ? " " : "", a[i]);
	*vec_push(&p->traps) = (struct play_trap){ kind, text.s };
	return true;
}

static const struct {
	const char *word;
	bool (*fn)(struct play *p, char **a, size_t n);
} statements[] = {
	{ "service", st_service },     { "endpoint", st_endpoint },     { "endpoints", st_endpoints }, { "remove", st_remove },
	{ "sync", st_sync },           { "option", st_option },         { "pass", st_pass },           { "clock", st_clock },
	{ "run", st_run },             { "counters", st_counters },     { "connect", st_connect },     { "straggler", st_straggler },
	{ "close", st_close },         { "reset", st_reset },           { "fin", st_fin },             { "send", st_send },
	{ "foreign", st_foreign },     { "quietly", st_quietly },       { "ours", st_ours },           { "theirs", st_theirs },
	{ "fail", st_fail },           	{ "silent", st_silent },       { "die", st_die },               { "heal", st_heal },           { "interrupt", st_interrupt },
	{ "skip-row", st_skip_row },   { "repeat-row", st_repeat_row }, { "restart", st_restart },     { "at", st_at },
	{ "expect", play_expect },
};

bool play_statement(struct play *p, const char *text)
{
	CLEANUP(free_p) char *copy = xstrdup(text);
	char *words[WORDS_MAX];
	size_t n = words_split(copy, words);

	for (size_t i = 0; n && i < ARRAY_SIZE(statements); i++)
		if (word_is(words[0], statements[i].word))
			return statements[i].fn(p, words + 1, n - 1);
	return play_fail(p, "'%s' is no statement", n ? words[0] : "");
}
