/* The objects of the fake kernel and the codes that a real one answers with. Knows nothing of failures on demand. */
#include "fake/fake_state.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

struct fake_vs *table_vs(const struct fake_kernel *f, const struct vs_key *key)
{
	struct fake_vs *vs;

	HASH_FIND(hh, f->vss, key, sizeof(*key), vs);
	return vs;
}

struct fake_rs *table_rs(const struct fake_vs *vs, const struct rs_key *key)
{
	struct fake_rs *rs;

	HASH_FIND(hh, vs->rss, key, sizeof(*key), rs);
	return rs;
}

struct fake_addr *table_addr(const struct fake_kernel *f, const struct ip *ip)
{
	struct fake_addr *addr;

	HASH_FIND(hh, f->addrs, ip, sizeof(*ip), addr);
	return addr;
}

struct fake_key *table_served(const struct fake_kernel *f, const struct vs_key *key)
{
	struct fake_key *served;

	HASH_FIND(hh, f->served, key, sizeof(*key), served);
	return served;
}

static struct fake_addr *addr_get(struct fake_kernel *f, const struct ip *ip)
{
	struct fake_addr *addr = table_addr(f, ip);

	if (addr)
		return addr;
	addr = xzalloc(sizeof(*addr));
	addr->ip = *ip;
	HASH_ADD(hh, f->addrs, ip, sizeof(addr->ip), addr);
	return addr;
}

static bool known_sched(const char *sched)
{
	static const char *const all[] = { "rr", "wrr", "lc", "wlc", "lblc", "lblcr", "dh", "sh", "sed", "nq", "fo", "ovf", "mh" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (strcmp(all[i], sched) == 0)
			return true;
	return false;
}

int table_vs_add(struct fake_kernel *f, const struct vs_key *key, const struct vs_attrs *attrs)
{
	struct fake_vs *vs;

	if (table_vs(f, key))
		return -EEXIST;
	if (!known_sched(attrs->sched))
		return -ENOENT;
	vs = xzalloc(sizeof(*vs));
	vs->key = *key;
	vs->attrs = *attrs;
	vs->attrs.flags |= VS_FLAG_HASHED;
	vs->foreign = f->hand;
	vs->starved = table_served(f, key) != NULL; /* somebody deleted it while it was served: it has to begin so */
	HASH_ADD(hh, f->vss, key, sizeof(vs->key), vs);
	return 0;
}

int table_vs_set(struct fake_kernel *f, const struct vs_key *key, const struct vs_attrs *attrs)
{
	struct fake_vs *vs = table_vs(f, key);

	if (!vs)
		return -ESRCH;
	if (!known_sched(attrs->sched))
		return -ENOENT;
	vs->attrs = *attrs;
	vs->attrs.flags |= VS_FLAG_HASHED;
	return 0;
}

static void rs_drop(struct fake_kernel *f, struct fake_vs *vs, struct fake_rs *rs)
{
	conn_orphan(f, &vs->key, rs);
	HASH_DEL(vs->rss, rs);
	free(rs);
}

int table_vs_del(struct fake_kernel *f, const struct vs_key *key)
{
	struct fake_vs *vs = table_vs(f, key);
	struct fake_rs *rs, *next;

	if (!vs)
		return -ESRCH;
	HASH_ITER(hh, vs->rss, rs, next)
		rs_drop(f, vs, rs);
	HASH_DEL(f->vss, vs);
	free(vs);
	return 0;
}

int table_rs_add(struct fake_kernel *f, const struct vs_key *vs_key, const struct rs_key *key, int32_t weight)
{
	struct fake_vs *vs = table_vs(f, vs_key);
	struct fake_rs *rs;

	if (!vs)
		return -ESRCH;
	if (key->ip.family != vs_key->ip.family)
		return -EINVAL;
	if (weight < 0)
		return -ERANGE;
	if (table_rs(vs, key))
		return -EEXIST;
	rs = xzalloc(sizeof(*rs));
	rs->key = *key;
	rs->weight = weight;
	rs->foreign = f->hand;
	HASH_ADD(hh, vs->rss, key, sizeof(rs->key), rs);
	conn_readopt(f, vs_key, rs);
	return 0;
}

int table_rs_set(struct fake_kernel *f, const struct vs_key *vs_key, const struct rs_key *key, int32_t weight)
{
	struct fake_vs *vs = table_vs(f, vs_key);
	struct fake_rs *rs;

	if (!vs)
		return -ESRCH;
	if (weight < 0)
		return -ERANGE;
	rs = table_rs(vs, key);
	if (!rs)
		return -ENOENT;
	rs->weight = weight;
	rs->foreign = rs->foreign && f->hand;
	return 0;
}

int table_rs_del(struct fake_kernel *f, const struct vs_key *vs_key, const struct rs_key *key)
{
	struct fake_vs *vs = table_vs(f, vs_key);
	struct fake_rs *rs = vs ? table_rs(vs, key) : NULL;

	if (!rs)
		return vs ? -ENOENT : -ESRCH;
	rs_drop(f, vs, rs);
	return 0;
}

int table_addr_add(struct fake_kernel *f, const struct ip *ip)
{
	struct fake_addr *addr = addr_get(f, ip);

	f->device = true; /* made again if it went */
	if (addr->bound)
		return -EEXIST;
	addr->bound = true;
	return 0;
}

int table_addr_del(struct fake_kernel *f, const struct ip *ip)
{
	struct fake_addr *addr = table_addr(f, ip);

	f->device = true;
	if (!addr || !addr->bound)
		return -EADDRNOTAVAIL;
	addr->bound = false;
	conn_unbound(f, ip);
	return 0;
}

bool table_stray(const struct fake_kernel *f, const struct ip *ip)
{
	for (size_t i = 0; i < f->strays.n; i++)
		if (ip_equal(&f->strays.v[i], ip))
			return true;
	return false;
}

int table_guard(struct fake_kernel *f, const struct ip *ip, bool on)
{
	struct fake_addr *addr;

	if (!f->table)
		return -ENOENT;
	addr = addr_get(f, ip);
	addr->guarded = on;
	return 0;
}

void table_ping(struct fake_kernel *f, const struct ip *ip, bool on)
{
	addr_get(f, ip)->pinged = on;
}

int table_serve(struct fake_kernel *f, const struct vs_key *key, bool on)
{
	struct fake_key *served = table_served(f, key);

	if (!f->table)
		return -ENOENT;
	if (on && !served) {
		served = xzalloc(sizeof(*served));
		served->key = *key;
		HASH_ADD(hh, f->served, key, sizeof(served->key), served);
	} else if (!on && served) {
		HASH_DEL(f->served, served);
		free(served);
	}
	return 0;
}

void table_filter_clear(struct fake_kernel *f)
{
	struct fake_key *served, *next;
	struct fake_addr *addr, *addr_next;

	HASH_ITER(hh, f->served, served, next) {
		HASH_DEL(f->served, served);
		free(served);
	}
	HASH_ITER(hh, f->addrs, addr, addr_next)
		addr->guarded = addr->pinged = false;
}

void table_free(struct fake_kernel *f)
{
	struct fake_vs *vs, *vs_next;
	struct fake_addr *addr, *addr_next;
	struct fake_rs *rs, *rs_next;

	HASH_ITER(hh, f->vss, vs, vs_next) {
		HASH_ITER(hh, vs->rss, rs, rs_next) {
			HASH_DEL(vs->rss, rs);
			free(rs);
		}
		HASH_DEL(f->vss, vs);
		free(vs);
	}
	table_filter_clear(f);
	HASH_ITER(hh, f->addrs, addr, addr_next) {
		HASH_DEL(f->addrs, addr);
		free(addr);
	}
}
