/* The parts that Services and EndpointSlices have in common: addresses, protocols, names of ports. */
#include "decode/kube_parts.h"

#include "decode/dns_name.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum object_result object_note(struct object_error *error, enum object_result result, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(error->reason, sizeof(error->reason), fmt, ap);
	va_end(ap);
	return result;
}

const char *kube_refusing_label(const struct kube_meta *meta)
{
	static const char *const labels[] = { "service.kubernetes.io/headless", "service.kubernetes.io/service-proxy-name" };

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (json_object_get(meta->labels.json, labels[i])) /* that it is there counts, whatever its value */
			return labels[i];
	return NULL;
}

/* Why an address cannot be a server's; NULL if it can. */
static const char *unusable(const struct ip *ip)
{
	static const uint8_t ones[4] = { 0xff, 0xff, 0xff, 0xff };

	if (ip_is_unspecified(ip))
		return "the unspecified address";
	if (ip_is_loopback(ip))
		return "a loopback address";
	if (ip_is_multicast(ip))
		return "a multicast address";
	if (ip_is_link_local(ip))
		return "a link-local address";
	if (ip->family == AF_INET && memcmp(ip->bytes, ones, 4) == 0)
		return "the broadcast address";
	if (ip->family == AF_INET && ip->bytes[0] == 0)
		return "an address of this network (0.0.0.0/8)";
	return NULL;
}

bool kube_address(const struct field *f, struct ip *ret_ip, struct object_error *error)
{
	char shown[FIELD_SHOW];
	const char *text, *why;
	struct ip ip;

	if (!field_text(f, &text, error))
		return false;
	if (!text || ip_parse(text, &ip) < 0)
		return field_bad(f, error, "must be an IP address, is %s", field_show(f->json, shown));
	why = unusable(&ip);
	if (why)
		return field_bad(f, error, "is %s, %s: it cannot be used here", text, why);
	*ret_ip = ip;
	return true;
}

bool kube_protocol(const struct field *f, uint8_t *ret_proto, struct object_error *error)
{
	char shown[FIELD_SHOW];
	const char *text;

	if (!field_text(f, &text, error))
		return false;
	*ret_proto = PROTO_TCP;
	if (text && *text && proto_parse(text, ret_proto) < 0)
		return field_bad(f, error, "must be TCP, UDP or SCTP, is %s", field_show(f->json, shown));
	return true;
}

bool kube_port_name(const struct field *f, const char **ret_name, struct object_error *error)
{
	char shown[FIELD_SHOW];
	const char *text;

	if (!field_text(f, &text, error))
		return false;
	if (text && *text && !dns_label(text))
		return field_bad(f, error, "must be a DNS label (a-z, 0-9 and -), is %s", field_show(f->json, shown));
	*ret_name = text ? text : "";
	return true;
}
