/* What the files of the fake kernel share. Not for tests: they use fake_kernel.h. */
#pragma once
#include "base/hash.h"
#include "base/mono.h"
#include "fake/fake_kernel.h"

#define DUMP_PART 64 /* real servers in one part of a dump */
#define TRASH_MS 120000
#define FLUSH_MS 1 /* entries of a deleted server are flushed by delayed work: not in the same instant */

struct fake_rs {
	struct rs_key key;
	int32_t weight;
	uint32_t active, inactive; /* set by hand */
	bool foreign;              /* added by a foreign hand, and never touched by us */
	UT_hash_handle hh;
};
struct fake_vs {
	struct vs_key key;
	struct vs_attrs attrs;
	struct fake_rs *rss;
	bool foreign;  /* made by a foreign hand */
	bool starved;  /* known to be so */
	UT_hash_handle hh;
};
struct fake_addr {
	struct ip ip;
	bool bound, guarded, pinged, exposed;
	UT_hash_handle hh;
};
struct fake_key {
	struct vs_key key;
	bool exposed;
	UT_hash_handle hh;
};
struct fake_gone_rs {
	struct vs_key vs;
	struct rs_key rs;
	uint32_t active, inactive;
	struct mono deleted;
	struct op by;
	bool foreign, flushed;
};

enum conn_state { CONN_OPEN, CONN_HALF, CONN_CLOSED, CONN_RESET, CONN_OVER, CONN_FORGOTTEN, CONN_MOVED, CONN_CUT };
struct fake_conn {
	char name[64], client[64];
	struct vs_key vs;
	struct rs_key rs;
	enum conn_state state;
	bool untracked;           /* conntrack does not show it */
	struct mono expires;
	struct mono leaves;       /* its client resets it then; MONO_NEVER */
	struct mono orphan_since; /* its server was deleted then; MONO_NEVER */
};
struct fake_template {
	char client[64];
	struct vs_key vs;
	struct rs_key rs;
	struct mono expires;
};

struct fault_rule {
	enum fake_fault fault;
	size_t at;         /* absolute number of the operation; 0: by kind */
	enum op_kind kind; /* 0: any */
	size_t times;
	int code;
};
struct row_rule {
	struct vs_key vs;
	struct rs_key rs;
	size_t dumps;
	bool repeat;
};

struct fake_kernel {
	struct kernel port;
	struct mono now;
	struct fake_vs *vss;
	struct fake_addr *addrs;
	struct fake_key *served;
	bool device, table, damaged, quiet, hand; /* hand: a foreign one is at work */
	unsigned events;
	VEC(uint32_t) fwmarks;
	VEC(struct ip) strays; /* addresses on another dummy device */
	VEC(struct fake_gone_rs) trash;
	VEC(struct fake_conn) conns;
	VEC(struct fake_template) templates;

	VEC(struct fault_rule) faults;
	VEC(struct row_rule) row_rules;
	size_t faults_hit, interrupts;
	bool dead, silent_call, no_conntrack;
	void (*on_death)(void *ctx);
	void *on_death_ctx;
	void (*hook)(void *ctx, const struct op *op, const struct vs_key *vs);
	void *hook_ctx;

	VEC(struct fake_logged) log;
	VEC(struct fake_violation) violations;
	size_t n_ops, reads, readds;
	struct op op; /* the one at work */
};

/* fake_table.c: the objects; codes as the kernel gives them */
struct fake_vs *table_vs(const struct fake_kernel *f, const struct vs_key *key);
struct fake_rs *table_rs(const struct fake_vs *vs, const struct rs_key *key);
struct fake_addr *table_addr(const struct fake_kernel *f, const struct ip *ip);
struct fake_key *table_served(const struct fake_kernel *f, const struct vs_key *key);
int table_vs_add(struct fake_kernel *f, const struct vs_key *key, const struct vs_attrs *attrs);
int table_vs_set(struct fake_kernel *f, const struct vs_key *key, const struct vs_attrs *attrs);
int table_vs_del(struct fake_kernel *f, const struct vs_key *key);
int table_rs_add(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *key, int32_t weight);
int table_rs_set(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *key, int32_t weight);
int table_rs_del(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *key);
int table_addr_add(struct fake_kernel *f, const struct ip *ip);
int table_addr_del(struct fake_kernel *f, const struct ip *ip);
bool table_stray(const struct fake_kernel *f, const struct ip *ip); /* it is on another dummy device */
int table_guard(struct fake_kernel *f, const struct ip *ip, bool on);
int table_serve(struct fake_kernel *f, const struct vs_key *vs, bool on);
void table_ping(struct fake_kernel *f, const struct ip *ip, bool on);
void table_filter_clear(struct fake_kernel *f); /* all elements */
void table_free(struct fake_kernel *f);

/* fake_conn.c */
void conn_counts(const struct fake_kernel *f, const struct vs_key *vs, const struct fake_rs *rs, struct rs_row *ret);
void conn_orphan(struct fake_kernel *f, const struct vs_key *vs, const struct fake_rs *rs);  /* it was deleted */
void conn_readopt(struct fake_kernel *f, const struct vs_key *vs, struct fake_rs *rs);       /* it was added (again) */
void conn_flows(const struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, size_t max, struct kernel_flows *ret);
void conn_unbound(struct fake_kernel *f, const struct ip *ip);
void conn_tick(struct fake_kernel *f);

/* fake_watch.c: what must not happen */
void watch_blame(struct fake_kernel *f, enum fake_wrong wrong, const char *what, const struct rs_key *rs, uint32_t count,
		 const struct op *op);
void watch_look(struct fake_kernel *f); /* after every change: finds what became exposed or starved by it */
