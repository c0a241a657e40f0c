/* Ranges of addresses. */
#include "base/cidr.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

/* Keeps the first bits of ip. */
static void cut(struct ip *ip, unsigned bits)
{
	for (size_t i = 0; i < ip_size(ip); i++) {
		unsigned left = bits > i * 8 ? bits - (unsigned)i * 8 : 0;

		ip->bytes[i] &= (uint8_t)(left >= 8 ? 0xff : 0xff << (8 - left));
	}
}

int cidr_parse(const char *text, struct cidr *ret_cidr)
{
	CLEANUP(free_p) char *copy = xstrdup(text);
	char *slash = strchr(copy, '/');
	struct cidr cidr;
	unsigned bits = 0;

	if (!slash)
		return -EINVAL;
	*slash++ = 0;
	if (ip_parse(copy, &cidr.ip) < 0 || !*slash || strlen(slash) > 3 || (slash[0] == '0' && slash[1]))
		return -EINVAL;
	for (; *slash; slash++) {
		if (*slash < '0' || *slash > '9')
			return -EINVAL;
		bits = bits * 10 + (unsigned)(*slash - '0');
	}
	if (bits > ip_size(&cidr.ip) * 8)
		return -EINVAL;
	cidr.bits = (uint8_t)bits;
	cut(&cidr.ip, bits);
	*ret_cidr = cidr;
	return 0;
}

int cidrs_parse(const char *text, struct cidrs *ret_cidrs, struct err *err)
{
	CLEANUP(free_p) char *copy = xstrdup(text);
	char *save = NULL;

	for (char *item = strtok_r(copy, ", \t", &save); item; item = strtok_r(NULL, ", \t", &save)) {
		struct cidr cidr;

		if (cidr_parse(item, &cidr) < 0)
			return err_set(err, -EINVAL, "\"%s\" is not a range of addresses like 10.0.0.0/8", item);
		*vec_push(&ret_cidrs->list) = cidr;
	}
	return 0;
}

bool cidr_has(const struct cidr *cidr, const struct ip *ip)
{
	struct ip prefix = *ip;

	if (ip->family != cidr->ip.family)
		return false;
	cut(&prefix, cidr->bits);
	return ip_equal(&prefix, &cidr->ip);
}

bool cidrs_have(const struct cidrs *cidrs, const struct ip *ip)
{
	for (size_t i = 0; cidrs && i < cidrs->list.n; i++)
		if (cidr_has(&cidrs->list.v[i], ip))
			return true;
	return false;
}
