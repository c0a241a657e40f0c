/* What the decoders of the kinds share; for this folder only. */
#pragma once
#include "decode/field.h"

/* What every object has. Texts are borrowed from the JSON. */
struct kube_meta {
	const char *ns, *name;
	int64_t created;
	struct field labels, annotations;
};

/* Fills in the reason; gives result back. */
enum object_result object_note(struct object_error *error, enum object_result result, const char *fmt, ...) PRINTF(3, 4);

/* The two labels by which others say that an object is not for a service proxy. NULL if neither is there. */
const char *kube_refusing_label(const struct kube_meta *meta);

/* An address that a virtual or a real server can have: not loopback, unspecified, multicast, broadcast, link-local. */
bool kube_address(const struct field *f, struct ip *ret_ip, struct object_error *error);

/* Any case; absent is TCP. */
bool kube_protocol(const struct field *f, uint8_t *ret_proto, struct object_error *error);
/* A port's name: a DNS label, absent is "". */
bool kube_port_name(const struct field *f, const char **ret_name, struct object_error *error);

enum object_result kube_service_decode(const struct field *root, const struct kube_meta *meta, struct change *ret_change,
				       struct object_error *error);
enum object_result kube_slice_decode(const struct field *root, const struct kube_meta *meta, struct change *ret_change,
				     struct object_error *error);

/* What annotations sluice/… ask for. One that is wrong is passed over, with a warning in error. */
void kube_annotations(const struct field *annotations, struct service *service, struct object_error *warning);
