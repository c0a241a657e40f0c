/* The mirror of the kernel: what it holds as far as we know, with the life of each object beside it (drains, deadlines,
 * retries). Kept current by acknowledgements (core/settle) and by reads; decides nothing. */
#pragma once
#include "base/hash.h"
#include "core/compile.h"
#include "core/drain.h"

struct seen_rs {
	struct rs_key key;
	int32_t weight;
	uint32_t active, inactive;
	uint64_t uid;           /* which pod it is; 0 = not known */
	struct mono counted_at; /* begin of the dump of these counts; MONO_NEVER */
	bool in_dump;           /* was in the last dump (scratch of observed_take_rss) */
	bool missed;            /* was not in the last dumps: gone only if the kernel says so when it is asked for by name */
	bool superseded;        /* another pod has its address and port: what is left of it is to go at once */
	struct drain drain;     /* .on: weight is 0 and nobody wants it */
};

/* After a failure: when to try again. */
struct retry {
	struct mono at;  /* MONO_NEVER: nothing failed */
	unsigned tries;
};

struct seen_addr;
struct seen_vs {
	struct vs_key key;
	bool present;         /* the kernel has it */
	bool ours;            /* ours to change and delete; means something only while present */
	bool unsure;          /* we asked for it and got no answer: if it is there now, it is ours */
	bool served;          /* NEW to it passes the guard */
	bool stale;           /* what we know of it is doubtful: read it before planning */
	bool known;           /* its real servers were read, or made by us: a difference is somebody else's doing */
	bool reported;        /* that it is somebody else's was said */
	bool dirty;           /* is in the list of what to plan */
	bool unserving;       /* scratch of one plan: served, but not any more after it */
	bool gone_journaled;  /* what gone_since says is in the journal */
	bool policy_known;    /* policy is what was wanted last; until then everything drains, without limit */
	struct vs_attrs attrs;
	struct drain_policy policy;
	char *service;        /* who wanted it last, "namespace/name"; NULL = not known */
	struct mono gone_since, gone_until; /* nobody wants it any more; MONO_NEVER: wanted, or gone_until: no limit */
	struct retry retry;
	struct retry attrs_retry; /* the kernel has no such scheduler: only that waits … */
	char no_sched[SCHED_MAX]; /* … and only for this one */
	struct seen_rs *rs;   /* sorted by rs_cmp() */
	size_t n_rs, cap_rs;
	size_t n_draining;
	struct seen_addr *addr;          /* of key.ip; never NULL */
	struct seen_vs *next_dirty;
	struct seen_vs *next_on_ip, *prev_on_ip;
	struct seen_vs *next_draining, *prev_draining; /* in the list while n_draining > 0 */
	UT_hash_handle hh;
};

struct seen_addr {
	struct ip ip;
	bool bound, guarded, pinged;
	bool ours;               /* bound by us (or adopted): ours to unbind */
	bool dirty;
	bool linger_journaled;
	struct mono linger_until; /* MONO_NEVER: not lingering */
	struct retry retry;
	struct seen_vs *vss;      /* all entries with this address */
	struct seen_addr *next_dirty;
	UT_hash_handle hh;
};

/* A real server that is deleted while it has connections: because another pod's takes its address, or its limit has come. One is added
 * there only when the kernel has forgotten those connections, or it would get their packets. */
#define FLUSH_LOOK_MS 10
struct flush {
	struct vs_key vs;
	struct rs_key rs;
	bool deleted;       /* by us or others; before that its connections are there for certain */
	struct mono since;  /* it was deleted */
	struct mono next;   /* time to look at the connections */
};

struct observed {
	VEC(struct flush) flushes;
	struct seen_vs *vss;
	struct seen_addr *addrs;
	struct seen_vs *draining;          /* list: those with drains */
	size_t n_draining;                 /* how many are in that list */
	struct seen_vs *dirty_vss;
	struct seen_addr *dirty_addrs;
	bool fresh;                        /* something became dirty since the last plan */
	bool filter_stale, addrs_stale, vss_stale; /* to be read (whole) before the next plan */
};

void observed_fini(struct observed *o);

struct seen_vs *observed_vs(struct observed *o, const struct vs_key *key);         /* NULL if not there */
struct seen_vs *observed_vs_get(struct observed *o, const struct vs_key *key);     /* made, dirty, if not there */
struct seen_addr *observed_addr(struct observed *o, const struct ip *ip);
struct seen_addr *observed_addr_get(struct observed *o, const struct ip *ip);
void observed_dirty(struct observed *o, struct seen_vs *vs);                       /* it and its address */
void observed_dirty_addr(struct observed *o, struct seen_addr *addr);
/* Frees entries that say nothing: not present, not served; not bound, not guarded, no virtual server. */
void observed_forget(struct observed *o, struct seen_vs *vs);
void observed_forget_addr(struct observed *o, struct seen_addr *addr);

struct seen_rs *seen_rs_find(const struct seen_vs *vs, const struct rs_key *key);
struct seen_rs *seen_rs_insert(struct seen_vs *vs, const struct rs_key *key);      /* zeroed; or the one there */
void seen_rs_remove(struct observed *o, struct seen_vs *vs, struct seen_rs *rs);
void seen_rs_clear(struct observed *o, struct seen_vs *vs);                        /* all of them */
void seen_drain_begin(struct observed *o, struct seen_vs *vs, struct seen_rs *rs, struct mono since, struct mono now);
void seen_drain_end(struct observed *o, struct seen_vs *vs, struct seen_rs *rs);
/* Another pod's real server is wanted there: marks drains of a known other one on the same address, port and protocol, wherever they are. */
void observed_supersede(struct observed *o, const struct wanted_vs *w);
void seen_rs_supersede(struct observed *o, struct seen_vs *vs, struct seen_rs *rs); /* one of them */
void observed_flush_begins(struct observed *o, const struct seen_vs *vs, const struct rs_key *rs, struct mono now); /* it was deleted */
/* Is the address taken by connections of another pod that are about to go? */
bool observed_flushing(const struct observed *o, uint8_t proto, const struct rs_key *rs);
bool seen_rs_limit_is_own(const struct seen_vs *vs, const struct seen_rs *rs); /* its deadline is not that of the gone Service */
bool seen_vs_can_serve(const struct seen_vs *vs);                                  /* some weight is above 0 */

/* A failure: doubtful, dirty, to be tried again after 0.1 s, 0.2 s, … 30 s. */
void retry_later(struct retry *retry, struct mono now);
static inline void retry_done(struct retry *retry) { *retry = (struct retry){ MONO_NEVER, 0 }; }
static inline bool retry_waits(const struct retry *retry, struct mono now)
{
	return mono_set(retry->at) && now.ms < retry->at.ms;
}

/* Takes a dump of one virtual server's real servers. One that is missing for the first time only makes the result true: dump
 * again; so does an empty dump of a virtual server that nothing was known of. One that is missing then too is planned to be
 * edited: a dump goes by position, so even two may skip what is there while another writer adds and deletes, but an edit is
 * answered with ENOENT only if it is gone. Everything that differs from what we knew makes the virtual server dirty. */
struct observed_listener {
	void *ctx;
	/* A draining real server was deleted by somebody else. */
	void (*lost)(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs);
	/* Something else than us changed the kernel: one word ("rs-weight", "rs-added", "rs-gone", "vs-attrs", …). */
	void (*drift)(void *ctx, const struct seen_vs *vs, const struct seen_rs *rs, const char *what);
};
bool observed_take_rss(struct observed *o, struct seen_vs *vs, const struct rs_row *rows, size_t n, struct mono dumped_at,
		       int64_t period_ms, const struct observed_listener *listener);
/* The virtual server is not there (any more). */
void observed_take_absent(struct observed *o, struct seen_vs *vs, const struct observed_listener *listener);
/* Takes a list of all virtual servers. One that is missing becomes stale (a read of it settles the matter). */
void observed_take_vss(struct observed *o, const struct vs_row *rows, size_t n, const struct observed_listener *listener);
/* Takes all addresses of the device; all of the filter. Says how many differed from what we knew. */
size_t observed_take_addrs(struct observed *o, const struct ip *bound, size_t n);
size_t observed_take_filter(struct observed *o, const struct ip *guarded, size_t n_guarded, const struct vs_key *served,
			    size_t n_served, const struct ip *pinged, size_t n_pinged);
