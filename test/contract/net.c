/* Addresses and the filter: what each operation does, and what is seen when somebody else was there. */
#include "contract/contract.h"

#include <errno.h>
#include <poll.h>

#define IP "10.96.0.10"
#define IP6 "fd00::10"
#define VS "10.96.0.10:80/tcp"
#define VS6 "[fd00::10]:80/tcp"

static bool ready(struct contract *c)
{
	return c->k->v->prepare(c->k, NULL, NULL) == 0;
}

static void before_anything_nothing_is_there(struct contract *c)
{
	struct sight s = seen_filter(c, IP, VS);

	CHECK(c, !s.intact && s.n_guarded + s.n_served + s.n_pinged == 0);
	CHECK_INT(c, seen_addrs(c), 0);
}

static void prepare_opens_nothing_and_says_so(struct contract *c)
{
	struct sight s;

	CHECK(c, ready(c));
	s = seen_filter(c, IP, VS);
	CHECK(c, s.intact && s.n_guarded + s.n_served + s.n_pinged == 0);
	CHECK_INT(c, seen_addrs(c), 0);
}

static void prepare_again_writes_nothing(struct contract *c)
{
	uint32_t generation;
	struct sight s;

	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	CHECK_INT(c, do_vs(c, OP_SERVE, VS), 0);
	generation = hand_generation(c);
	CHECK(c, ready(c));
	CHECK_INT(c, hand_generation(c), generation);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.intact && s.guarded && s.served && s.pinged);
	CHECK(c, seen_addr(c, IP));
}

static void an_address_comes_and_goes(struct contract *c)
{
	static const char *const all[] = { IP, IP6 };

	CHECK(c, ready(c));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		CHECK(c, !seen_addr(c, all[i]));
		CHECK_INT(c, do_ip(c, OP_ADDR_DEL, all[i]), -EADDRNOTAVAIL);
		CHECK_INT(c, do_ip(c, OP_ADDR_ADD, all[i]), 0);
		CHECK(c, seen_addr(c, all[i]));
		CHECK_INT(c, do_ip(c, OP_ADDR_ADD, all[i]), -EEXIST);
		CHECK_INT(c, seen_addrs(c), i + 1);
	}
	CHECK_INT(c, do_ip(c, OP_ADDR_DEL, IP), 0);
	CHECK(c, !seen_addr(c, IP) && seen_addr(c, IP6));
	CHECK_INT(c, do_ip(c, OP_ADDR_DEL, IP6), 0);
	CHECK_INT(c, seen_addrs(c), 0);
}

static void one_address_that_fails_leaves_the_others_done(struct contract *c)
{
	struct op ops[] = { op_ip(OP_ADDR_ADD, "10.96.0.1"), op_ip(OP_ADDR_ADD, IP), op_ip(OP_ADDR_ADD, IP6), op_ip(OP_ADDR_ADD, "10.96.0.2") };
	struct op_result ret[ARRAY_SIZE(ops)];

	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	c->k->v->apply(c->k, ops, ARRAY_SIZE(ops), ret);
	CHECK_INT(c, ret[0].code, 0);
	CHECK_INT(c, ret[1].code, -EEXIST);
	CHECK_INT(c, ret[2].code, 0);
	CHECK_INT(c, ret[3].code, 0);
	CHECK_INT(c, seen_addrs(c), 4);
}

static void addresses_of_others_on_the_device_are_seen(struct contract *c)
{
	CHECK(c, ready(c));
	hand_addr_add(c, "10.96.0.77");
	CHECK(c, seen_addr(c, "10.96.0.77"));
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, "10.96.0.77"), -EEXIST);
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	hand_addr_del(c, IP);
	CHECK(c, !seen_addr(c, IP));
	CHECK_INT(c, do_ip(c, OP_ADDR_DEL, IP), -EADDRNOTAVAIL);
}

static void guard_and_serve_are_listed(struct contract *c)
{
	struct sight s;

	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	CHECK_INT(c, do_ip(c, OP_GUARD, IP6), 0);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.guarded && !s.served && !s.pinged && s.n_guarded == 2 && s.intact);
	CHECK_INT(c, do_vs(c, OP_SERVE, VS), 0);
	CHECK_INT(c, do_vs(c, OP_SERVE, VS6), 0);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.guarded && s.served && s.pinged && s.n_served == 2 && s.n_pinged == 2);
	s = seen_filter(c, IP6, VS6);
	CHECK(c, s.guarded && s.served && s.pinged);
	s = seen_filter(c, IP, "10.96.0.10:80/udp");
	CHECK(c, !s.served);
}

static void twice_is_once(struct contract *c)
{
	struct sight s;

	CHECK(c, ready(c));
	for (int i = 0; i < 2; i++) {
		CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
		CHECK_INT(c, do_vs(c, OP_SERVE, VS), 0);
	}
	s = seen_filter(c, IP, VS);
	CHECK(c, s.guarded && s.served && s.pinged && s.n_guarded == 1 && s.n_served == 1 && s.n_pinged == 1);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(c, do_vs(c, OP_UNSERVE, VS), 0);
		CHECK_INT(c, do_ip(c, OP_UNGUARD, IP), 0);
	}
	s = seen_filter(c, IP, VS);
	CHECK(c, !s.guarded && !s.served && s.intact);
}

static void ping_ends_with_the_last_key_of_its_address(struct contract *c)
{
	struct op last = op_vs(OP_UNSERVE, "10.96.0.10:81/tcp");
	struct sight s;

	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	CHECK_INT(c, do_vs(c, OP_SERVE, VS), 0);
	CHECK_INT(c, do_vs(c, OP_SERVE, "10.96.0.10:81/tcp"), 0);
	CHECK_INT(c, do_vs(c, OP_UNSERVE, VS), 0);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.guarded && !s.served && s.pinged && s.n_served == 1);
	last.last_on_ip = true;
	CHECK_INT(c, do_op(c, last), 0);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.guarded && !s.pinged && s.n_served == 0);
}

/* Its ports would be open: the address is local, wherever it is. On a device that is no dummy it is somebody's own. */
static void an_address_on_another_dummy_stays_guarded(struct contract *c)
{
	struct op guards[] = { op_ip(OP_GUARD, IP), op_ip(OP_GUARD, IP6), op_ip(OP_GUARD, "10.96.0.11") };
	struct op gone[] = { op_ip(OP_UNGUARD, IP), op_ip(OP_UNGUARD, "10.96.0.11"), op_ip(OP_UNGUARD, IP6) };
	struct op_result ret[ARRAY_SIZE(guards)];

	CHECK(c, ready(c));
	c->k->v->apply(c->k, guards, ARRAY_SIZE(guards), ret);
	hand_stray_add(c, IP);
	hand_stray_add(c, IP6);
	c->k->v->apply(c->k, gone, ARRAY_SIZE(gone), ret);
	CHECK_INT(c, ret[0].code, -EADDRINUSE);
	CHECK_INT(c, ret[1].code, 0);
	CHECK_INT(c, ret[2].code, -EADDRINUSE);
	CHECK(c, seen_filter(c, IP, VS).guarded);
	CHECK(c, seen_filter(c, IP6, VS6).guarded);
	CHECK(c, !seen_filter(c, "10.96.0.11", VS).guarded);
}

/* What is there and what is not, in one transaction. */
static void a_batch_of_the_filter_is_one_transaction(struct contract *c)
{
	struct op guards[] = { op_ip(OP_GUARD, IP), op_ip(OP_GUARD, IP6), op_ip(OP_GUARD, IP), op_ip(OP_GUARD, "10.96.0.11") };
	struct op gone[] = { op_ip(OP_UNGUARD, "10.96.0.12"), op_ip(OP_UNGUARD, IP6), op_ip(OP_UNGUARD, "10.96.0.11") };
	struct op_result ret[ARRAY_SIZE(guards)];
	uint32_t generation;
	struct sight s;

	CHECK(c, ready(c));
	generation = hand_generation(c);
	c->k->v->apply(c->k, guards, ARRAY_SIZE(guards), ret);
	for (size_t i = 0; i < ARRAY_SIZE(guards); i++)
		CHECK_INT(c, ret[i].code, 0);
	if (!c->fake)
		CHECK_INT(c, hand_generation(c), generation + 1);
	s = seen_filter(c, IP6, VS);
	CHECK(c, s.guarded && s.n_guarded == 3);
	c->k->v->apply(c->k, gone, ARRAY_SIZE(gone), ret);
	for (size_t i = 0; i < ARRAY_SIZE(gone); i++)
		CHECK_INT(c, ret[i].code, 0);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.guarded && s.n_guarded == 1);
}

static void prepare_with_a_wish_replaces_what_is_there(struct contract *c)
{
	struct ip ip = ip_of("10.96.0.20");
	struct vs_key vs = vs_of("10.96.0.20:443/tcp");
	const struct kernel_filter_want want = { &ip, 1, &vs, 1 };
	struct sight s;

	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	CHECK_INT(c, do_vs(c, OP_SERVE, VS), 0);
	CHECK_INT(c, c->k->v->prepare(c->k, &want, NULL), 0);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.intact && !s.guarded && !s.served && !s.pinged);
	s = seen_filter(c, "10.96.0.20", "10.96.0.20:443/tcp");
	CHECK(c, s.guarded && s.served && s.pinged && s.n_guarded == 1 && s.n_served == 1 && s.n_pinged == 1);
	CHECK_INT(c, c->k->v->prepare(c->k, &want, NULL), 0);
	s = seen_filter(c, "10.96.0.20", "10.96.0.20:443/tcp");
	CHECK(c, s.intact && s.guarded && s.served);
}

static void a_flushed_filter_is_seen_and_written_anew(struct contract *c)
{
	struct ip ip = ip_of(IP);
	const struct kernel_filter_want want = { &ip, 1, NULL, 0 };
	struct sight s;

	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	hand_filter_flush(c);
	s = seen_filter(c, IP, VS);
	CHECK(c, !s.intact && !s.guarded);
	CHECK(c, do_ip(c, OP_GUARD, IP) < 0); /* there is no table to write into */
	CHECK(c, do_vs(c, OP_UNSERVE, VS) < 0);
	CHECK_INT(c, c->k->v->prepare(c->k, &want, NULL), 0);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.intact && s.guarded);
}

static void a_damaged_filter_is_seen_and_mended(struct contract *c)
{
	struct sight s;

	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	CHECK_INT(c, do_vs(c, OP_SERVE, VS), 0);
	hand_filter_damage(c);
	s = seen_filter(c, IP, VS);
	CHECK(c, !s.intact && s.guarded && s.served);
	CHECK(c, ready(c));
	s = seen_filter(c, IP, VS);
	CHECK(c, s.intact && s.guarded && s.served && s.pinged); /* what was in it is in it */
}

static void an_element_that_others_delete_is_seen(struct contract *c)
{
	struct sight s;

	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	CHECK_INT(c, do_ip(c, OP_GUARD, IP6), 0);
	hand_unguard(c, IP);
	hand_unguard(c, IP6);
	s = seen_filter(c, IP, VS);
	CHECK(c, s.intact && !s.guarded && s.n_guarded == 0);
}

static void flushed_addresses_are_seen(struct contract *c)
{
	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP6), 0);
	hand_addr_flush(c);
	CHECK_INT(c, seen_addrs(c), 0);
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	CHECK(c, seen_addr(c, IP));
}

static void a_deleted_device_comes_back(struct contract *c)
{
	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	hand_device_del(c);
	CHECK_INT(c, seen_addrs(c), 0);
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	CHECK(c, seen_addr(c, IP));
	hand_device_del(c);
	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP6), 0);
	CHECK(c, seen_addr(c, IP6));
}

/* What is told within two seconds; the fake has no descriptor and tells at once. */
static unsigned told(struct contract *c, unsigned want)
{
	struct pollfd fd = { .fd = c->k->v->event_fd(c->k), .events = POLLIN };
	unsigned bits = c->k->v->events(c->k);

	while ((bits & want) != want && fd.fd >= 0 && poll(&fd, 1, 2000) > 0)
		bits |= c->k->v->events(c->k);
	return bits;
}

static void what_we_do_is_not_told(struct contract *c)
{
	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	CHECK_INT(c, do_vs(c, OP_SERVE, VS), 0);
	CHECK_INT(c, do_vs(c, OP_UNSERVE, VS), 0);
	CHECK_INT(c, do_ip(c, OP_ADDR_DEL, IP), 0);
	CHECK_INT(c, do_ip(c, OP_UNGUARD, IP), 0);
	CHECK(c, ready(c));
	CHECK_INT(c, c->k->v->events(c->k), 0);
}

static void what_others_do_is_told(struct contract *c)
{
	CHECK(c, ready(c));
	CHECK_INT(c, do_ip(c, OP_GUARD, IP), 0);
	CHECK_INT(c, do_ip(c, OP_ADDR_ADD, IP), 0);
	(void)c->k->v->events(c->k);
	hand_addr_del(c, IP);
	CHECK_INT(c, told(c, KERNEL_ADDRS), KERNEL_ADDRS);
	hand_unguard(c, IP);
	CHECK_INT(c, told(c, KERNEL_FILTER), KERNEL_FILTER);
	hand_filter_flush(c);
	CHECK_INT(c, told(c, KERNEL_FILTER) & KERNEL_FILTER, KERNEL_FILTER);
	hand_device_del(c);
	CHECK_INT(c, told(c, KERNEL_ADDRS) & KERNEL_ADDRS, KERNEL_ADDRS);
	CHECK_INT(c, c->k->v->events(c->k), 0);
}

const struct contract_test contract_net[] = {
	CONTRACT_TEST(before_anything_nothing_is_there),
	CONTRACT_TEST(prepare_opens_nothing_and_says_so),
	CONTRACT_TEST(prepare_again_writes_nothing),
	CONTRACT_TEST(an_address_comes_and_goes),
	CONTRACT_TEST(one_address_that_fails_leaves_the_others_done),
	CONTRACT_TEST(addresses_of_others_on_the_device_are_seen),
	CONTRACT_TEST(guard_and_serve_are_listed),
	CONTRACT_TEST(twice_is_once),
	CONTRACT_TEST(ping_ends_with_the_last_key_of_its_address),
	CONTRACT_TEST(an_address_on_another_dummy_stays_guarded),
	CONTRACT_TEST(a_batch_of_the_filter_is_one_transaction),
	CONTRACT_TEST(prepare_with_a_wish_replaces_what_is_there),
	CONTRACT_TEST(a_flushed_filter_is_seen_and_written_anew),
	CONTRACT_TEST(a_damaged_filter_is_seen_and_mended),
	CONTRACT_TEST(an_element_that_others_delete_is_seen),
	CONTRACT_TEST(flushed_addresses_are_seen),
	CONTRACT_TEST(a_deleted_device_comes_back),
	CONTRACT_TEST(what_we_do_is_not_told),
	CONTRACT_TEST(what_others_do_is_told),
	{ 0 },
};
