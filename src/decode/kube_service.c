/* Service v1 → struct service, with the API server's defaults and its rules, as far as we rely on them. */
#include "decode/kube_parts.h"

#include <string.h>
#include <sys/socket.h>

static const char *family_word(uint8_t family)
{
	return family == AF_INET ? "IPv4" : "IPv6";
}

/* clusterIPs, or clusterIP alone. Sets no address for "None" and "". */
static bool first_address(const struct field *ip, const struct field *ips, const char **ret_text, struct object_error *error)
{
	struct field first = field_item(ips, 0);
	const char *text;

	if (!field_text(ip, ret_text, error) || !field_array(ips, 2, error) || !field_text(&first, &text, error))
		return false;
	if (!*ret_text || !**ret_text)
		*ret_text = text;
	return true;
}

static bool read_addresses(const struct field *ip, const struct field *ips, struct service *service, struct object_error *error)
{
	size_t n = json_array_size(ips->json);
	struct ip alone;

	for (size_t i = 0; i < n; i++) {
		struct field item = field_item(ips, i);

		if (!kube_address(&item, &service->cluster_ips[i], error))
			return false;
	}
	if (n == 2 && service->cluster_ips[0].family == service->cluster_ips[1].family)
		return field_bad(ips, error, "must have one address of each family, has two of %s",
				 family_word(service->cluster_ips[0].family));
	service->n_cluster_ips = n;
	if (!ip->json || !*json_string_value(ip->json))
		return true;
	if (!kube_address(ip, &alone, error))
		return false;
	if (n && !ip_equal(&alone, &service->cluster_ips[0]))
		return field_bad(ip, error, "must be the first of spec.clusterIPs, is %s", json_string_value(ip->json));
	service->cluster_ips[0] = alone;
	service->n_cluster_ips = n ? n : 1;
	return true;
}

/* ipFamilies name the family of each address; absent: what the addresses are. */
static bool check_families(const struct field *families, const struct service *service, struct object_error *error)
{
	static const char *const words[] = { "IPv4", "IPv6" };
	size_t n = json_array_size(families->json), word = 0;
	bool seen[ARRAY_SIZE(words)] = { false };

	if (!field_array(families, 2, error))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct field item = field_item(families, i);

		if (!field_word(&item, words, ARRAY_SIZE(words), &word, error))
			return false;
		if (seen[word])
			return field_bad(families, error, "must name each family once, has %s twice", words[word]);
		if (i < service->n_cluster_ips && strcmp(words[word], family_word(service->cluster_ips[i].family)) != 0)
			return field_bad(&item, error, "must be %s, the family of the cluster IP at this place, is %s",
					 family_word(service->cluster_ips[i].family), words[word]);
		seen[word] = true;
	}
	if (n && n < service->n_cluster_ips)
		return field_bad(families, error, "must name the family of both cluster IPs");
	return true;
}

static bool read_port(const struct field *item, bool named, struct service *service, struct object_error *error)
{
	struct field name_f = field_key(item, "name"), port_f = field_key(item, "port"), proto_f = field_key(item, "protocol");
	struct service_port *port = &service->ports[service->n_ports];
	const char *name;
	int64_t number = 0;

	if (!item->json)
		return field_bad(item, error, "is empty");
	if (!field_object(item, error) || !kube_port_name(&name_f, &name, error) ||
	    !field_number(&port_f, 1, 65535, &number, error) || !kube_protocol(&proto_f, &port->proto, error))
		return false;
	if (!number)
		return field_bad(&port_f, error, "is missing");
	if (named && !*name)
		return field_bad(&name_f, error, "is missing: with more than one port each needs a name");
	port->port = (uint16_t)number;
	for (size_t i = 0; i < service->n_ports; i++) {
		const struct service_port *other = &service->ports[i];

		if (strcmp(other->name, name) == 0)
			return field_bad(&name_f, error, "must be another than that of spec.ports[%zu], is \"%s\"", i, name);
		if (other->port == port->port && other->proto == port->proto)
			return field_bad(&port_f, error, "%u/%s is that of spec.ports[%zu] already", port->port,
					 proto_name(port->proto), i);
	}
	port->name = arena_strdup(service->arena, name);
	service->n_ports++;
	return true;
}

static bool read_ports(const struct field *ports, struct service *service, struct object_error *error)
{
	size_t n = json_array_size(ports->json);

	if (!field_array(ports, SERVICE_PORTS_MAX, error))
		return false;
	if (n == 0)
		return field_bad(ports, error, "is missing: a Service needs at least one port");
	service->ports = arena_alloc(service->arena, n * sizeof(*service->ports));
	for (size_t i = 0; i < n; i++) {
		struct field item = field_item(ports, i);

		if (!read_port(&item, n > 1, service, error))
			return false;
	}
	return true;
}

static bool read_affinity(const struct field *spec, struct service *service, struct object_error *error)
{
	static const char *const words[] = { "None", "ClientIP" };
	struct field affinity = field_key(spec, "sessionAffinity"), config = field_key(spec, "sessionAffinityConfig");
	struct field client = field_key(&config, "clientIP"), timeout = field_key(&client, "timeoutSeconds");
	int64_t seconds = AFFINITY_DEFAULT_S;
	size_t word;

	if (!field_word(&affinity, words, ARRAY_SIZE(words), &word, error))
		return false;
	if (word == 0)
		return true;
	if (!field_object(&config, error) || !field_object(&client, error) ||
	    !field_number(&timeout, 1, 86400, &seconds, error))
		return false;
	service->affinity_s = (uint32_t)seconds;
	return true;
}

static bool read_policy(const struct field *spec, struct service *service, struct object_error *error)
{
	static const char *const words[] = { "Cluster", "Local" };
	struct field policy = field_key(spec, "internalTrafficPolicy");
	size_t word;

	if (!field_word(&policy, words, ARRAY_SIZE(words), &word, error))
		return false;
	service->internal_local = word == 1;
	return true;
}

static bool read_spec(const struct field *spec, const struct field *ip, const struct field *ips, struct service *service,
		      struct object_error *error)
{
	struct field families = field_key(spec, "ipFamilies"), ports = field_key(spec, "ports");

	return read_addresses(ip, ips, service, error) && check_families(&families, service, error) &&
	       read_ports(&ports, service, error) && read_affinity(spec, service, error) && read_policy(spec, service, error);
}

enum object_result kube_service_decode(const struct field *root, const struct kube_meta *meta, struct change *ret_change,
				       struct object_error *error)
{
	static const char *const types[] = { "ClusterIP", "NodePort", "LoadBalancer", "ExternalName" };
	struct field spec = field_key(root, "spec"), type_f = field_key(&spec, "type");
	struct field ip = field_key(&spec, "clusterIP"), ips = field_key(&spec, "clusterIPs");
	const char *label = kube_refusing_label(meta), *first;
	struct service *service;
	size_t type;

	if (label)
		return object_note(error, OBJECT_SKIPPED, "label %s", label);
	if (!field_object(&spec, error) || !field_word(&type_f, types, ARRAY_SIZE(types), &type, error))
		return OBJECT_INVALID;
	if (type == 3)
		return object_note(error, OBJECT_SKIPPED, "type ExternalName");
	if (!first_address(&ip, &ips, &first, error))
		return OBJECT_INVALID;
	if (!first || !*first)
		return object_note(error, OBJECT_NO_ADDRESS, "it has no clusterIP, and there is no API server to give it one");
	if (strcmp(first, "None") == 0)
		return object_note(error, OBJECT_SKIPPED, "headless");

	service = service_new();
	service->ns = arena_strdup(service->arena, meta->ns);
	service->name = arena_strdup(service->arena, meta->name);
	service->created = meta->created;
	if (!read_spec(&spec, &ip, &ips, service, error)) {
		service_free(service);
		return OBJECT_INVALID;
	}
	kube_annotations(&meta->annotations, service, error);
	*ret_change = (struct change){ .kind = CHANGE_SERVICE, .service = service };
	return OBJECT_OK;
}
