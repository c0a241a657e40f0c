/* Parsing, printing and comparing IP addresses. Knows nothing of services or the kernel. */
#include "base/ip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

_Static_assert(IP_TEXT == INET6_ADDRSTRLEN, "IP_TEXT");

/* Copies text without the leading zeros of its decimal parts; false if it does not fit. */
static bool strip_zeros(const char *text, char *ret, size_t size)
{
	size_t n = 0;
	bool start = true;

	for (; *text; text++) {
		if (start && *text == '0' && text[1] >= '0' && text[1] <= '9')
			continue;
		start = *text == '.';
		if (n + 1 >= size)
			return false;
		ret[n++] = *text;
	}
	ret[n] = 0;
	return true;
}

int ip_parse(const char *text, struct ip *ret_ip)
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	struct ip ip = { 0 };
	char plain[IP_TEXT];

	if (strchr(text, ':')) {
		ip.family = AF_INET6;
		if (inet_pton(AF_INET6, text, ip.bytes) != 1 || memcmp(ip.bytes, mapped, sizeof(mapped)) == 0)
			return -EINVAL;
	} else {
		ip.family = AF_INET;
		if (!strip_zeros(text, plain, sizeof(plain)) || inet_pton(AF_INET, plain, ip.bytes) != 1)
			return -EINVAL;
	}
	*ret_ip = ip;
	return 0;
}

const char *ip_format(const struct ip *ip, char ret[IP_TEXT])
{
	if (!ip->family || !inet_ntop(ip->family, ip->bytes, ret, IP_TEXT))
		strcpy(ret, "none");
	return ret;
}

size_t ip_size(const struct ip *ip)
{
	return ip->family == AF_INET ? 4 : ip->family == AF_INET6 ? 16 : 0;
}

int ip_cmp(const struct ip *a, const struct ip *b)
{
	return memcmp(a, b, sizeof(*a));
}

bool ip_equal(const struct ip *a, const struct ip *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool ip_is_loopback(const struct ip *ip)
{
	static const uint8_t one[16] = { [15] = 1 };

	return ip->family == AF_INET ? ip->bytes[0] == 127 : memcmp(ip->bytes, one, 16) == 0;
}

bool ip_is_link_local(const struct ip *ip)
{
	if (ip->family == AF_INET)
		return ip->bytes[0] == 169 && ip->bytes[1] == 254;
	return ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
}

bool ip_is_multicast(const struct ip *ip)
{
	return ip->family == AF_INET ? (ip->bytes[0] & 0xf0) == 0xe0 : ip->bytes[0] == 0xff;
}

bool ip_is_unspecified(const struct ip *ip)
{
	static const uint8_t zero[16];

	return memcmp(ip->bytes, zero, 16) == 0;
}
