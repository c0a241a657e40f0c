/* What the kernel port promises, as tests that the real kernel and the fake one both have to pass. */
#pragma once
#include "fake/fake_kernel.h"
#include "kernel/kernel.h"

/* One test: a kernel that holds nothing yet, and a foreign hand on it. */
struct contract {
	struct kernel *k;
	struct fake_kernel *fake; /* NULL: the real one, in a network namespace of the test's own */
	struct traffic *traffic;  /* of the real one, in a test with clients: its namespace is the node's of a small world */
	struct text failure;      /* empty: passed so far */
};
struct contract_test {
	const char *name;
	void (*run)(struct contract *c);
	bool clients;             /* has clients and servers, see below */
};
#define CONTRACT_TEST(fn) { #fn, fn, false }
#define CONTRACT_TEST_CLIENTS(fn) { #fn, fn, true }

/* Tables of tests; end with a NULL name. */
extern const struct contract_test contract_ipvs[], contract_net[], contract_rounds[], contract_flows[];

void contract_fail(struct contract *c, const char *file, int line, const char *fmt, ...) PRINTF(4, 5);
/* Ends the test if it is not so. */
#define CHECK(c, cond)                                                     \
	do {                                                               \
		if (!(cond)) {                                             \
			contract_fail((c), __FILE__, __LINE__, "%s", #cond);\
			return;                                            \
		}                                                          \
	} while (0)
#define CHECK_INT(c, is, want)                                                                             \
	do {                                                                                               \
		long long is_ = (is), want_ = (want);                                                      \
		if (is_ != want_) {                                                                        \
			contract_fail((c), __FILE__, __LINE__, "%s is %lld, not %lld", #is, is_, want_);   \
			return;                                                                            \
		}                                                                                          \
	} while (0)

/* Short words; a text that does not parse ends the program. */
struct vs_key vs_of(const char *text);
struct rs_key rs_of(const char *text);
struct ip ip_of(const char *text);
struct rs_key rs_nth(unsigned n); /* 10.1.x.y:8080, n < 65536 */
struct op op_vs(enum op_kind kind, const char *vs);
struct op op_rs(enum op_kind kind, const char *vs, const char *rs, int32_t weight);
struct op op_ip(enum op_kind kind, const char *ip);
int do_op(struct contract *c, struct op op);
int do_vs(struct contract *c, enum op_kind kind, const char *vs);
int do_rs(struct contract *c, enum op_kind kind, const char *vs, const char *rs, int32_t weight);
int do_ip(struct contract *c, enum op_kind kind, const char *ip);

/* Reading, by question; -1 in a count or weight: not there; -2: the list failed or has it twice. */
int seen_weight(struct contract *c, const char *vs, const char *rs);
int seen_rss(struct contract *c, const char *vs, size_t *ret_n);          /* list_rs's code */
bool seen_vs(struct contract *c, const char *vs, struct vs_attrs *ret);   /* ret may be NULL */
bool seen_addr(struct contract *c, const char *ip);
size_t seen_addrs(struct contract *c);
struct sight {
	bool intact, guarded, served, pinged;
	size_t n_guarded, n_served, n_pinged;
};
struct sight seen_filter(struct contract *c, const char *ip, const char *vs); /* is ip guarded and pinged, vs served? */

/* The foreign hand. It does not fail: what it cannot do ends the program. */
void hand_vs_add(struct contract *c, const char *vs, const char *sched);
void hand_vs_del(struct contract *c, const char *vs);
void hand_vs_flush(struct contract *c);
void hand_rs_add(struct contract *c, const char *vs, const char *rs, int32_t weight);
void hand_rs_set(struct contract *c, const char *vs, const char *rs, int32_t weight);
void hand_rs_del(struct contract *c, const char *vs, const char *rs);
void hand_fwmark_add(struct contract *c, unsigned mark);
void hand_addr_add(struct contract *c, const char *ip);
void hand_addr_del(struct contract *c, const char *ip);
void hand_addr_flush(struct contract *c);
void hand_device_del(struct contract *c);
void hand_stray_add(struct contract *c, const char *ip); /* on another dummy device */
void hand_filter_flush(struct contract *c);
void hand_filter_damage(struct contract *c);
void hand_unguard(struct contract *c, const char *ip);
uint32_t hand_generation(struct contract *c); /* changes with every change of the filter */

/* Clients and servers, in tests that have them. A client is "198.51.100.90:PORT" or "[2001:db8:3::90]:PORT"; it reaches virtual servers in
 * 203.0.113.0/24 and 2001:db8:2::/64. Real servers are at 192.0.2.11…13 and 2001:db8:1::11…13: port 8080 TCP and 5353 UDP answer and close
 * when the client does; 8081 TCP of the first opens and never ends anything. Sysctls are as the daemon wants them. */
struct traffic *traffic_new(void);                                       /* the calling thread is on the node then; owned: traffic_free() */
void traffic_free(struct traffic *t);                                    /* NULL is fine; servers go on until the process ends */
void hand_connect(struct contract *c, const char *client, const char *vs);      /* is served */
void hand_connect_mute(struct contract *c, const char *client, const char *vs); /* by a server that says nothing */
void hand_connect_past(struct contract *c, const char *client, const char *rs); /* to the real server itself, past IPVS (real only) */
void hand_datagram(struct contract *c, const char *client, const char *vs);     /* is answered; the client's port may be another */
void hand_half_close(struct contract *c, const char *client);
void hand_close(struct contract *c, const char *client);
void hand_reset(struct contract *c, const char *client);
void hand_wait(struct contract *c, int ms);
void hand_short_idle(struct contract *c); /* connections made from now on that say nothing are forgotten by IPVS soon… */
void hand_wait_idle(struct contract *c);  /* …or it comes to that now */
