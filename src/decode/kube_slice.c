/* EndpointSlice discovery.k8s.io/v1 → struct slice, with the API server's defaults and its rules. */
#include "decode/dns_name.h"
#include "decode/kube_parts.h"

#include <string.h>
#include <sys/socket.h>

#define SERVICE_LABEL "kubernetes.io/service-name"

/* A port without a number would mean "all ports", which no service proxy serves: it is left out. */
static bool read_port(const struct field *item, struct slice *slice, struct object_error *error)
{
	struct field name_f = field_key(item, "name"), port_f = field_key(item, "port"), proto_f = field_key(item, "protocol");
	struct slice_port *port = &slice->ports[slice->n_ports];
	const char *name;
	int64_t number = 0;

	if (!field_object(item, error) || !kube_port_name(&name_f, &name, error) ||
	    !field_number(&port_f, 0, 65535, &number, error) || !kube_protocol(&proto_f, &port->proto, error))
		return false;
	if (number == 0)
		return true;
	for (size_t i = 0; i < slice->n_ports; i++)
		if (strcmp(slice->ports[i].name, name) == 0)
			return field_bad(&name_f, error, "must be another than that of an earlier port, is \"%s\"", name);
	port->name = arena_strdup(slice->arena, name);
	port->port = (uint16_t)number;
	slice->n_ports++;
	return true;
}

static bool read_ports(const struct field *ports, struct slice *slice, struct object_error *error)
{
	size_t n = json_array_size(ports->json);

	if (!field_array(ports, SLICE_PORTS_MAX, error))
		return false;
	slice->ports = arena_alloc(slice->arena, n * sizeof(*slice->ports));
	for (size_t i = 0; i < n; i++) {
		struct field item = field_item(ports, i);

		if (!read_port(&item, slice, error))
			return false;
	}
	return true;
}

static bool read_conditions(const struct field *item, struct slice_endpoint *endpoint, struct object_error *error)
{
	struct field conditions = field_key(item, "conditions");
	struct field ready = field_key(&conditions, "ready"), serving = field_key(&conditions, "serving");
	struct field terminating = field_key(&conditions, "terminating");

	endpoint->ready = endpoint->serving = true;
	return field_object(&conditions, error) && field_flag(&ready, &endpoint->ready, error) &&
	       field_flag(&serving, &endpoint->serving, error) && field_flag(&terminating, &endpoint->terminating, error);
}

static const char *keep_text(struct slice *slice, const char *text)
{
	return text && *text ? arena_strdup(slice->arena, text) : NULL;
}

static bool read_origin(const struct field *item, struct slice *slice, struct slice_endpoint *endpoint,
			struct object_error *error)
{
	struct field node_f = field_key(item, "nodeName"), target = field_key(item, "targetRef");
	struct field uid_f = field_key(&target, "uid");
	const char *node, *uid;

	if (!field_text(&node_f, &node, error) || !field_object(&target, error) || !field_text(&uid_f, &uid, error))
		return false;
	endpoint->node = keep_text(slice, node);
	endpoint->uid = keep_text(slice, uid);
	return true;
}

/* Only the first address counts: the API says that the others are interchangeable, and no proxy ever used them. */
static bool read_endpoint(const struct field *item, struct slice *slice, struct object_error *error)
{
	struct field addresses = field_key(item, "addresses"), first = field_item(&addresses, 0);
	struct slice_endpoint *endpoint = &slice->endpoints[slice->n_endpoints];

	if (!field_object(item, error) || !field_array(&addresses, SIZE_MAX, error))
		return false;
	if (json_array_size(addresses.json) == 0)
		return true;
	if (!kube_address(&first, &endpoint->ip, error))
		return false;
	if (endpoint->ip.family != slice->family)
		return field_bad(&first, error, "must be an %s address as addressType says, is %s",
				 slice->family == AF_INET ? "IPv4" : "IPv6", json_string_value(first.json));
	if (!read_conditions(item, endpoint, error) || !read_origin(item, slice, endpoint, error))
		return false;
	slice->n_endpoints++;
	return true;
}

static bool read_endpoints(const struct field *endpoints, struct slice *slice, struct object_error *error)
{
	size_t n = json_array_size(endpoints->json);

	if (!field_array(endpoints, SLICE_ENDPOINTS_MAX, error))
		return false;
	slice->endpoints = arena_alloc(slice->arena, n * sizeof(*slice->endpoints));
	for (size_t i = 0; i < n; i++) {
		struct field item = field_item(endpoints, i);

		if (!read_endpoint(&item, slice, error))
			return false;
	}
	return true;
}

static bool read_slice(const struct field *root, struct slice *slice, struct object_error *error)
{
	struct field ports = field_key(root, "ports"), endpoints = field_key(root, "endpoints");

	return read_ports(&ports, slice, error) && read_endpoints(&endpoints, slice, error);
}

/* The Service's name; "" if the slice belongs to none. */
static bool read_service(const struct kube_meta *meta, const char **ret_name, struct object_error *error)
{
	struct field label = field_key(&meta->labels, SERVICE_LABEL);
	char shown[FIELD_SHOW];

	if (!field_text(&label, ret_name, error))
		return false;
	if (!*ret_name)
		*ret_name = "";
	if (**ret_name && !dns_label(*ret_name))
		return field_bad(&label, error, "must be the name of a Service, is %s", field_show(label.json, shown));
	return true;
}

enum object_result kube_slice_decode(const struct field *root, const struct kube_meta *meta, struct change *ret_change,
				     struct object_error *error)
{
	static const char *const types[] = { "IPv4", "IPv6", "FQDN" };
	struct field type_f = field_key(root, "addressType");
	const char *label = kube_refusing_label(meta), *service;
	struct slice *slice;
	size_t type;

	if (label)
		return object_note(error, OBJECT_SKIPPED, "label %s", label);
	if (!read_service(meta, &service, error))
		return OBJECT_INVALID;
	if (!*service)
		return object_note(error, OBJECT_SKIPPED, "no label " SERVICE_LABEL);
	if (!field_word(&type_f, types, ARRAY_SIZE(types), &type, error))
		return OBJECT_INVALID;
	if (!type_f.json || !*json_string_value(type_f.json)) {
		(void)field_bad(&type_f, error, "is missing: IPv4 or IPv6");
		return OBJECT_INVALID;
	}
	if (type == 2)
		return object_note(error, OBJECT_SKIPPED, "addressType FQDN");

	slice = slice_new();
	slice->ns = arena_strdup(slice->arena, meta->ns);
	slice->name = arena_strdup(slice->arena, meta->name);
	slice->service = arena_strdup(slice->arena, service);
	slice->family = type == 0 ? AF_INET : AF_INET6;
	if (!read_slice(root, slice, error)) {
		slice_free(slice);
		return OBJECT_INVALID;
	}
	*ret_change = (struct change){ .kind = CHANGE_SLICE, .slice = slice };
	return OBJECT_OK;
}
