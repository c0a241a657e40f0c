/* Reads /proc/net/ip_vs of a namespace and follows one row of it over time. Shares no code with the program's own reading. */
#include "table.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Follows the lines: the virtual server that rows belong to. */
struct reader {
	struct vs_key vs;
	bool fwm;
};
typedef void row_fn(void *ctx, const char *head, const struct vs_key *vs, const struct rs_key *rs, const struct table_rs *row);

/* "CB00710A:0050", "[2001:0db8:0002:0000:0000:0000:0000:0010]:0050". */
static bool parse_endpoint(const char *text, struct ip *ret_ip, uint16_t *ret_port)
{
	char v6[48];
	unsigned v4, port;

	*ret_ip = (struct ip){ 0 };
	if (sscanf(text, "[%47[0-9a-fA-F:]]:%x", v6, &port) == 2) {
		ret_ip->family = AF_INET6;
		if (inet_pton(AF_INET6, v6, ret_ip->bytes) != 1)
			return false;
	} else if (sscanf(text, "%8x:%x", &v4, &port) == 2) {
		ret_ip->family = AF_INET;
		v4 = htonl(v4);
		memcpy(ret_ip->bytes, &v4, 4);
	} else {
		return false;
	}
	*ret_port = (uint16_t)port;
	return true;
}

static uint8_t proto_of(const char *word)
{
	return strcmp(word, "TCP") == 0 ? PROTO_TCP : strcmp(word, "UDP") == 0 ? PROTO_UDP : PROTO_SCTP;
}

static void read_rs(const char *line, const struct reader *reader, row_fn *row, void *ctx)
{
	struct table_rs rs = { .vs = true, .present = true };
	struct rs_key key = { 0 };
	char endpoint[64];

	if (sscanf(line, " -> %63s %*s %d %u %u", endpoint, &rs.weight, &rs.active, &rs.inactive) != 4)
		return; /* the head's line */
	need(parse_endpoint(endpoint, &key.ip, &key.port), "ip_vs line: %s", line);
	row(ctx, NULL, reader->fwm ? NULL : &reader->vs, &key, &rs);
}

/* "TCP  CB00710A:0050 rr  " or "FWM  00000007 wlc  ". */
static void read_vs(char *line, struct reader *reader, row_fn *row, void *ctx)
{
	char word[8], endpoint[64], ip[IP_TEXT];
	CLEANUP(free_p) char *head = NULL;
	int rest = 0;

	for (size_t n = strlen(line); n && line[n - 1] == ' ';)
		line[--n] = '\0';
	if (sscanf(line, "%7s %63s %n", word, endpoint, &rest) != 2 || !rest)
		return;
	reader->fwm = strcmp(word, "FWM") == 0;
	if (reader->fwm) {
		head = xfmt("%s %s %s", word, endpoint, line + rest);
		row(ctx, head, NULL, NULL, NULL);
		return;
	}
	need(parse_endpoint(endpoint, &reader->vs.ip, &reader->vs.port), "ip_vs line: %s", line);
	reader->vs.proto = proto_of(word);
	head = xfmt(reader->vs.ip.family == AF_INET ? "%s %s:%u %s" : "%s [%s]:%u %s", word, ip_format(&reader->vs.ip, ip),
		    reader->vs.port, line + rest);
	row(ctx, head, &reader->vs, NULL, NULL);
}

static void read_line(char *line, struct reader *reader, row_fn *row, void *ctx)
{
	if (strncmp(line, "IP ", 3) == 0 || strncmp(line, "Prot ", 5) == 0)
		return;
	if (line[0] == ' ')
		read_rs(line, reader, row, ctx);
	else
		read_vs(line, reader, row, ctx);
}

static void read_table(int fd, row_fn *row, void *ctx)
{
	struct text text = { 0 };
	struct reader reader = { 0 };
	char part[65536], *save = NULL;
	ssize_t n;

	/* No such file: ip_vs is not loaded yet, and so the table is empty. */
	for (off_t at = 0; fd >= 0 && (n = pread(fd, part, sizeof(part), at)) > 0; at += n)
		text_add_bytes(&text, part, (size_t)n);
	if (text.s)
		for (char *line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			read_line(line, &reader, row, ctx);
	text_fini(&text);
}

struct group {
	char *text; /* owned: a virtual server's line and those of its servers */
	VEC(char *) servers;
};
struct groups {
	VEC(struct group) all;
};

static void add_to_text(void *ctx, const char *head, const struct vs_key *vs, const struct rs_key *rs, const struct table_rs *row)
{
	struct groups *groups = ctx;
	struct group *last;
	char text[RS_TEXT];

	if (!rs) {
		*vec_push(&groups->all) = (struct group){ .text = xfmt("%s\n", head) };
		return;
	}
	need(groups->all.n, "ip_vs: a server without a virtual server");
	last = &groups->all.v[groups->all.n - 1];
	*vec_push(&last->servers) = xfmt("  %s %d\n", rs_format(rs, text), row->weight);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *table_text(const struct world *w)
{
	CLEANUP(close_p) int fd = world_proc_net(w, NODE, "ip_vs");
	struct groups groups = { { 0 } };
	VEC(char *) sorted = { 0 };
	struct text text = { 0 };

	read_table(fd, add_to_text, &groups);
	for (size_t i = 0; i < groups.all.n; i++) {
		struct group *g = &groups.all.v[i];
		struct text one = { 0 };

		if (g->servers.n)
			qsort(g->servers.v, g->servers.n, sizeof(char *), by_text);
		text_add(&one, "%s", g->text);
		for (size_t j = 0; j < g->servers.n; j++) {
			text_add(&one, "%s", g->servers.v[j]);
			free(g->servers.v[j]);
		}
		free(g->servers.v);
		free(g->text);
		*vec_push(&sorted) = one.s;
	}
	if (sorted.n)
		qsort(sorted.v, sorted.n, sizeof(char *), by_text);
	text_add(&text, "%s", "");
	for (size_t i = 0; i < sorted.n; i++) {
		text_add(&text, "%s", sorted.v[i]);
		free(sorted.v[i]);
	}
	free(sorted.v);
	free(groups.all.v);
	return text.s;
}

struct search {
	const struct vs_key *vs;
	const struct rs_key *rs; /* may be NULL */
	struct table_rs found;
};

static void look(void *ctx, const char *head, const struct vs_key *vs, const struct rs_key *rs, const struct table_rs *row)
{
	struct search *s = ctx;

	if (!vs || vs_cmp(vs, s->vs) != 0)
		return;
	if (!rs)
		s->found.vs = true;
	else if (s->rs && rs_cmp(rs, s->rs) == 0)
		s->found = *row;
}

struct table_rs table_rs(const struct world *w, const struct vs_key *vs, const struct rs_key *rs)
{
	CLEANUP(close_p) int fd = world_proc_net(w, NODE, "ip_vs");
	struct search search = { vs, rs, { 0 } };

	read_table(fd, look, &search);
	return search.found;
}

bool table_has_vs(const struct world *w, const struct vs_key *vs)
{
	return table_rs(w, vs, NULL).vs;
}

struct vs_key vs_key_of(const char *text)
{
	struct vs_key key;

	need(vs_parse(text, &key) == 0, "no virtual server: %s", text);
	return key;
}

struct rs_key rs_key_of(const char *text)
{
	struct rs_key key;

	need(rs_parse(text, &key) == 0, "no real server: %s", text);
	return key;
}

struct rs_key backend_key(int family, int n, uint16_t port)
{
	return (struct rs_key){ .ip = world_address(BACKEND1 + n - 1, family), .port = port };
}

struct point {
	int64_t at_us;
	struct table_rs rs;
};
struct watch {
	const struct world *w;
	struct vs_key vs;
	struct rs_key rs;
	int fd;
	pthread_mutex_t lock;
	VEC(struct point) points; /* the first look, then changes only */
	int64_t last_us, gap_us;
};

static bool same(const struct table_rs *a, const struct table_rs *b)
{
	return a->vs == b->vs && a->present == b->present && a->weight == b->weight && a->active == b->active &&
	       a->inactive == b->inactive;
}

static void note(struct watch *watch, int64_t at_us, const struct table_rs *rs)
{
	(void)pthread_mutex_lock(&watch->lock);
	if (!watch->points.n || !same(&watch->points.v[watch->points.n - 1].rs, rs))
		*vec_push(&watch->points) = (struct point){ at_us, *rs };
	if (watch->last_us && at_us - watch->last_us > watch->gap_us)
		watch->gap_us = at_us - watch->last_us;
	watch->last_us = at_us;
	(void)pthread_mutex_unlock(&watch->lock);
}

/* On the processor of the daemon and before it: whenever the daemon waits for a timer, a look that is due comes first. An
 * emulated machine runs its processors in turns of up to 100 ms; a look from another one would come too late. */
static void look_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	need(pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus) == 0, "no processor 0");
	need(pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) == 0, "no real-time priority");
}

static void *keep_looking(void *ctx)
{
	struct watch *watch = ctx;

	look_first();
	for (;;) {
		struct search search = { &watch->vs, &watch->rs, { 0 } };

		if (watch->fd < 0)
			watch->fd = world_proc_net(watch->w, NODE, "ip_vs");
		read_table(watch->fd, look, &search);
		note(watch, now_us(), &search.found); /* stamped after the look: what is seen is older than its stamp */
		pause_ms(2);
	}
	return NULL;
}

struct watch *watch_start(const struct world *w, const struct vs_key *vs, const struct rs_key *rs)
{
	struct watch *watch = xzalloc(sizeof(*watch));
	pthread_t thread;

	watch->w = w;
	watch->vs = *vs;
	watch->rs = *rs;
	watch->fd = -1;
	(void)pthread_mutex_init(&watch->lock, NULL);
	need(pthread_create(&thread, NULL, keep_looking, watch) == 0, "no thread");
	return watch;
}

struct table_rs watch_now(struct watch *watch)
{
	struct table_rs rs = { 0 };

	(void)pthread_mutex_lock(&watch->lock);
	if (watch->points.n)
		rs = watch->points.v[watch->points.n - 1].rs;
	(void)pthread_mutex_unlock(&watch->lock);
	return rs;
}

int64_t watch_weight_at(struct watch *watch, int weight, int64_t since_us)
{
	int64_t at = -1;

	(void)pthread_mutex_lock(&watch->lock);
	for (size_t i = 0; i < watch->points.n && at < 0; i++) {
		const struct point *p = &watch->points.v[i];

		if (p->at_us >= since_us && p->rs.present && p->rs.weight == weight)
			at = p->at_us;
	}
	(void)pthread_mutex_unlock(&watch->lock);
	return at;
}

int64_t watch_gone_at(struct watch *watch, int64_t since_us)
{
	int64_t at = -1;

	(void)pthread_mutex_lock(&watch->lock);
	for (size_t i = 1; i < watch->points.n && at < 0; i++) {
		const struct point *p = &watch->points.v[i];

		if (p->at_us >= since_us && !p->rs.present && p[-1].rs.present)
			at = p->at_us;
	}
	(void)pthread_mutex_unlock(&watch->lock);
	return at;
}

int64_t watch_zero_before(struct watch *watch, int64_t at_us)
{
	int64_t since = -1;

	(void)pthread_mutex_lock(&watch->lock);
	for (size_t i = 0; i < watch->points.n && watch->points.v[i].at_us < at_us; i++) {
		const struct point *p = &watch->points.v[i];

		if (!p->rs.present || p->rs.active || p->rs.inactive)
			since = -1;
		else if (since < 0)
			since = p->at_us;
	}
	(void)pthread_mutex_unlock(&watch->lock);
	return since < 0 ? -1 : at_us - since;
}

int64_t watch_widest_gap(struct watch *watch)
{
	int64_t gap;

	(void)pthread_mutex_lock(&watch->lock);
	gap = watch->gap_us;
	(void)pthread_mutex_unlock(&watch->lock);
	return gap;
}

char *watch_story(struct watch *watch)
{
	struct text text = { 0 };

	(void)pthread_mutex_lock(&watch->lock);
	for (size_t i = 0; i < watch->points.n; i++) {
		const struct point *p = &watch->points.v[i];

		text_add(&text, "     %+8.3f s %s", (double)(p->at_us - watch->points.v[0].at_us) / 1e6, p->rs.present ? "" : "absent\n");
		if (p->rs.present)
			text_add(&text, "weight %d active %u inactive %u\n", p->rs.weight, p->rs.active, p->rs.inactive);
	}
	(void)pthread_mutex_unlock(&watch->lock);
	return xstrdup(text_str(&text));
}
