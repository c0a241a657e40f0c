/* A Kubernetes object as a JSON tree → a change. Shared by every source that speaks JSON or YAML. */
#pragma once
#include "base/err.h"
#include "core/change.h"

struct json_t;

/* Where in the object something is wrong: a path of keys and indexes, "spec.ports[0].port". */
#define OBJECT_PATH_MAX 256
struct object_error {
	char path[OBJECT_PATH_MAX]; /* "" = the object itself */
	char kind[32];              /* "Service", "EndpointSlice", or "" when not known */
	char name[320];             /* "namespace/name", or "" when not known */
	char reason[256];           /* "must be a number from 1 to 65535, is 70000" */
};
enum object_result {
	OBJECT_OK,      /* ret_change is filled in; with a reason in error: a warning of something that was passed over */
	OBJECT_SKIPPED, /* another kind, or one that is not ours to serve; error: reason in a few words, kind and name if known */
	OBJECT_NO_ADDRESS, /* a Service that nobody gave a clusterIP: as if it were not there; error as above; worth a warning */
	OBJECT_INVALID, /* error is filled in; nothing else */
};

/* Decodes one Service (v1) or EndpointSlice (discovery.k8s.io/v1) and fills in the API server's defaults. A Service or
 * slice that must not be served (headless, ExternalName, service-proxy-name label, FQDN) is OBJECT_SKIPPED. Never aborts on input. A kind: List is the caller's to take
 * apart. json is borrowed. Time and memory are linear in its size. */
enum object_result kube_object_decode(const struct json_t *json, struct change *ret_change, struct object_error *ret_error);
