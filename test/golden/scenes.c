/* Views made by hand: one scene per situation that a screen has to show. */
#include "golden/scenes.h"

#include <assert.h>
#include <string.h>

#define ROOM 8

static struct vs_key vs(const char *text)
{
	struct vs_key key;

	if (vs_parse(text, &key) < 0)
		abort();
	return key;
}

static struct rs_key rs(const char *text)
{
	struct rs_key key;

	if (rs_parse(text, &key) < 0)
		abort();
	return key;
}

static struct view *empty(void)
{
	struct arena *arena = arena_new();
	struct view *view = arena_alloc(arena, sizeof(*view));

	*view = (struct view){ .arena = arena, .synced = true, .audit_age_ms = -1 };
	view->vss = arena_alloc(arena, ROOM * sizeof(*view->vss));
	view->drains = arena_alloc(arena, ROOM * sizeof(*view->drains));
	view->outcomes = arena_alloc(arena, ROOM * sizeof(*view->outcomes));
	view->problems = arena_alloc(arena, ROOM * sizeof(*view->problems));
	view->addresses = arena_alloc(arena, ROOM * sizeof(*view->addresses));
	return view;
}

static struct view_vs *add_vs(struct view *view, const char *key, const char *service, const char *port, const char *state)
{
	struct view_vs *server = &view->vss[view->n_vss++];

	assert(view->n_vss <= ROOM);
	*server = (struct view_vs){ .key = vs(key), .attrs = { .sched = "rr" }, .service = service, .port_name = port, .state = state };
	server->rs = arena_alloc(view->arena, ROOM * sizeof(*server->rs));
	return server;
}

static void add_rs(struct view_vs *server, const char *key, int weight, uint32_t active, uint32_t inactive)
{
	server->rs[server->n_rs++] = (struct view_rs){ rs(key), weight, active, inactive, weight > 0, weight == 0 };
}

static struct view *starting(void)
{
	struct view *view = empty();

	view->synced = false;
	return view;
}

/* A bit of everything. */
static struct view *busy(void)
{
	struct view *view = empty();
	struct view_vs *server;

	view->partial = true;
	view->audit_age_ms = 12345;
	view->passes = 41;
	view->ops = 120;
	view->op_failures = 1;
	view->drift_repairs = 2;
	server = add_vs(view, "10.96.0.10:53/udp", "kube-system/kube-dns", "dns", "refusing");
	server = add_vs(view, "10.96.0.77:443/tcp", "default/old", "", "draining");
	add_rs(server, "10.1.0.9:8443", 0, 0, 2);
	server = add_vs(view, "203.0.113.10:80/tcp", "default/web", "http", "serving");
	add_rs(server, "192.0.2.11:8080", 1, 3, 12);
	add_rs(server, "192.0.2.12:8080", 0, 1, 2);
	server = add_vs(view, "[2001:db8:96::10]:80/tcp", "default/web", "http", "serving");
	server->attrs.flags = VS_FLAG_PERSISTENT | VS_FLAG_HASHED;
	server->attrs.timeout_s = 10800;
	add_rs(server, "[2001:db8:1::11]:8080", 1, 123456, 7);
	view->drains[view->n_drains++] = (struct view_drain){
		vs("203.0.113.10:80/tcp"), rs("192.0.2.12:8080"), "default/web", 1240000, 3, 0, 1, 2, -1, 1000, "keep", false, { 0 }, NULL, 0 };
	view->drains[view->n_drains++] = (struct view_drain){
		vs("10.96.0.77:443/tcp"), rs("10.1.0.9:8443"), "default/old", 350, 0, 2, 0, 2, 59650, 250, "keep", false,
		{ 0 }, NULL, 0 };
	view->outcomes[view->n_outcomes++] = (struct view_outcome){
		vs("203.0.113.10:80/tcp"), rs("192.0.2.13:8080"), "default/web", "empty", 4000, 131250, 0 };
	view->outcomes[view->n_outcomes++] = (struct view_outcome){
		vs("10.96.0.78:443/tcp"), rs("10.1.0.9:8443"), "", "limit", 7200000, 60000, 4 };
	view->problems[view->n_problems++] =
		(struct view_problem){ "default/copy", "203.0.113.10:80/tcp belongs to default/web, which is older" };
	view->addresses[view->n_addresses++] = (struct view_address){ vs("203.0.113.10:80/tcp").ip, true, true, -1 };
	view->addresses[view->n_addresses++] = (struct view_address){ vs("10.96.0.78:1/tcp").ip, true, true, 4500 };
	return view;
}

/* Text that no source should let through. */
static struct view *hostile(void)
{
	struct view *view = empty();
	struct view_vs *server = add_vs(view, "10.96.0.1:443/tcp", "default/\033[31mred", "a\nb", "serving");

	add_rs(server, "10.1.0.1:6443", 65535, UINT32_MAX, UINT32_MAX);
	view->problems[view->n_problems++] = (struct view_problem){ "bad\xff" "bytes", "line\r\nbreak" };
	return view;
}

struct view *scene_new(const char *name)
{
	static const struct {
		const char *name;
		struct view *(*make)(void);
	} scenes[] = { { "empty", empty }, { "starting", starting }, { "busy", busy }, { "hostile", hostile } };

	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		if (strcmp(scenes[i].name, name) == 0)
			return scenes[i].make();
	return NULL;
}

void scene_ask(struct view *view)
{
	static struct flow held[2];

	for (size_t i = 0; i < view->n_drains; i++)
		view->drains[i].asked = true;
	if (!view->n_drains)
		return;
	held[0] = (struct flow){ vs("198.51.100.7:1/tcp").ip, FLOW_ESTABLISHED, 40000, 431 };
	held[1] = (struct flow){ vs("[2001:db8:9::7]:1/tcp").ip, FLOW_TIME_WAIT, 40001, 100 };
	view->drains[0].by_state[FLOW_ESTABLISHED] = 1;
	view->drains[0].by_state[FLOW_TIME_WAIT] = 2;
	view->drains[0].holders = held;
	view->drains[0].n_holders = ARRAY_SIZE(held);
}
