/* Random worlds: services and endpoints come and go, clients too, operations fail, processes end, foreign hands interfere. Afterwards all
 * is quiet, and the kernel has to be as a fresh start would make it; on the way no live connection may be cut, and without
 * foreign hands nothing exposed. STORMS=N and SEED=N in the environment: so many, from this one on. */
#include "scenario/play.h"
#include "scenario/suite.h"

#include <stdio.h>
#include <string.h>

#define STORMS 300
#define STEPS 150

struct storm {
	struct play p;
	struct script script; /* what happened, as a scenario */
	uint64_t random;
	bool hands;
};

static unsigned dice(struct storm *s, unsigned sides)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (unsigned)(s->random >> 11) % sides;
}

#define ONE_OF(s, table) ((table)[dice((s), ARRAY_SIZE(table))])

static const struct {
	const char *port, *key;
	unsigned target;
	bool v6;
} ports[] = {
	{ "a/http", "10.96.0.1:80/tcp", 8080, false }, { "a/https", "10.96.0.1:443/tcp", 8443, false },
	{ "b/http", "10.96.0.1:81/tcp", 8080, false }, { "c/http", "10.96.0.2:80/tcp", 8080, false },
	{ "d/dns", "10.96.0.53:53/udp", 5353, false }, { "e/http", "[fd00::10]:80/tcp", 8080, true },
};
static const char *const services[] = { "a", "b", "c", "d", "e" };
static const char *const codes[] = { "EEXIST", "ENOENT", "ESRCH", "ENOMEM", "EBUSY", "EINVAL", "EPERM" };
static const char *const kinds[] = { "guard", "addr-add", "vs-add", "vs-set", "rs-add", "rs-raise", "serve", "unserve", "rs-zero",
				     "rs-del", "vs-del", "addr-del", "unguard", "prepare" };

static char *server(struct storm *s, size_t port)
{
	unsigned n = 1 + dice(s, 5);

	return ports[port].v6 ? xfmt("[fd00:1::%u]:%u", n, ports[port].target) : xfmt("10.1.0.%u:%u", n, ports[port].target);
}

static char *of_source(struct storm *s)
{
	static const char *const flags[] = { "ready", "ready", "ready", "notready", "terminating", "dying" };
	static const char *const affinities[] = { "0s", "0s", "600s" };
	size_t port = dice(s, ARRAY_SIZE(ports));
	CLEANUP(free_p) char *rs = server(s, port);

	switch (dice(s, 8)) {
	case 0:
		return xfmt("service %s %s affinity %s", ports[port].port, ports[port].key, ONE_OF(s, affinities));
	case 1:
		return dice(s, 3) ? xfmt("service %s %s", ports[port].port, ports[port].key) : xfmt("remove service %s", ONE_OF(s, services));
	case 2:
	case 3:
		return xfmt("remove endpoint %s %s", ports[port].port, rs);
	default:
		return xfmt("endpoint %s %s %s", ports[port].port, rs, ONE_OF(s, flags));
	}
}

static char *of_clients(struct storm *s)
{
	static const char *const ends[] = { "close", "reset", "reset", "fin", "send", "send" };
	const char *key = ports[dice(s, ARRAY_SIZE(ports))].key;
	unsigned n = dice(s, 30);

	return dice(s, 2) ? xfmt("connect c%u %s from client%u", n, key, n % 7) : xfmt("%s c%u", ONE_OF(s, ends), n);
}

static char *of_time(struct storm *s)
{
	switch (dice(s, 4)) {
	case 0:
		return xstrdup("pass");
	case 1:
		return xfmt("run %ums", 1 + dice(s, 400));
	case 2:
		return xfmt("clock +%us", dice(s, 40));
	default:
		return xfmt("run %us", 1 + dice(s, 15));
	}
}

static char *of_trouble(struct storm *s)
{
	switch (dice(s, 8)) { /* no rows are skipped: that takes more of them than one part of a dump has */
	case 0:
		return xstrdup("restart");
	case 1:
		return xfmt("die before op %u", 1 + dice(s, 6));
	case 2:
		return xfmt("die after op %u", 1 + dice(s, 6));
	case 3:
		return xfmt("silent op %u%s", 1 + dice(s, 6), dice(s, 2) ? " done" : dice(s, 2) ? " call" : "");
	case 4:
		return xfmt("interrupt %u", 1 + dice(s, 6));
	default:
		return xfmt("fail %s %s %u", ONE_OF(s, kinds), ONE_OF(s, codes), 1 + dice(s, 4));
	}
}

static char *of_hands(struct storm *s)
{
	const char *how = dice(s, 2) ? "foreign" : "quietly";
	size_t port = dice(s, ARRAY_SIZE(ports));
	CLEANUP(free_p) char *rs = server(s, port);

	switch (dice(s, 9)) {
	case 0:
		return xfmt("%s rs-set %s %s %u", how, ports[port].key, rs, dice(s, 3));
	case 1:
		return xfmt("%s rs-del %s %s", how, ports[port].key, rs);
	case 2:
		return xfmt("%s rs-add %s %s %u", how, ports[port].key, rs, dice(s, 3));
	case 3:
		return xfmt("%s vs-set %s wlc", how, ports[port].key);
	case 4:
		return xfmt("%s vs-del %s", how, ports[port].key);
	case 5:
		return xfmt("%s flush-addresses", how);
	case 6:
		return xfmt("%s delete-device", how);
	case 7:
		return xfmt("%s flush-filter", how);
	default:
		return xfmt("%s damage-filter", how);
	}
}

static char *step(struct storm *s)
{
	unsigned n = dice(s, 100);

	if (n < 30)
		return of_source(s);
	if (n < 50)
		return of_clients(s);
	if (n < 85)
		return of_time(s);
	return s->hands && n < 92 ? of_hands(s) : of_trouble(s);
}

/* What the sources say now, on an empty kernel. owned */
static char *fresh_start(struct storm *s, const char *tmp_dir)
{
	struct world w;
	char *ret;

	world_init(&w, tmp_dir);
	for (size_t i = 0; i < s->p.w.services.n; i++) {
		const struct world_service *from = &s->p.w.services.v[i];
		struct world_service *to = world_service(&w, from->name);

		to->affinity_s = from->affinity_s;
		to->n_ips = from->n_ips;
		memcpy(to->ips, from->ips, sizeof(to->ips));
		for (size_t j = 0; j < from->ports.n; j++)
			*vec_push(&to->ports) = (struct world_port){ xstrdup(from->ports.v[j].name), from->ports.v[j].proto, from->ports.v[j].port };
	}
	for (size_t i = 0; i < s->p.w.slices.n; i++) {
		const struct world_slice *from = &s->p.w.slices.v[i];
		struct world_slice *to = world_slice_new(&w, from->name);

		to->service = xstrdup(from->service);
		to->family = from->family;
		to->port = (struct world_port){ xstrdup(from->port.name), from->port.proto, from->port.port };
		for (size_t j = 0; j < from->endpoints.n; j++) {
			*vec_push(&to->endpoints) = from->endpoints.v[j];
			to->endpoints.v[j].uid = xstrdup(from->endpoints.v[j].uid);
		}
	}
	(void)world_pass(&w);
	world_settle(&w);
	if (!fake_device(s->p.w.fake)) /* deleted by hand when nobody needed it: nobody makes it */
		fake_device_del(w.fake);
	ret = fake_dump(w.fake);
	world_fini(&w);
	return ret;
}

static bool cut_something(const struct storm *s)
{
	const struct fake_violation *v;
	size_t n = fake_violations(s->p.w.fake, &v);

	for (size_t i = 0; i < n; i++)
		if (v[i].wrong == FAKE_CUT || (v[i].wrong == FAKE_EXPOSED && !s->hands))
			return true;
	return false;
}

static void play_storm(struct storm *s)
{
	for (size_t i = 0; i < STEPS && !s->p.failure.n; i++) {
		struct script_line *line = vec_push(&s->script.lines);

		*line = (struct script_line){ step(s), (int)i + 1 };
		s->p.line = line;
		(void)play_statement(&s->p, line->text);
		if (s->p.w.restless)
			(void)play_fail(&s->p, "it does not come to rest");
		if (cut_something(s))
			(void)play_check_wrongs(&s->p);
	}
	s->p.line = NULL;
}

static void judge(struct storm *s, const char *tmp_dir)
{
	CLEANUP(free_p) char *want = NULL, *is = NULL;

	if (s->p.failure.n)
		return;
	fake_faults_clear(s->p.w.fake);
	fake_all_leave(s->p.w.fake);
	world_settle(&s->p.w);
	if (s->p.w.restless)
		(void)play_fail(&s->p, "it does not come to rest");
	if (cut_something(s))
		(void)play_check_wrongs(&s->p);
	want = fresh_start(s, tmp_dir);
	is = fake_dump(s->p.w.fake);
	if (strcmp(is, want))
		(void)play_fail(&s->p, "the kernel ends as\n%s  and a fresh start makes\n%s", is, want);
}

static bool storm(uint64_t seed, const char *tmp_dir)
{
	struct storm *s = xzalloc(sizeof(*s));
	bool ok;

	s->random = seed * 0x9e3779b97f4a7c15u + 1;
	s->hands = seed & 1;
	s->script.path = xfmt("storm-%llu", (unsigned long long)seed);
	s->p = (struct play){ .script = &s->script, .faulted = true };
	world_init(&s->p.w, tmp_dir);
	s->p.w.options.drain.gone_limit_ms = LIMIT_NONE; /* so that nothing at all may be cut */
	s->p.impatient = true;
	play_storm(s);
	judge(s, tmp_dir);
	ok = !s->p.failure.n;
	if (!ok) {
		(void)printf("FAIL %s\n", text_str(&s->p.failure));
		for (size_t i = 0; getenv("SEED") && i < s->script.lines.n; i++)
			(void)printf("%s\n", s->script.lines.v[i].text);
	}
	play_fini(&s->p);
	script_fini(&s->script);
	free(s);
	return ok;
}

int main(void)
{
	const char *from = getenv("SEED"), *count = getenv("STORMS");
	uint64_t first = from ? strtoull(from, NULL, 10) : 1;
	size_t n = count ? strtoul(count, NULL, 10) : from ? 1 : STORMS, passed = 0;
	struct suite suite = { 0 };

	(void)suite_read(&suite, 0, NULL); /* only for the place of its worlds */
	for (size_t i = 0; i < n; i++)
		passed += storm(first + i, suite.tmp_dir);
	(void)printf("%zu passed, %zu failed\n", passed, n - passed);
	return passed == n ? 0 : 1;
}
