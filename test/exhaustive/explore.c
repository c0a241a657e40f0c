/* A table of states by their bytes, with the way to each; and, for I3 and I7, where each one goes when all is quiet. */
#include "exhaustive/explore.h"

#include "base/hash.h"
#include "exhaustive/check.h"
#include "exhaustive/event.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOWHERE UINT32_MAX
enum { WITH_CLIENTS, WITHOUT_CLIENTS, WALKS };

struct node {
	struct world world;
	uint32_t parent, quiet_next[WALKS];
	uint8_t event; /* that led here */
};

struct search {
	VEC(struct node) nodes;
	uint32_t *table; /* index + 1; 0 = free */
	size_t mask, transitions;
};

static char violation[200];

void broken(const char *format, ...)
{
	va_list args;

	if (violation[0])
		return;
	va_start(args, format);
	(void)vsnprintf(violation, sizeof(violation), format, args);
	va_end(args);
}

static uint64_t world_hash(const struct world *w)
{
	uint64_t hash = hash_bytes(HASH_START, w, sizeof(*w));

	return hash ^ hash >> 29;
}

static void grow(struct search *s)
{
	size_t size = s->mask ? (s->mask + 1) * 2 : 1 << 16;

	free(s->table);
	s->table = xzalloc(size * sizeof(*s->table));
	s->mask = size - 1;
	for (size_t i = 0; i < s->nodes.n; i++) {
		size_t at = world_hash(&s->nodes.v[i].world) & s->mask;

		while (s->table[at])
			at = (at + 1) & s->mask;
		s->table[at] = (uint32_t)i + 1;
	}
}

/* The state's place; a new one if it was not seen before. */
static uint32_t visit(struct search *s, const struct world *w, uint32_t parent, size_t event)
{
	size_t at;

	if (s->nodes.n * 2 >= s->mask)
		grow(s);
	for (at = world_hash(w) & s->mask; s->table[at]; at = (at + 1) & s->mask)
		if (memcmp(&s->nodes.v[s->table[at] - 1].world, w, sizeof(*w)) == 0)
			return s->table[at] - 1;
	*vec_push(&s->nodes) = (struct node){ *w, parent, { NOWHERE, NOWHERE }, (uint8_t)event };
	s->table[at] = (uint32_t)s->nodes.n;
	return (uint32_t)s->nodes.n - 1;
}

static void print_world(const struct world *w)
{
	printf("    [");
	for (int i = 0; i < SERVERS; i++) {
		const struct kernel_rs *rs = &w->kernel.rs[i];

		if (rs->present)
			printf("%c weight %d active %d inactive %d; ", 'A' + i, rs->weight, rs->active, rs->inactive);
	}
	printf("%s%s%s%s]\n", w->kernel.vs ? "vs " : "", w->kernel.bound ? "bound " : "", w->kernel.guarded ? "guarded " : "", w->kernel.served ? "served" : "");
}

static void print_step(const struct world *before, size_t event)
{
	char text[256];

	event_describe(event, before, text, sizeof(text));
	printf("  %s\n", text);
}

static void print_way(const struct search *s, uint32_t to)
{
	const struct node *node = &s->nodes.v[to];

	if (node->parent == NOWHERE)
		return;
	print_way(s, node->parent);
	print_step(&s->nodes.v[node->parent].world, node->event);
	print_world(&node->world);
}

static void print_violation(const struct search *s, uint32_t at)
{
	printf("%s: broken: %s\nthe shortest way there:\n", bounds.name, violation);
	print_way(s, at);
}

static bool expand(struct search *s, uint32_t at)
{
	const struct world from = s->nodes.v[at].world;
	size_t quiet[WALKS] = { event_count(), event_count() };

	for (int walk = 0; walk < WALKS; walk++)
		if (!event_quiet_next(&from, walk == WITHOUT_CLIENTS, &quiet[walk]))
			quiet[walk] = event_count();
	for (size_t event = 0; event < event_count(); event++) {
		struct world to = from;
		uint32_t next;

		if (!event_can(event, &from))
			continue;
		event_happen(event, &to);
		s->transitions++;
		next = violation[0] ? 0 : visit(s, &to, at, event);
		if (!violation[0] && next == s->nodes.n - 1)
			check_state(&to);
		if (violation[0]) {
			print_violation(s, at);
			print_step(&from, event);
			print_world(&to);
			return false;
		}
		for (int walk = 0; walk < WALKS; walk++)
			if (quiet[walk] == event)
				s->nodes.v[at].quiet_next[walk] = next;
	}
	return true;
}

enum mark { UNKNOWN, ON_THE_WAY, ARRIVES };

static bool report_stray(const struct search *s, uint32_t from, int walk)
{
	uint32_t at = from;

	print_violation(s, from);
	printf("and then, when all is quiet%s:\n", walk == WITHOUT_CLIENTS ? " and the clients leave" : "");
	for (int i = 0; i < 40 && s->nodes.v[at].quiet_next[walk] != NOWHERE; i++) {
		size_t event;

		if (!event_quiet_next(&s->nodes.v[at].world, walk == WITHOUT_CLIENTS, &event))
			break;
		print_step(&s->nodes.v[at].world, event);
		at = s->nodes.v[at].quiet_next[walk];
		print_world(&s->nodes.v[at].world);
	}
	return false;
}

/* From every state: follow what comes next when all is quiet, until the kernel is as it is wanted. A state that was on the way already is a
 * circle; one from which nothing comes next is stuck. */
static bool all_arrive(const struct search *s, int walk)
{
	uint8_t *marks = xzalloc(s->nodes.n);
	bool good = true;

	for (uint32_t from = 0; good && from < s->nodes.n; from++) {
		uint32_t at = from;

		while (marks[at] == UNKNOWN && !check_arrived(&s->nodes.v[at].world, walk == WITH_CLIENTS)) {
			marks[at] = ON_THE_WAY;
			if (s->nodes.v[at].quiet_next[walk] == NOWHERE)
				break;
			at = s->nodes.v[at].quiet_next[walk];
		}
		if (marks[at] == ON_THE_WAY) {
			if (s->nodes.v[at].quiet_next[walk] == NOWHERE)
				broken("I3: nothing is due any more, and the kernel is not as it is wanted");
			else
				broken("%s", walk == WITH_CLIENTS ? "I7: it never becomes as it is wanted" : "I3: without clients it never ends");
			good = report_stray(s, from, walk);
		}
		for (at = from; good && marks[at] != ARRIVES; at = s->nodes.v[at].quiet_next[walk]) {
			bool end = marks[at] == UNKNOWN;

			marks[at] = ARRIVES;
			if (end)
				break;
		}
	}
	free(marks);
	return good;
}

bool explore(const struct world *from, struct explored *ret)
{
	struct search s = { 0 };
	bool good = true;

	violation[0] = 0;
	(void)visit(&s, from, NOWHERE, 0);
	for (uint32_t at = 0; good && at < s.nodes.n; at++)
		good = expand(&s, at);
	good = good && all_arrive(&s, WITH_CLIENTS) && all_arrive(&s, WITHOUT_CLIENTS);
	*ret = (struct explored){ s.nodes.n, s.transitions };
	free(s.nodes.v);
	free(s.table);
	return good;
}
