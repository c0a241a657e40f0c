/* Statements of what the sources tell, and of the options. */
#include "scenario/statement.h"

#include <string.h>

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

static bool service_annotation(struct world_service *s, const char *key, const char *value)
{
	if (word_is(key, "scheduler")) {
		free(s->sched);
		s->sched = xstrdup(value);
		return true;
	}
	if (word_is(key, "drain-limit"))
		return limit_parse(value, &s->drain.limit_ms) == 0;
	if (word_is(key, "service-drain-limit"))
		return limit_parse(value, &s->drain.gone_limit_ms) == 0;
	s->drain.ignore_time_wait = word_is(value, "ignore-time-wait");
	return word_is(key, "drain-until");
}

bool st_service(struct play *p, char **a, size_t n)
{
	struct world_service *s;
	struct world_port *port;
	struct vs_key key;
	char *port_name;

	if (!play_need(p, n, 2) || !word_vs(p, a[1], &key))
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
		else if (!service_annotation(s, a[i], a[i + 1]))
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

bool st_endpoint(struct play *p, char **a, size_t n)
{
	const char *slice_name = NULL, *uid = NULL;
	struct world_endpoint flags = { .ready = true, .serving = true }, *e;
	struct world_slice *slice;
	struct rs_key rs;
	char *port_name;

	if (!play_need(p, n, 2) || !word_rs(p, a[1], &rs))
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

/* "endpoints web/http 10.1.0.1:8080 5000": consecutive addresses, one slice. */
bool st_endpoints(struct play *p, char **a, size_t n)
{
	struct world_slice *slice;
	struct rs_key rs;
	int64_t count;
	char *port_name;

	if (!play_need(p, n, 3) || !word_rs(p, a[1], &rs) || !word_number(p, a[2], &count))
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

	if (!play_need(p, n, 2) || !word_rs(p, a[1], &rs))
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

bool st_remove(struct play *p, char **a, size_t n)
{
	if (!play_need(p, n, 2))
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

bool st_sync(struct play *p, char **a, size_t n)
{
	if (n && word_is(a[0], "later"))
		p->w.manual_sync = true;
	else
		world_sync(&p->w, n && word_is(a[0], "partial"));
	return true;
}

bool st_option(struct play *p, char **a, size_t n)
{
	struct reconcile_options *o = &p->w.options;

	if (!play_need(p, n, 2))
		return false;
	if (word_is(a[0], "sched")) {
		free(p->w.sched);
		p->w.sched = xstrdup(a[1]);
		return true;
	}
	if (word_is(a[0], "sync-period"))
		return word_span(p, a[1], &o->sync_period_ms);
	if (word_is(a[0], "service-drain-limit"))
		return limit_parse(a[1], &o->drain.gone_limit_ms) == 0;
	if (word_is(a[0], "drain-limit"))
		return limit_parse(a[1], &o->drain.limit_ms) == 0;
	if (word_is(a[0], "drain-protocols")) {
		o->drain.sctp = strstr(a[1], "sctp");
		o->drain.udp = strstr(a[1], "udp");
		return true;
	}
	if (word_is(a[0], "linger"))
		return word_span(p, a[1], &o->address_linger_ms);
	return play_fail(p, "'%s' is no option", a[0]);
}
