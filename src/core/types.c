/* Text forms, order and equality of the keys. */
#include "core/types.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

static const struct {
	uint8_t number;
	const char *name;
} protos[] = { { PROTO_TCP, "tcp" }, { PROTO_UDP, "udp" }, { PROTO_SCTP, "sctp" } };

const char *proto_name(uint8_t proto)
{
	for (size_t i = 0; i < ARRAY_SIZE(protos); i++)
		if (protos[i].number == proto)
			return protos[i].name;
	return "?";
}

int proto_parse(const char *text, uint8_t *ret_proto)
{
	for (size_t i = 0; i < ARRAY_SIZE(protos); i++)
		if (strcasecmp(protos[i].name, text) == 0) {
			*ret_proto = protos[i].number;
			return 0;
		}
	return -EINVAL;
}

static int endpoint_format(const struct ip *ip, uint16_t port, char *ret, size_t size)
{
	char text[IP_TEXT];

	return snprintf(ret, size, ip->family == AF_INET6 ? "[%s]:%u" : "%s:%u", ip_format(ip, text), port);
}

const char *vs_format(const struct vs_key *vs, char ret[VS_TEXT])
{
	int n = endpoint_format(&vs->ip, vs->port, ret, VS_TEXT);

	(void)snprintf(ret + n, VS_TEXT - (size_t)n, "/%s", proto_name(vs->proto));
	return ret;
}

const char *rs_format(const struct rs_key *rs, char ret[RS_TEXT])
{
	(void)endpoint_format(&rs->ip, rs->port, ret, RS_TEXT);
	return ret;
}

static int port_parse(const char *text, size_t n, uint16_t *ret_port)
{
	unsigned port = 0;

	if (n < 1 || n > 5 || text[0] == '0')
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		port = port * 10 + (unsigned)(text[i] - '0');
	}
	if (port > UINT16_MAX)
		return -EINVAL;
	*ret_port = (uint16_t)port;
	return 0;
}

/* "10.0.0.1:80" or "[fd00::1]:80", n bytes long. */
static int endpoint_parse(const char *text, size_t n, struct ip *ret_ip, uint16_t *ret_port)
{
	char ip[IP_TEXT];
	const char *start = text, *colon = memrchr(text, ':', n);
	size_t len;
	bool bracketed = n && text[0] == '[';

	if (!colon)
		return -EINVAL;
	len = (size_t)(colon - text);
	if (bracketed) {
		if (len < 2 || text[len - 1] != ']')
			return -EINVAL;
		start++;
		len -= 2;
	}
	if (len >= sizeof(ip))
		return -EINVAL;
	memcpy(ip, start, len);
	ip[len] = 0;
	if (ip_parse(ip, ret_ip) < 0 || (ret_ip->family == AF_INET6) != bracketed)
		return -EINVAL;
	return port_parse(colon + 1, n - (size_t)(colon + 1 - text), ret_port);
}

int vs_parse(const char *text, struct vs_key *ret_vs)
{
	struct vs_key vs = { 0 };
	const char *slash = strrchr(text, '/');

	if (!slash || proto_parse(slash + 1, &vs.proto) < 0 ||
	    endpoint_parse(text, (size_t)(slash - text), &vs.ip, &vs.port) < 0)
		return -EINVAL;
	*ret_vs = vs;
	return 0;
}

int rs_parse(const char *text, struct rs_key *ret_rs)
{
	struct rs_key rs = { 0 };

	if (endpoint_parse(text, strlen(text), &rs.ip, &rs.port) < 0)
		return -EINVAL;
	*ret_rs = rs;
	return 0;
}

int vs_cmp(const struct vs_key *a, const struct vs_key *b)
{
	int c = ip_cmp(&a->ip, &b->ip);

	if (c)
		return c;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return (a->proto > b->proto) - (a->proto < b->proto);
}

int rs_cmp(const struct rs_key *a, const struct rs_key *b)
{
	int c = ip_cmp(&a->ip, &b->ip);

	return c ? c : (a->port > b->port) - (a->port < b->port);
}

bool vs_attrs_equal(const struct vs_attrs *a, const struct vs_attrs *b)
{
	return strcmp(a->sched, b->sched) == 0 && ((a->flags ^ b->flags) & ~(uint32_t)VS_FLAG_HASHED) == 0 &&
	       a->timeout_s == b->timeout_s;
}
