/* The foreign hand: what somebody else does to the kernel while we run, and looking at it without asking. */
#include "fake/fake_state.h"

#include <errno.h>
#include <string.h>

static void hand_begin(struct fake_kernel *f)
{
	f->hand = true;
}

static int hand_end(struct fake_kernel *f, unsigned area, int code)
{
	watch_look(f);
	f->hand = false;
	if (!f->quiet)
		f->events |= area;
	return code;
}

#define BY_HAND(f, area, call)              \
	({                                  \
		hand_begin(f);              \
		hand_end(f, (area), (call));\
	})

void fake_quiet(struct fake_kernel *f, bool quiet)
{
	f->quiet = quiet;
}

int fake_vs_add(struct fake_kernel *f, const struct vs_key *vs, const struct vs_attrs *attrs)
{
	return BY_HAND(f, 0, table_vs_add(f, vs, attrs));
}

int fake_vs_set(struct fake_kernel *f, const struct vs_key *vs, const struct vs_attrs *attrs)
{
	return BY_HAND(f, 0, table_vs_set(f, vs, attrs));
}

int fake_vs_del(struct fake_kernel *f, const struct vs_key *vs)
{
	return BY_HAND(f, 0, table_vs_del(f, vs));
}

void fake_vs_flush(struct fake_kernel *f)
{
	struct fake_vs *vs, *next;

	hand_begin(f);
	HASH_ITER(hh, f->vss, vs, next)
		(void)table_vs_del(f, &vs->key);
	f->fwmarks.n = 0;
	(void)hand_end(f, 0, 0);
}

int fake_rs_add(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, int32_t weight)
{
	return BY_HAND(f, 0, table_rs_add(f, vs, rs, weight));
}

int fake_rs_set(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs, int32_t weight)
{
	return BY_HAND(f, 0, table_rs_set(f, vs, rs, weight));
}

int fake_rs_del(struct fake_kernel *f, const struct vs_key *vs, const struct rs_key *rs)
{
	return BY_HAND(f, 0, table_rs_del(f, vs, rs));
}

int fake_addr_add(struct fake_kernel *f, const struct ip *ip)
{
	return BY_HAND(f, KERNEL_ADDRS, table_addr_add(f, ip));
}

int fake_addr_del(struct fake_kernel *f, const struct ip *ip)
{
	return BY_HAND(f, KERNEL_ADDRS, table_addr_del(f, ip));
}

void fake_addr_flush(struct fake_kernel *f)
{
	struct fake_addr *addr, *next;

	hand_begin(f);
	HASH_ITER(hh, f->addrs, addr, next)
		addr->bound = false;
	(void)hand_end(f, KERNEL_ADDRS, 0);
}

void fake_device_del(struct fake_kernel *f)
{
	fake_addr_flush(f);
	f->device = false;
}

void fake_stray_add(struct fake_kernel *f, const struct ip *ip)
{
	*vec_push(&f->strays) = *ip;
}

void fake_device_rename(struct fake_kernel *f)
{
	for (struct fake_addr *addr = f->addrs; addr; addr = addr->hh.next)
		if (addr->bound)
			fake_stray_add(f, &addr->ip);
	fake_device_del(f);
}

bool fake_device(const struct fake_kernel *f)
{
	return f->device;
}

void fake_filter_flush(struct fake_kernel *f)
{
	hand_begin(f);
	table_filter_clear(f);
	f->table = f->damaged = false;
	(void)hand_end(f, KERNEL_FILTER, 0);
}

void fake_filter_damage(struct fake_kernel *f)
{
	hand_begin(f);
	f->damaged = true;
	(void)hand_end(f, KERNEL_FILTER, 0);
}

int fake_unguard(struct fake_kernel *f, const struct ip *ip)
{
	return BY_HAND(f, KERNEL_FILTER, table_guard(f, ip, false));
}

int fake_unserve(struct fake_kernel *f, const struct vs_key *vs)
{
	return BY_HAND(f, KERNEL_FILTER, table_serve(f, vs, false));
}

void fake_fwmark_add(struct fake_kernel *f, uint32_t mark)
{
	*vec_push(&f->fwmarks) = mark;
}

size_t fake_fwmarks(const struct fake_kernel *f)
{
	return f->fwmarks.n;
}

void fake_own(struct fake_kernel *f, const struct vs_key *key)
{
	struct fake_vs *vs = table_vs(f, key);
	struct fake_rs *rs, *next;

	if (!vs)
		return;
	vs->foreign = false;
	HASH_ITER(hh, vs->rss, rs, next)
		rs->foreign = false;
}

int fake_counters(struct fake_kernel *f, const struct vs_key *key, const struct rs_key *rs_key, uint32_t active, uint32_t inactive)
{
	struct fake_vs *vs = table_vs(f, key);
	struct fake_rs *rs = vs ? table_rs(vs, rs_key) : NULL;

	if (!rs)
		return vs ? -ENOENT : -ESRCH;
	rs->active = active;
	rs->inactive = inactive;
	return 0;
}

bool fake_has_vs(const struct fake_kernel *f, const struct vs_key *key, struct vs_attrs *ret_attrs)
{
	const struct fake_vs *vs = table_vs(f, key);

	if (vs && ret_attrs)
		*ret_attrs = vs->attrs;
	return vs != NULL;
}

bool fake_has_rs(const struct fake_kernel *f, const struct vs_key *key, const struct rs_key *rs_key, struct rs_row *ret)
{
	const struct fake_vs *vs = table_vs(f, key);
	const struct fake_rs *rs = vs ? table_rs(vs, rs_key) : NULL;

	if (rs && ret)
		conn_counts(f, key, rs, ret);
	return rs != NULL;
}

bool fake_bound(const struct fake_kernel *f, const struct ip *ip)
{
	const struct fake_addr *addr = table_addr(f, ip);

	return addr && addr->bound;
}

bool fake_guarded(const struct fake_kernel *f, const struct ip *ip)
{
	const struct fake_addr *addr = table_addr(f, ip);

	return f->table && addr && addr->guarded;
}

bool fake_pinged(const struct fake_kernel *f, const struct ip *ip)
{
	const struct fake_addr *addr = table_addr(f, ip);

	return f->table && addr && addr->pinged;
}

bool fake_served(const struct fake_kernel *f, const struct vs_key *vs)
{
	return table_served(f, vs) != NULL;
}

size_t fake_n_served(const struct fake_kernel *f)
{
	return HASH_COUNT(f->served);
}

size_t fake_n_vss(const struct fake_kernel *f)
{
	return HASH_COUNT(f->vss);
}

void fake_each_rs(const struct fake_kernel *f, void (*fn)(void *ctx, const struct vs_key *vs, const struct rs_row *row), void *ctx)
{
	struct fake_vs *vs, *vs_next;
	struct fake_rs *rs, *rs_next;
	struct rs_row row;

	HASH_ITER(hh, f->vss, vs, vs_next)
		HASH_ITER(hh, vs->rss, rs, rs_next) {
			conn_counts(f, &vs->key, rs, &row);
			fn(ctx, &vs->key, &row);
		}
}

void fake_each_vs(const struct fake_kernel *f, void (*fn)(void *ctx, const struct vs_key *vs), void *ctx)
{
	struct fake_vs *vs, *next;

	HASH_ITER(hh, f->vss, vs, next)
		fn(ctx, &vs->key);
}

static int line_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct lines {
	VEC(char *) list;
};

static void dump_addrs(const struct fake_kernel *f, struct lines *to)
{
	struct fake_addr *addr, *next;
	char text[IP_TEXT];

	HASH_ITER(hh, f->addrs, addr, next) {
		ip_format(&addr->ip, text);
		if (addr->bound || (f->table && (addr->guarded || addr->pinged)))
			*vec_push(&to->list) = xfmt("address %s%s%s%s", text, addr->bound ? " bound" : "", f->table && addr->guarded ? " guarded" : "",
						    f->table && addr->pinged ? " pinged" : "");
	}
}

static void dump_vss(const struct fake_kernel *f, struct lines *to)
{
	struct fake_vs *vs, *vs_next;
	struct fake_rs *rs, *rs_next;
	char vs_text[VS_TEXT], rs_text[RS_TEXT];

	HASH_ITER(hh, f->vss, vs, vs_next) {
		vs_format(&vs->key, vs_text);
		*vec_push(&to->list) = xfmt("vs %s %s flags=%#x timeout=%u%s", vs_text, vs->attrs.sched, vs->attrs.flags, vs->attrs.timeout_s,
					    fake_served(f, &vs->key) ? " served" : "");
		HASH_ITER(hh, vs->rss, rs, rs_next)
			*vec_push(&to->list) = xfmt("vs %s rs %s weight=%d", vs_text, rs_format(&rs->key, rs_text), rs->weight);
	}
}

char *fake_dump(const struct fake_kernel *f)
{
	struct lines lines = { 0 };
	struct text text = { 0 };
	struct fake_key *served, *next;
	char vs_text[VS_TEXT];

	dump_addrs(f, &lines);
	dump_vss(f, &lines);
	HASH_ITER(hh, f->served, served, next)
		if (!table_vs(f, &served->key))
			*vec_push(&lines.list) = xfmt("served %s without a virtual server", vs_format(&served->key, vs_text));
	*vec_push(&lines.list) = xfmt("filter %s, device %s", !f->table ? "absent" : f->damaged ? "damaged" : "intact", f->device ? "present" : "absent");
	qsort(lines.list.v, lines.list.n, sizeof(*lines.list.v), line_cmp);
	for (size_t i = 0; i < lines.list.n; i++) {
		text_add(&text, "%s\n", lines.list.v[i]);
		free(lines.list.v[i]);
	}
	free(lines.list.v);
	return text.s;
}
