/* All that the source can say is compiled once; a change is told to wanted_set() again, which says what it touches. */
#include "exhaustive/source.h"

#include <string.h>

struct vs_key the_vs;
struct vs_attrs the_attrs;
struct rs_key the_rs[SERVERS];
uint64_t the_uid[PODS];

#define ENDPOINTS (TERMINATING + 1)
static struct wanted *told[2][ENDPOINTS][ENDPOINTS][PODS];

static void untouched(void *ctx, const struct vs_key *key)
{
	(void)ctx;
	(void)key;
}

static void conflict(void *ctx, const struct vs_key *key, const char *loser, const char *winner)
{
	(void)ctx;
	(void)key;
	broken("one Service alone has a conflict: %s, %s", loser, winner);
}

struct drain_settings source_settings(void)
{
	return (struct drain_settings){ .tcp = true, .limit_ms = bounds.own_limit ? LIMIT_MS : LIMIT_NONE,
					.gone_limit_ms = bounds.limit ? LIMIT_MS : LIMIT_NONE };
}

static struct compiled *compiled(const struct source *source)
{
	const struct node_facts facts = { .node = "n1", .sched = "rr", .drain = source_settings() };
	struct service_port port = { .name = "http", .proto = PROTO_TCP, .port = the_vs.port };
	struct slice_port target = { .name = "http", .proto = PROTO_TCP, .port = the_rs[A].port };
	static const char *const uids[PODS] = { [POD_ONE] = "one", [POD_TWO] = "two" };
	const uint8_t said[SERVERS] = { source->a, source->b };
	struct slice_endpoint endpoints[SERVERS];
	struct service service = { .ns = "default", .name = "web", .cluster_ips = { the_vs.ip }, .n_cluster_ips = 1, .ports = &port, .n_ports = 1,
				   .sched = "", .drain = DRAIN_WISH_NONE };
	struct slice slice = { .ns = "default", .name = "web-1", .service = "web", .family = the_vs.ip.family, .ports = &target, .n_ports = 1,
			       .endpoints = endpoints };
	struct slice *slices[] = { &slice };
	const struct subject subject = { .name = (char *)"default/web", .service = source->service ? &service : NULL,
					 .slices = { slices, ARRAY_SIZE(slices), ARRAY_SIZE(slices) } };

	for (int i = 0; i < SERVERS; i++)
		if (said[i] != GONE)
			endpoints[slice.n_endpoints++] = (struct slice_endpoint){ .ip = the_rs[i].ip, .ready = said[i] == READY, .serving = true,
										  .terminating = said[i] == TERMINATING,
										  .uid = i == A ? uids[source->pod] : NULL };
	return compile(&subject, &facts);
}

static void tell(struct wanted *wanted, const struct source *source, void (*touched)(void *ctx, const struct vs_key *key), void *ctx)
{
	const struct wanted_listener listener = { ctx, touched, conflict };

	wanted_set(wanted, "default/web", 1, compiled(source), &listener);
}

static struct wanted **place(const struct source *source)
{
	return &told[source->service][source->a][source->b][source->pod];
}

#define EACH_SOURCE(source)                                                     \
	for (int all_ = 0; all_ < 2 * PODS * ENDPOINTS * ENDPOINTS; all_++)     \
		for (struct source source = { (uint8_t)(all_ & 1), (uint8_t)(all_ / 2 % PODS), (uint8_t)(all_ / 2 / PODS % ENDPOINTS), \
					      (uint8_t)(all_ / 2 / PODS / ENDPOINTS) }, *once_ = &source;                              \
		     once_; once_ = NULL)

void source_init(void)
{
	if (vs_parse("10.96.0.10:80/tcp", &the_vs) < 0 || rs_parse("10.1.0.1:8080", &the_rs[A]) < 0 || rs_parse("10.1.0.2:8080", &the_rs[B]) < 0)
		abort();
	EACH_SOURCE(source) {
		*place(&source) = wanted_new();
		tell(*place(&source), &source, untouched, NULL);
		if (source_vs(&source))
			the_attrs = source_vs(&source)->attrs;
		if (source_wants(&source, A))
			the_uid[source.pod] = source_vs(&source)->rs[0].uid;
	}
}

void source_fini(void)
{
	EACH_SOURCE(source)
		wanted_free(*place(&source));
}

const struct wanted *source_wanted(const struct source *source)
{
	return *place(source);
}

const struct wanted_vs *source_vs(const struct source *source)
{
	return wanted_find(source_wanted(source), &the_vs, NULL);
}

bool source_wants(const struct source *source, int rs)
{
	const struct wanted_vs *w = source_vs(source);

	return w && wanted_vs_find(w, &the_rs[rs]);
}

void source_change(const struct source *from, const struct source *to, void (*touched)(void *ctx, const struct vs_key *key), void *ctx)
{
	struct wanted *wanted = wanted_new();

	tell(wanted, from, untouched, NULL);
	tell(wanted, to, touched, ctx);
	wanted_free(wanted);
}

enum pod pod_of(uint64_t uid)
{
	for (int pod = POD_ONE; pod < PODS; pod++)
		if (uid && uid == the_uid[pod])
			return (enum pod)pod;
	return POD_UNKNOWN;
}

int server_of(const struct rs_key *key)
{
	return rs_cmp(key, &the_rs[A]) == 0 ? A : B;
}
