/* A model of the kernel behind kernel/kernel.h: IPVS, the device's addresses, the filter, and the connections that a
 * client would have through them. It does what was measured on real kernels (test/contract holds both to the same
 * words), keeps its own clock, fails where a test says so, and writes down what must never happen. */
#pragma once
#include "base/text.h"
#include "kernel/kernel.h"

struct fake_kernel;

struct fake_kernel *fake_kernel_new(void);                    /* empty; owned: fake_kernel_free() */
void fake_kernel_free(struct fake_kernel *f);                 /* NULL is fine */
struct kernel *fake_port(struct fake_kernel *f);              /* borrowed; its free() does nothing: a kernel outlives its users */

/* ---- clock ---- */
struct mono fake_now(const struct fake_kernel *f);
void fake_advance(struct fake_kernel *f, int64_t ms);         /* timers of connections run out on the way */

/* ---- a foreign hand: 0 or the error that the kernel gives. Told by events() unless fake_quiet() ---- */
void fake_quiet(struct fake_kernel *f, bool quiet);
int fake_vs_add(struct fake_kernel *f, const struct vs_key *vs, const struct vs_attrs *attrs);
int fake_vs_set(struct fake_kernel *f, const struct vs_key *vs, const struct vs_attrs *attrs);
int fake_vs_del(struct fake_kernel *f, const struct vs_key *vs);
void fake_vs_flush(struct fake_kernel *f);                    /* ipvsadm -C; firewall marks too */
int fake_rs_add(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, int32_t weight);
int fake_rs_set(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, int32_t weight);
int fake_rs_del(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs);
int fake_addr_add(struct fake_kernel *f, const struct ip *ip);
int fake_addr_del(struct fake_kernel *f, const struct ip *ip);
void fake_addr_flush(struct fake_kernel *f);
void fake_device_rename(struct fake_kernel *f);               /* its addresses stay on it, and are local; ours is missing */
void fake_stray_add(struct fake_kernel *f, const struct ip *ip); /* on another dummy device */
void fake_device_del(struct fake_kernel *f);                  /* with its addresses */
bool fake_device(const struct fake_kernel *f);
void fake_filter_flush(struct fake_kernel *f);                /* nft flush ruleset */
void fake_filter_damage(struct fake_kernel *f);               /* one rule was deleted */
int fake_unguard(struct fake_kernel *f, const struct ip *ip); /* an element was deleted from a set */
int fake_unserve(struct fake_kernel *f, const struct vs_key *vs);
void fake_fwmark_add(struct fake_kernel *f, uint32_t mark);   /* a virtual server that is never listed */
size_t fake_fwmarks(const struct fake_kernel *f);

/* What a foreign hand made there is ours from now on: we answer for its connections. */
void fake_own(struct fake_kernel *f, const struct vs_key *vs);

/* Counts of a real server that no modelled connection stands for; they last until they are set again. -ENOENT, -ESRCH. */
int fake_counters(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, uint32_t active, uint32_t inactive);

/* ---- clients ---- */
enum fake_answer {
	FAKE_ACCEPTED,    /* a real server has it */
	FAKE_REFUSED,     /* at once, by the filter or by IPVS */
	FAKE_UNREACHABLE, /* the address is not here */
	FAKE_HOST,        /* a port of the node itself answered */
};
const char *fake_answer_word(enum fake_answer answer);
/* A new connection (UDP: flow) of client; name finds it again. ret_rs (may be NULL) only with FAKE_ACCEPTED. Lists of connections show the
 * client's address and port if it is a text of them ("198.51.100.90:40000"), else some that are made of it. */
enum fake_answer fake_connect(struct fake_kernel *f, const char *name, const char *client, const struct vs_key *vs,
			      struct rs_key *ret_rs);
/* The same without asking: a packet that was past the scheduler when the weight became 0. -ENOENT, -ESRCH. */
int fake_straggler(struct fake_kernel *f, const char *name, const struct vs_key *vs, const struct rs_key *rs);
/* The client resets it after so long. */
void fake_leaves(struct fake_kernel *f, const char *name, int64_t ms);
/* -ENOENT: no live connection of that name. */
int fake_close(struct fake_kernel *f, const char *name); /* orderly: TIME_WAIT, 120 s */
int fake_reset(struct fake_kernel *f, const char *name); /* CLOSE, 10 s */
int fake_fin(struct fake_kernel *f, const char *name);   /* half-closed: FIN_WAIT, inactive, 120 s */
int fake_send(struct fake_kernel *f, const char *name);  /* one packet: the idle timer starts anew; finds a cut; UDP moves on */
void fake_all_leave(struct fake_kernel *f);              /* every client resets; counts set by hand become 0 */
/* "open", "half-closed", "closed", "reset", "over" (entry gone in good order), "forgotten" (idle for 900 s), "moved" (UDP:
 * its server went, the next datagram finds another), "cut", "none". */
int fake_untrack(struct fake_kernel *f, const char *name); /* conntrack -F, and its next packet came from the server: not shown any more */
const char *fake_conn_word(const struct fake_kernel *f, const char *name);
const struct rs_key *fake_conn_rs(const struct fake_kernel *f, const char *name); /* NULL: no such connection */

/* ---- failures on demand. n counts operations applied from now on, the first is 1; a prepare() that writes counts ---- */
enum fake_fault {
	FAKE_FAIL,        /* not done; code. Where it says that something is there or not there, a foreign hand made it so */
	FAKE_SILENT,      /* no answer, not done */
	FAKE_SILENT_DONE, /* no answer, but done */
	FAKE_SILENT_CALL, /* the whole call gets no answer, all of it is done */
	FAKE_DIE_BEFORE,  /* the process ends before it… */
	FAKE_DIE_AFTER,   /* …or before it sees the answer */
};
void fake_fault_nth(struct fake_kernel *f, enum fake_fault fault, size_t n, int code);
void fake_fault_kind(struct fake_kernel *f, enum fake_fault fault, enum op_kind kind, size_t times, int code);
void fake_faults_clear(struct fake_kernel *f);
size_t fake_faults_hit(const struct fake_kernel *f);
bool fake_dead(const struct fake_kernel *f);              /* everything is answered with -ETIMEDOUT and nothing done */
void fake_revive(struct fake_kernel *f);
void fake_on_death(struct fake_kernel *f, void (*fn)(void *ctx), void *ctx);
void fake_interrupt(struct fake_kernel *f, size_t lists); /* the next lists end with -EAGAIN */
void fake_conntrack(struct fake_kernel *f, bool there);   /* false: connections can't be listed; they are at first */
/* The next `dumps` dumps of vs leave this row out (another writer moved the positions) or show it twice. */
void fake_skip_row(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, size_t dumps);
void fake_repeat_row(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, size_t dumps);
/* Called before each operation (op) and before each part of a dump of real servers (op NULL, vs). May use everything above. */
void fake_hook(struct fake_kernel *f, void (*fn)(void *ctx, const struct op *op, const struct vs_key *vs), void *ctx);

/* ---- what happened ---- */
struct fake_logged {
	struct op op;  /* kind 0: a prepare() that wrote */
	int code;
	bool done;     /* the kernel did it, whatever the answer */
};
size_t fake_log(const struct fake_kernel *f, const struct fake_logged **ret); /* all of it, oldest first; borrowed */
size_t fake_reads(const struct fake_kernel *f);    /* lists asked for */
size_t fake_readds(const struct fake_kernel *f);   /* real servers added again while the kernel still remembered them */
size_t fake_trash(const struct fake_kernel *f);    /* deleted real servers that it remembers now */

/* What must not happen. Foreign hands are not blamed. */
enum fake_wrong {
	FAKE_CUT,     /* live connections (or counts) of a TCP or SCTP real server were cut: what = its name or the real server */
	FAKE_EXPOSED, /* a host port became reachable through a service address: what = the address or the key */
	FAKE_STARVED, /* a key is served while no weight is above 0: what = the key */
};
struct fake_violation {
	enum fake_wrong wrong;
	char what[160];
	struct rs_key rs;   /* FAKE_CUT */
	struct op op;       /* that did it; kind 0: prepare() */
	uint32_t count;     /* FAKE_CUT */
};
const char *fake_wrong_word(enum fake_wrong wrong);
size_t fake_violations(const struct fake_kernel *f, const struct fake_violation **ret); /* borrowed */

/* ---- state, as it is (no read is counted, no failure applies) ---- */
bool fake_has_vs(const struct fake_kernel *f, const struct vs_key *vs, struct vs_attrs *ret_attrs); /* ret_attrs may be NULL */
bool fake_has_rs(const struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, struct rs_row *ret);
bool fake_bound(const struct fake_kernel *f, const struct ip *ip);
bool fake_guarded(const struct fake_kernel *f, const struct ip *ip);
bool fake_pinged(const struct fake_kernel *f, const struct ip *ip);
bool fake_served(const struct fake_kernel *f, const struct vs_key *vs);
size_t fake_n_served(const struct fake_kernel *f);
size_t fake_n_vss(const struct fake_kernel *f);
void fake_each_rs(const struct fake_kernel *f, void (*fn)(void *ctx, const struct vs_key *vs, const struct rs_row *row), void *ctx);
void fake_each_vs(const struct fake_kernel *f, void (*fn)(void *ctx, const struct vs_key *vs), void *ctx);
/* All of it but counters, one line per object, sorted: two kernels are the same if their texts are. owned: free() */
char *fake_dump(const struct fake_kernel *f);
