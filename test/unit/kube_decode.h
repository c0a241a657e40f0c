/* YAML texts of Kubernetes objects, decoded, for tests. */
#pragma once
#include "test/unit/unit.h"

#include "decode/document.h"
#include "decode/kube_object.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* What one YAML document decodes to. */
struct outcome {
	enum object_result result;
	struct change change;
	struct object_error error;
	char sentence[1024]; /* path and reason */
};

static inline void decode_tree(void *ctx, struct json_t *tree, unsigned index)
{
	struct outcome *o = ctx;

	(void)index;
	o->result = kube_object_decode(tree, &o->change, &o->error);
}

static inline void decode(const char *yaml, struct outcome *o)
{
	struct document_error error;

	*o = (struct outcome){ .result = OBJECT_INVALID };
	if (document_parse(yaml, strlen(yaml), false, decode_tree, o, &error) < 0)
		fail_msg("\"%s\": %u:%u: %s", yaml, error.line, error.column, error.reason);
	(void)snprintf(o->sentence, sizeof(o->sentence), "%s%s%s", o->error.path, *o->error.path ? " " : "", o->error.reason);
}

#define SERVICE(spec) "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {" spec "}}"
#define META(meta) "{apiVersion: v1, kind: Service, metadata: {" meta "}, spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}}"
#define PORTS(ports) SERVICE("clusterIP: 10.96.0.10, ports: [" ports "]")
#define ADDRESSES(addresses) SERVICE(addresses ", ports: [{port: 80}]")
#define SLICE_META(meta, rest) \
	"{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-1, namespace: shop" meta "}, " rest "}"
#define SLICE(rest) SLICE_META(", labels: {kubernetes.io/service-name: web}", rest)
#define V4(rest) SLICE("addressType: IPv4, " rest)
#define ENDPOINT(endpoint) V4("endpoints: [" endpoint "]")

struct refusal {
	const char *yaml, *sentence;
};

static inline void check(const struct refusal *cases, size_t n, enum object_result result)
{
	for (size_t i = 0; i < n; i++) {
		struct outcome o;

		decode(cases[i].yaml, &o);
		if (o.result != result || strcmp(o.sentence, cases[i].sentence) != 0)
			fail_msg("%s\n gave %d \"%s\",\n not %d \"%s\"", cases[i].yaml, o.result, o.sentence, result,
				 cases[i].sentence);
		change_fini(&o.change);
	}
}

static inline struct service *service_of(struct outcome *o, const char *yaml)
{
	decode(yaml, o);
	if (o->result != OBJECT_OK)
		fail_msg("%s\n gave %d \"%s\"", yaml, o->result, o->sentence);
	assert_int_equal(o->change.kind, CHANGE_SERVICE);
	return o->change.service;
}

static inline struct slice *slice_of(struct outcome *o, const char *yaml)
{
	decode(yaml, o);
	if (o->result != OBJECT_OK)
		fail_msg("%s\n gave %d \"%s\"", yaml, o->result, o->sentence);
	assert_int_equal(o->change.kind, CHANGE_SLICE);
	return o->change.slice;
}
