/* Any document as a Kubernetes object: what is taken must keep the promises of its type. */
#include "fuzz.h"

#include "decode/document.h"
#include "decode/kube_object.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void check_service(struct service *s)
{
	struct service *copy = service_copy(s);

	assert(*s->ns && *s->name && s->n_cluster_ips >= 1 && s->n_cluster_ips <= 2);
	assert(s->n_ports >= 1 && s->n_ports <= SERVICE_PORTS_MAX && s->affinity_s <= 86400);
	for (size_t i = 0; i < s->n_cluster_ips; i++)
		assert(ip_size(&s->cluster_ips[i]) && !ip_is_loopback(&s->cluster_ips[i]));
	for (size_t i = 0; i < s->n_ports; i++)
		assert(s->ports[i].port && s->ports[i].name && strlen(s->ports[i].name) < 64);
	assert(service_equal(s, copy));
	service_free(copy);
}

static void check_slice(struct slice *s)
{
	struct slice *copy = slice_copy(s);

	assert(*s->ns && *s->name && *s->service && (s->family == AF_INET || s->family == AF_INET6));
	assert(s->n_ports <= SLICE_PORTS_MAX && s->n_endpoints <= SLICE_ENDPOINTS_MAX);
	for (size_t i = 0; i < s->n_ports; i++)
		assert(s->ports[i].port && s->ports[i].name);
	for (size_t i = 0; i < s->n_endpoints; i++)
		assert(s->endpoints[i].ip.family == s->family && !ip_is_unspecified(&s->endpoints[i].ip));
	assert(slice_equal(s, copy));
	slice_free(copy);
}

static void use(void *ctx, struct json_t *tree, unsigned index)
{
	struct object_error error;
	struct change change;

	switch (kube_object_decode(tree, &change, &error)) {
	case OBJECT_OK:
		if (change.kind == CHANGE_SERVICE)
			check_service(change.service);
		else
			check_slice(change.slice);
		break;
	case OBJECT_INVALID:
	case OBJECT_SKIPPED:
	case OBJECT_NO_ADDRESS:
		assert(*error.reason && !change.service && !change.slice);
		break;
	}
	change_fini(&change);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct document_error error = { 0 };

	if (document_parse((const char *)data, n, false, use, NULL, &error) < 0)
		assert(*error.reason);
	return 0;
}
