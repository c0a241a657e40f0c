/* Short words for the tests of the kernel port: one operation, one question. */
#include "contract/contract.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct vs_key vs_of(const char *text)
{
	struct vs_key key;

	if (vs_parse(text, &key) < 0)
		abort();
	return key;
}

struct rs_key rs_of(const char *text)
{
	struct rs_key key;

	if (rs_parse(text, &key) < 0)
		abort();
	return key;
}

struct ip ip_of(const char *text)
{
	struct ip ip;

	if (ip_parse(text, &ip) < 0)
		abort();
	return ip;
}

struct rs_key rs_nth(unsigned n)
{
	struct rs_key key = { .ip.family = AF_INET, .port = 8080 };

	key.ip.bytes[0] = 10;
	key.ip.bytes[1] = 1;
	key.ip.bytes[2] = (uint8_t)(n >> 8);
	key.ip.bytes[3] = (uint8_t)n;
	return key;
}

struct op op_vs(enum op_kind kind, const char *vs)
{
	return (struct op){ .kind = kind, .vs = vs_of(vs), .attrs.sched = "rr" };
}

struct op op_rs(enum op_kind kind, const char *vs, const char *rs, int32_t weight)
{
	return (struct op){ .kind = kind, .vs = vs_of(vs), .rs = rs_of(rs), .weight = weight };
}

struct op op_ip(enum op_kind kind, const char *ip)
{
	return (struct op){ .kind = kind, .vs.ip = ip_of(ip) };
}

int do_op(struct contract *c, struct op op)
{
	struct op_result result = { 1 };

	c->k->v->apply(c->k, &op, 1, &result);
	return result.code;
}

int do_vs(struct contract *c, enum op_kind kind, const char *vs)
{
	return do_op(c, op_vs(kind, vs));
}

int do_rs(struct contract *c, enum op_kind kind, const char *vs, const char *rs, int32_t weight)
{
	return do_op(c, op_rs(kind, vs, rs, weight));
}

int do_ip(struct contract *c, enum op_kind kind, const char *ip)
{
	return do_op(c, op_ip(kind, ip));
}

int seen_weight(struct contract *c, const char *vs, const char *rs)
{
	struct vs_key vs_key = vs_of(vs);
	struct rs_key rs_key = rs_of(rs);
	struct kernel_rss rss = { 0 };
	int ret = -1, rc = c->k->v->list_rs(c->k, &vs_key, &rss, NULL);

	for (size_t i = 0; rc == 0 && i < rss.rows.n; i++)
		if (rs_cmp(&rss.rows.v[i].key, &rs_key) == 0)
			ret = ret == -1 ? rss.rows.v[i].weight : -2;
	kernel_rss_fini(&rss);
	return rc < 0 ? -2 : ret;
}

int seen_rss(struct contract *c, const char *vs, size_t *ret_n)
{
	struct vs_key vs_key = vs_of(vs);
	struct kernel_rss rss = { 0 };
	int rc = c->k->v->list_rs(c->k, &vs_key, &rss, NULL);

	*ret_n = rss.rows.n;
	kernel_rss_fini(&rss);
	return rc;
}

bool seen_vs(struct contract *c, const char *vs, struct vs_attrs *ret)
{
	struct vs_key key = vs_of(vs);
	struct kernel_vss vss = { 0 };
	size_t found = 0;

	if (c->k->v->list_vs(c->k, &vss, NULL) == 0)
		for (size_t i = 0; i < vss.rows.n; i++) {
			if (vs_cmp(&vss.rows.v[i].key, &key))
				continue;
			found++;
			if (ret)
				*ret = vss.rows.v[i].attrs;
		}
	kernel_vss_fini(&vss);
	return found == 1;
}

size_t seen_addrs(struct contract *c)
{
	struct kernel_ips ips = { 0 };
	int rc = c->k->v->list_addrs(c->k, &ips, NULL);
	size_t n = ips.rows.n;

	kernel_ips_fini(&ips);
	return rc < 0 ? SIZE_MAX : n;
}

static size_t count_ip(const struct ip *v, size_t n, const char *text)
{
	struct ip ip = ip_of(text);
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += ip_equal(&v[i], &ip);
	return found;
}

bool seen_addr(struct contract *c, const char *ip)
{
	struct kernel_ips ips = { 0 };
	bool found = c->k->v->list_addrs(c->k, &ips, NULL) == 0 && count_ip(ips.rows.v, ips.rows.n, ip) == 1;

	kernel_ips_fini(&ips);
	return found;
}

struct sight seen_filter(struct contract *c, const char *ip, const char *vs)
{
	struct kernel_filter f = { 0 };
	struct vs_key key = vs_of(vs);
	struct sight s = { 0 };

	if (c->k->v->list_filter(c->k, &f, NULL) == 0) {
		s.intact = f.intact;
		s.n_guarded = f.guarded.n;
		s.n_served = f.served.n;
		s.n_pinged = f.pinged.n;
		s.guarded = count_ip(f.guarded.v, f.guarded.n, ip) == 1;
		s.pinged = count_ip(f.pinged.v, f.pinged.n, ip) == 1;
		for (size_t i = 0; i < f.served.n; i++)
			s.served = s.served || vs_cmp(&f.served.v[i], &key) == 0;
	}
	kernel_filter_fini(&f);
	return s;
}
