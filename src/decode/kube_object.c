/* Looks at an object's kind and metadata and hands it to its kind's decoder. Knows nothing of files or watches. */
#include "decode/kube_object.h"

#include "decode/dns_name.h"
#include "decode/kube_parts.h"
#include "decode/rfc3339.h"

#include <stdio.h>
#include <string.h>

typedef enum object_result decode_fn(const struct field *root, const struct kube_meta *meta, struct change *ret_change,
				     struct object_error *error);

/* The kinds that we read. */
static const struct kube_kind {
	const char *kind, *version;
	decode_fn *decode;
	bool (*name_ok)(const char *name);
} kinds[] = {
	{ "Service", "v1", kube_service_decode, dns_label },
	{ "EndpointSlice", "discovery.k8s.io/v1", kube_slice_decode, dns_subdomain },
};

static const struct kube_kind *kind_find(const char *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return &kinds[i];
	return NULL;
}

/* A text that must be there. */
static bool required_text(const struct field *f, const char **ret_text, struct object_error *error)
{
	if (!field_text(f, ret_text, error))
		return false;
	return (*ret_text && **ret_text) || field_bad(f, error, "is missing");
}

/* Also fills in error->name, once both parts are good. */
static bool read_names(const struct kube_kind *kind, const struct field *metadata, struct kube_meta *meta,
		       struct object_error *error)
{
	struct field ns = field_key(metadata, "namespace"), name = field_key(metadata, "name");
	char shown[FIELD_SHOW];

	if (!field_text(&ns, &meta->ns, error) || !required_text(&name, &meta->name, error))
		return false;
	if (!meta->ns || !*meta->ns)
		meta->ns = "default";
	if (!dns_label(meta->ns))
		return field_bad(&ns, error, "must be a DNS label, is %s", field_show(ns.json, shown));
	if (!kind->name_ok(meta->name))
		return field_bad(&name, error, "must be a DNS name, is %s", field_show(name.json, shown));
	(void)snprintf(error->name, sizeof(error->name), "%s/%s", meta->ns, meta->name);
	return true;
}

static bool read_created(const struct field *metadata, int64_t *ret_created, struct object_error *error)
{
	struct field created = field_key(metadata, "creationTimestamp");
	char shown[FIELD_SHOW];
	const char *text;

	if (!field_text(&created, &text, error))
		return false;
	*ret_created = CREATED_UNKNOWN;
	if (text && rfc3339_parse(text, ret_created) < 0)
		return field_bad(&created, error, "must be a time like 2026-01-02T03:04:05Z, is %s",
				 field_show(created.json, shown));
	return true;
}

static enum object_result decode(const struct field *root, struct change *ret_change, struct object_error *error)
{
	struct field kind_f = field_key(root, "kind"), version_f = field_key(root, "apiVersion");
	struct field metadata = field_key(root, "metadata");
	const char *kind_text, *version;
	const struct kube_kind *kind;
	struct kube_meta meta;

	if (!field_object(root, error) || !required_text(&kind_f, &kind_text, error))
		return OBJECT_INVALID;
	(void)snprintf(error->kind, sizeof(error->kind), "%s", kind_text);
	kind = kind_find(kind_text);
	if (!kind)
		return object_note(error, OBJECT_SKIPPED, "another kind");
	if (!required_text(&version_f, &version, error))
		return OBJECT_INVALID;
	if (strcmp(version, kind->version) != 0)
		return object_note(error, OBJECT_SKIPPED, "apiVersion %.60s, only %s is read", version, kind->version);
	if (!field_object(&metadata, error) || !read_names(kind, &metadata, &meta, error))
		return OBJECT_INVALID;
	meta.labels = field_key(&metadata, "labels");
	meta.annotations = field_key(&metadata, "annotations");
	if (!field_object(&meta.labels, error) || !field_object(&meta.annotations, error) || !read_created(&metadata, &meta.created, error))
		return OBJECT_INVALID;
	return kind->decode(root, &meta, ret_change, error);
}

enum object_result kube_object_decode(const struct json_t *json, struct change *ret_change, struct object_error *ret_error)
{
	struct field root = { .json = json };

	*ret_error = (struct object_error){ 0 };
	*ret_change = (struct change){ 0 };
	if (!json || json_is_null(json)) {
		(void)field_bad(&root, ret_error, "is empty");
		return OBJECT_INVALID;
	}
	return decode(&root, ret_change, ret_error);
}
