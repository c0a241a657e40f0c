#include "test/unit/kube_decode.h"

static void assert_ip(const struct ip *ip, const char *text)
{
	char shown[IP_TEXT];

	assert_string_equal(ip_format(ip, shown), text);
}

static void a_full_service(void **state)
{
	struct outcome o;
	struct service *s = service_of(&o, "apiVersion: v1\n"
					   "kind: Service\n"
					   "metadata:\n"
					   "  name: web\n"
					   "  namespace: shop\n"
					   "  creationTimestamp: 2026-01-02T03:04:05Z\n"
					   "  labels: {app: web}\n"
					   "spec:\n"
					   "  type: LoadBalancer\n"
					   "  clusterIP: 10.96.0.10\n"
					   "  clusterIPs: [10.96.0.10, 'fd00::10']\n"
					   "  ipFamilies: [IPv4, IPv6]\n"
					   "  ports:\n"
					   "  - {name: http, port: 80, targetPort: web, nodePort: 30080}\n"
					   "  - {name: dns, port: 53, protocol: udp}\n"
					   "  - {name: dns-tcp, port: 53, protocol: TCP}\n"
					   "  - {name: sig, port: 65535, protocol: SCTP}\n"
					   "  sessionAffinity: ClientIP\n"
					   "  sessionAffinityConfig: {clientIP: {timeoutSeconds: 600}}\n"
					   "  internalTrafficPolicy: Local\n"
					   "  unheardOf: [1, {2: 3}]\n"
					   "status: whatever\n");

	assert_string_equal(s->ns, "shop");
	assert_string_equal(s->name, "web");
	assert_int_equal(s->created, 1767323045);
	assert_int_equal(s->n_cluster_ips, 2);
	assert_ip(&s->cluster_ips[0], "10.96.0.10");
	assert_ip(&s->cluster_ips[1], "fd00::10");
	assert_int_equal(s->n_ports, 4);
	assert_string_equal(s->ports[0].name, "http");
	assert_int_equal(s->ports[0].port, 80);
	assert_int_equal(s->ports[0].proto, PROTO_TCP);
	assert_string_equal(s->ports[1].name, "dns");
	assert_int_equal(s->ports[1].port, 53);
	assert_int_equal(s->ports[1].proto, PROTO_UDP);
	assert_int_equal(s->ports[2].proto, PROTO_TCP);
	assert_int_equal(s->ports[3].port, 65535);
	assert_int_equal(s->ports[3].proto, PROTO_SCTP);
	assert_int_equal(s->affinity_s, 600);
	assert_true(s->internal_local);
	assert_string_equal(o.error.kind, "Service");
	assert_string_equal(o.error.name, "shop/web");
	change_fini(&o.change);
}

static void what_the_api_server_would_fill_in(void **state)
{
	struct outcome o;
	struct service *s = service_of(&o, META("name: web, namespace: '', creationTimestamp: null, labels: null"));

	assert_string_equal(s->ns, "default");
	assert_int_equal(s->created, CREATED_UNKNOWN);
	assert_string_equal(s->ports[0].name, "");
	assert_int_equal(s->ports[0].proto, PROTO_TCP);
	assert_int_equal(s->affinity_s, 0);
	assert_false(s->internal_local);
	change_fini(&o.change);

	s = service_of(&o, SERVICE("clusterIP: 10.0.0.1, ports: [{port: 80}], sessionAffinity: ClientIP"));
	assert_int_equal(s->affinity_s, 10800);
	change_fini(&o.change);
	s = service_of(&o, SERVICE("clusterIP: 10.0.0.1, ports: [{port: 80}], sessionAffinity: None, "
				   "sessionAffinityConfig: {clientIP: {timeoutSeconds: 5}}, internalTrafficPolicy: Cluster"));
	assert_int_equal(s->affinity_s, 0);
	assert_false(s->internal_local);
	change_fini(&o.change);
}

static void cluster_addresses(void **state)
{
	static const struct {
		const char *yaml, *first, *second;
	} cases[] = {
		{ ADDRESSES("clusterIP: 10.0.0.1"), "10.0.0.1", "none" },
		{ ADDRESSES("clusterIP: 010.000.000.001"), "10.0.0.1", "none" },
		{ ADDRESSES("clusterIP: 'fd00::1'"), "fd00::1", "none" },
		{ ADDRESSES("clusterIPs: ['fd00::1', 10.0.0.1]"), "fd00::1", "10.0.0.1" },
		{ ADDRESSES("clusterIP: '', clusterIPs: [10.0.0.1]"), "10.0.0.1", "none" },
		{ ADDRESSES("clusterIP: 10.0.0.1, clusterIPs: []"), "10.0.0.1", "none" },
		{ ADDRESSES("clusterIP: 'FD00::0:1', clusterIPs: ['fd00::1']"), "fd00::1", "none" },
		{ ADDRESSES("clusterIP: 10.0.0.1, ipFamilies: [IPv4, IPv6]"), "10.0.0.1", "none" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct outcome o;
		struct service *s = service_of(&o, cases[i].yaml);

		assert_ip(&s->cluster_ips[0], cases[i].first);
		assert_ip(&s->cluster_ips[1], cases[i].second);
		assert_int_equal(s->n_cluster_ips, strcmp(cases[i].second, "none") ? 2 : 1);
		change_fini(&o.change);
	}
}

static void objects_that_are_not_ours(void **state)
{
	static const struct refusal cases[] = {
		{ "{apiVersion: apps/v1, kind: Deployment}", "another kind" },
		{ "{kind: Endpoints, apiVersion: v1, metadata: 5}", "another kind" },
		{ "{kind: Service, apiVersion: serving.knative.dev/v1}", "apiVersion serving.knative.dev/v1, only v1 is read" },
		{ "{kind: EndpointSlice, apiVersion: discovery.k8s.io/v1beta1}",
		  "apiVersion discovery.k8s.io/v1beta1, only discovery.k8s.io/v1 is read" },
		{ SERVICE("clusterIP: None"), "headless" },
		{ SERVICE("clusterIPs: [None]"), "headless" },
		{ SERVICE("type: ExternalName, clusterIP: 10.0.0.1"), "type ExternalName" },
		{ META("name: web, labels: {service.kubernetes.io/headless: ''}"), "label service.kubernetes.io/headless" },
		{ META("name: web, labels: {service.kubernetes.io/service-proxy-name: other}"),
		  "label service.kubernetes.io/service-proxy-name" },
		{ META("name: web, labels: {service.kubernetes.io/headless: null}"), "label service.kubernetes.io/headless" },
		{ SLICE_META(", labels: {kubernetes.io/service-name: web, service.kubernetes.io/headless: x}", "addressType: IPv4"),
		  "label service.kubernetes.io/headless" },
		{ SLICE_META("", "addressType: IPv4"), "no label kubernetes.io/service-name" },
		{ SLICE_META(", labels: {kubernetes.io/service-name: ''}", "addressType: IPv4"), "no label kubernetes.io/service-name" },
		{ SLICE("addressType: FQDN, endpoints: [{addresses: [example.org]}]"), "addressType FQDN" },
	};

	check(cases, ARRAY_SIZE(cases), OBJECT_SKIPPED);
}

static void services_without_an_address(void **state)
{
	static const struct refusal cases[] = {
		{ SERVICE("ports: [{port: 80}]"), "it has no clusterIP, and there is no API server to give it one" },
		{ SERVICE("clusterIP: '', type: NodePort"), "it has no clusterIP, and there is no API server to give it one" },
		{ SERVICE("clusterIP: null, clusterIPs: []"), "it has no clusterIP, and there is no API server to give it one" },
		{ "{apiVersion: v1, kind: Service, metadata: {name: web}}",
		  "it has no clusterIP, and there is no API server to give it one" },
	};

	check(cases, ARRAY_SIZE(cases), OBJECT_NO_ADDRESS);
}

static void bad_objects(void **state)
{
	static const struct refusal cases[] = {
		{ "text", "must be a mapping, is \"text\"" },
		{ "[1]", "must be a mapping, is a list" },
		{ "{a: 1}", "kind is missing" },
		{ "{kind: ''}", "kind is missing" },
		{ "{kind: [Service]}", "kind must be a text, is a list" },
		{ "{kind: Service}", "apiVersion is missing" },
		{ "{kind: Service, apiVersion: 1}", "apiVersion must be a text, is 1" },
		{ "{kind: Service, apiVersion: v1}", "metadata.name is missing" },
		{ "{kind: Service, apiVersion: v1, metadata: []}", "metadata must be a mapping, is a list" },
		{ META("name: 7"), "metadata.name must be a text, is 7" },
		{ META("name: ''"), "metadata.name is missing" },
		{ META("name: Web"), "metadata.name must be a DNS name, is \"Web\"" },
		{ META("name: we.b"), "metadata.name must be a DNS name, is \"we.b\"" },
		{ META("name: -web"), "metadata.name must be a DNS name, is \"-web\"" },
		{ META("name: web, namespace: a/b"), "metadata.namespace must be a DNS label, is \"a/b\"" },
		{ META("name: web, namespace: {}"), "metadata.namespace must be a text, is a mapping" },
		{ META("name: web, labels: [a]"), "metadata.labels must be a mapping, is a list" },
		{ META("name: web, annotations: x"), "metadata.annotations must be a mapping, is \"x\"" },
		{ META("name: web, creationTimestamp: yesterday"),
		  "metadata.creationTimestamp must be a time like 2026-01-02T03:04:05Z, is \"yesterday\"" },
		{ META("name: web, creationTimestamp: 5"), "metadata.creationTimestamp must be a text, is 5" },
	};

	check(cases, ARRAY_SIZE(cases), OBJECT_INVALID);
}

static void bad_services(void **state)
{
	static const struct refusal cases[] = {
		{ "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: x}", "spec must be a mapping, is \"x\"" },
		{ SERVICE("type: Magic"), "spec.type must be ClusterIP, NodePort, LoadBalancer or ExternalName, is \"Magic\"" },
		{ SERVICE("type: 1"), "spec.type must be a text, is 1" },
		{ ADDRESSES("clusterIP: 10"), "spec.clusterIP must be a text, is 10" },
		{ ADDRESSES("clusterIP: 10.0.0"), "spec.clusterIP must be an IP address, is \"10.0.0\"" },
		{ ADDRESSES("clusterIP: '::ffff:10.0.0.1'"), "spec.clusterIP must be an IP address, is \"::ffff:10.0.0.1\"" },
		{ ADDRESSES("clusterIP: 'fe80::1%eth0'"), "spec.clusterIP must be an IP address, is \"fe80::1%eth0\"" },
		{ ADDRESSES("clusterIP: 127.0.0.1"), "spec.clusterIP is 127.0.0.1, a loopback address: it cannot be used here" },
		{ ADDRESSES("clusterIP: 0.0.0.0"), "spec.clusterIP is 0.0.0.0, the unspecified address: it cannot be used here" },
		{ ADDRESSES("clusterIP: '::'"), "spec.clusterIP is ::, the unspecified address: it cannot be used here" },
		{ ADDRESSES("clusterIP: 224.0.0.1"), "spec.clusterIP is 224.0.0.1, a multicast address: it cannot be used here" },
		{ ADDRESSES("clusterIP: 169.254.1.1"), "spec.clusterIP is 169.254.1.1, a link-local address: it cannot be used here" },
		{ ADDRESSES("clusterIP: 'fe80::1'"), "spec.clusterIP is fe80::1, a link-local address: it cannot be used here" },
		{ ADDRESSES("clusterIP: '::1'"), "spec.clusterIP is ::1, a loopback address: it cannot be used here" },
		{ ADDRESSES("clusterIP: 'ff02::1'"), "spec.clusterIP is ff02::1, a multicast address: it cannot be used here" },
		{ ADDRESSES("clusterIP: 255.255.255.255"),
		  "spec.clusterIP is 255.255.255.255, the broadcast address: it cannot be used here" },
		{ ADDRESSES("clusterIP: 0.1.2.3"),
		  "spec.clusterIP is 0.1.2.3, an address of this network (0.0.0.0/8): it cannot be used here" },
		{ ADDRESSES("clusterIPs: 10.0.0.1"), "spec.clusterIPs must be a list, is \"10.0.0.1\"" },
		{ ADDRESSES("clusterIPs: [1]"), "spec.clusterIPs[0] must be a text, is 1" },
		{ ADDRESSES("clusterIPs: [10.0.0.1, null]"), "spec.clusterIPs[1] must be an IP address, is absent" },
		{ ADDRESSES("clusterIPs: [10.0.0.1, 10.0.0.2]"),
		  "spec.clusterIPs must have one address of each family, has two of IPv4" },
		{ ADDRESSES("clusterIPs: [10.0.0.1, 'fd00::1', 10.0.0.2]"), "spec.clusterIPs has 3 entries, more than 2" },
		{ ADDRESSES("clusterIP: 10.0.0.2, clusterIPs: [10.0.0.1]"),
		  "spec.clusterIP must be the first of spec.clusterIPs, is 10.0.0.2" },
		{ ADDRESSES("clusterIP: 10.0.0.1, ipFamilies: IPv4"), "spec.ipFamilies must be a list, is \"IPv4\"" },
		{ ADDRESSES("clusterIP: 10.0.0.1, ipFamilies: [ipv4]"), "spec.ipFamilies[0] must be IPv4 or IPv6, is \"ipv4\"" },
		{ ADDRESSES("clusterIP: 10.0.0.1, ipFamilies: [IPv4, IPv4]"), "spec.ipFamilies must name each family once, has IPv4 twice" },
		{ ADDRESSES("clusterIP: 10.0.0.1, ipFamilies: [IPv6]"),
		  "spec.ipFamilies[0] must be IPv4, the family of the cluster IP at this place, is IPv6" },
		{ ADDRESSES("clusterIPs: [10.0.0.1, 'fd00::1'], ipFamilies: [IPv4]"),
		  "spec.ipFamilies must name the family of both cluster IPs" },
		{ SERVICE("clusterIP: 10.0.0.1"), "spec.ports is missing: a Service needs at least one port" },
		{ PORTS(""), "spec.ports is missing: a Service needs at least one port" },
		{ SERVICE("clusterIP: 10.0.0.1, ports: {port: 80}"), "spec.ports must be a list, is a mapping" },
		{ PORTS("80"), "spec.ports[0] must be a mapping, is 80" },
		{ PORTS("null"), "spec.ports[0] is empty" },
		{ PORTS("{name: a}"), "spec.ports[0].port is missing" },
		{ PORTS("{port: 70000}"), "spec.ports[0].port must be a whole number from 1 to 65535, is 70000" },
		{ PORTS("{port: 0}"), "spec.ports[0].port must be a whole number from 1 to 65535, is 0" },
		{ PORTS("{port: -1}"), "spec.ports[0].port must be a whole number from 1 to 65535, is -1" },
		{ PORTS("{port: '80'}"), "spec.ports[0].port must be a whole number from 1 to 65535, is \"80\"" },
		{ PORTS("{port: 80.5}"), "spec.ports[0].port must be a whole number from 1 to 65535, is 80.5" },
		{ PORTS("{port: 80.0}"), "spec.ports[0].port must be a whole number from 1 to 65535, is 80.0" },
		{ PORTS("{port: true}"), "spec.ports[0].port must be a whole number from 1 to 65535, is true" },
		{ PORTS("{port: 80, protocol: ICMP}"), "spec.ports[0].protocol must be TCP, UDP or SCTP, is \"ICMP\"" },
		{ PORTS("{port: 80, protocol: 6}"), "spec.ports[0].protocol must be a text, is 6" },
		{ PORTS("{port: 80, name: A b}"), "spec.ports[0].name must be a DNS label (a-z, 0-9 and -), is \"A b\"" },
		{ PORTS("{port: 80, name: 5}"), "spec.ports[0].name must be a text, is 5" },
		{ PORTS("{port: 80, name: a}, {port: 81}"), "spec.ports[1].name is missing: with more than one port each needs a name" },
		{ PORTS("{port: 80, name: a}, {port: 81, name: a}"),
		  "spec.ports[1].name must be another than that of spec.ports[0], is \"a\"" },
		{ PORTS("{port: 80, name: a}, {port: 80, name: b, protocol: tcp}"),
		  "spec.ports[1].port 80/tcp is that of spec.ports[0] already" },
		{ PORTS("{port: 80}], sessionAffinity: clientip, x: ["),
		  "spec.sessionAffinity must be None or ClientIP, is \"clientip\"" },
		{ PORTS("{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 86401}}, x: ["),
		  "spec.sessionAffinityConfig.clientIP.timeoutSeconds must be a whole number from 1 to 86400, is 86401" },
		{ PORTS("{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 0}}, x: ["),
		  "spec.sessionAffinityConfig.clientIP.timeoutSeconds must be a whole number from 1 to 86400, is 0" },
		{ PORTS("{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: 5}, x: ["),
		  "spec.sessionAffinityConfig.clientIP must be a mapping, is 5" },
		{ PORTS("{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig: 5, x: ["),
		  "spec.sessionAffinityConfig must be a mapping, is 5" },
		{ PORTS("{port: 80}], internalTrafficPolicy: Nearby, x: ["),
		  "spec.internalTrafficPolicy must be Cluster or Local, is \"Nearby\"" },
	};

	check(cases, ARRAY_SIZE(cases), OBJECT_INVALID);
}

static void the_error_says_which_object(void **state)
{
	struct outcome o;

	decode(PORTS("{port: 70000}"), &o);
	assert_string_equal(o.error.kind, "Service");
	assert_string_equal(o.error.name, "shop/web");
	assert_string_equal(o.error.path, "spec.ports[0].port");
	decode("{kind: Service, apiVersion: v1, metadata: {name: X}}", &o);
	assert_string_equal(o.error.kind, "Service");
	assert_string_equal(o.error.name, "");
	decode("{kind: Aveeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeerylongkind}", &o);
	assert_int_equal(o.result, OBJECT_SKIPPED);
	assert_int_equal(strlen(o.error.kind), sizeof(o.error.kind) - 1);
	assert_int_equal(kube_object_decode(NULL, &o.change, &o.error), OBJECT_INVALID);
	assert_string_equal(o.error.reason, "is empty");
}

static void a_full_slice(void **state)
{
	struct outcome o;
	struct slice *s = slice_of(&o, "apiVersion: discovery.k8s.io/v1\n"
				       "kind: EndpointSlice\n"
				       "metadata:\n"
				       "  name: web.abc-1\n"
				       "  namespace: shop\n"
				       "  labels: {kubernetes.io/service-name: web}\n"
				       "addressType: IPv4\n"
				       "ports:\n"
				       "- {name: http, port: 8080, protocol: TCP, appProtocol: x}\n"
				       "- {port: 53, protocol: udp}\n"
				       "- {name: all, port: null}\n"
				       "- {name: zero, port: 0}\n"
				       "- null\n"
				       "endpoints:\n"
				       "- addresses: [10.1.0.5, not read]\n"
				       "  nodeName: node-1\n"
				       "  targetRef: {kind: Pod, uid: abc}\n"
				       "- addresses: [10.1.0.06]\n"
				       "  conditions: {ready: false, serving: true, terminating: true}\n"
				       "- addresses: [10.1.0.7]\n"
				       "  conditions: {ready: null}\n"
				       "  nodeName: ''\n"
				       "  targetRef: {uid: null}\n"
				       "- addresses: []\n"
				       "- {hostname: x}\n"
				       "- null\n"
				       "- addresses: [10.1.0.8]\n"
				       "  conditions: {serving: false}\n");
	struct slice_endpoint *e = s->endpoints;

	assert_string_equal(s->ns, "shop");
	assert_string_equal(s->name, "web.abc-1");
	assert_string_equal(s->service, "web");
	assert_int_equal(s->family, AF_INET);
	assert_int_equal(s->n_ports, 2);
	assert_string_equal(s->ports[0].name, "http");
	assert_int_equal(s->ports[0].port, 8080);
	assert_int_equal(s->ports[0].proto, PROTO_TCP);
	assert_string_equal(s->ports[1].name, "");
	assert_int_equal(s->ports[1].proto, PROTO_UDP);
	assert_int_equal(s->n_endpoints, 4);
	assert_ip(&e[0].ip, "10.1.0.5");
	assert_string_equal(e[0].node, "node-1");
	assert_string_equal(e[0].uid, "abc");
	assert_true(e[0].ready && e[0].serving && !e[0].terminating);
	assert_ip(&e[1].ip, "10.1.0.6");
	assert_null(e[1].node);
	assert_null(e[1].uid);
	assert_true(!e[1].ready && e[1].serving && e[1].terminating);
	assert_true(e[2].ready && e[2].serving && !e[2].terminating);
	assert_null(e[2].node);
	assert_true(e[3].ready && !e[3].serving && !e[3].terminating);
	change_fini(&o.change);

	s = slice_of(&o, SLICE("addressType: IPv6, ports: null, endpoints: [{addresses: ['FD00::0:5']}]"));
	assert_int_equal(s->family, AF_INET6);
	assert_int_equal(s->n_ports, 0);
	assert_ip(&s->endpoints[0].ip, "fd00::5");
	change_fini(&o.change);
	s = slice_of(&o, V4("ports: []"));
	assert_int_equal(s->n_endpoints, 0);
	change_fini(&o.change);
}

static void bad_slices(void **state)
{
	static const struct refusal cases[] = {
		{ SLICE_META(", labels: {kubernetes.io/service-name: 1}", "addressType: IPv4"),
		  "metadata.labels.kubernetes.io/service-name must be a text, is 1" },
		{ SLICE_META(", labels: {kubernetes.io/service-name: a.b}", "addressType: IPv4"),
		  "metadata.labels.kubernetes.io/service-name must be the name of a Service, is \"a.b\"" },
		{ SLICE("ports: []"), "addressType is missing: IPv4 or IPv6" },
		{ SLICE("addressType: ''"), "addressType is missing: IPv4 or IPv6" },
		{ SLICE("addressType: ipv4"), "addressType must be IPv4, IPv6 or FQDN, is \"ipv4\"" },
		{ SLICE("addressType: 4"), "addressType must be a text, is 4" },
		{ V4("ports: {}"), "ports must be a list, is a mapping" },
		{ V4("ports: [80]"), "ports[0] must be a mapping, is 80" },
		{ V4("ports: [{port: 65536}]"), "ports[0].port must be a whole number from 0 to 65535, is 65536" },
		{ V4("ports: [{port: x}]"), "ports[0].port must be a whole number from 0 to 65535, is \"x\"" },
		{ V4("ports: [{port: 1, protocol: x}]"), "ports[0].protocol must be TCP, UDP or SCTP, is \"x\"" },
		{ V4("ports: [{port: 1, name: UP}]"), "ports[0].name must be a DNS label (a-z, 0-9 and -), is \"UP\"" },
		{ V4("ports: [{port: 1, name: a}, {port: 2, name: a}]"), "ports[1].name must be another than that of an earlier port, is \"a\"" },
		{ V4("ports: [{port: 1}, {port: 2}]"), "ports[1].name must be another than that of an earlier port, is \"\"" },
		{ V4("endpoints: 5"), "endpoints must be a list, is 5" },
		{ ENDPOINT("5"), "endpoints[0] must be a mapping, is 5" },
		{ ENDPOINT("{addresses: 10.0.0.1}"), "endpoints[0].addresses must be a list, is \"10.0.0.1\"" },
		{ ENDPOINT("{addresses: [5]}"), "endpoints[0].addresses[0] must be a text, is 5" },
		{ ENDPOINT("{addresses: [null]}"), "endpoints[0].addresses[0] must be an IP address, is absent" },
		{ ENDPOINT("{addresses: [example.org]}"), "endpoints[0].addresses[0] must be an IP address, is \"example.org\"" },
		{ ENDPOINT("{addresses: ['fd00::1']}"),
		  "endpoints[0].addresses[0] must be an IPv4 address as addressType says, is fd00::1" },
		{ ENDPOINT("{addresses: [127.0.0.1]}"),
		  "endpoints[0].addresses[0] is 127.0.0.1, a loopback address: it cannot be used here" },
		{ ENDPOINT("{addresses: [0.0.0.0]}"),
		  "endpoints[0].addresses[0] is 0.0.0.0, the unspecified address: it cannot be used here" },
		{ ENDPOINT("{addresses: [169.254.0.1]}"),
		  "endpoints[0].addresses[0] is 169.254.0.1, a link-local address: it cannot be used here" },
		{ ENDPOINT("{addresses: [239.0.0.1]}"),
		  "endpoints[0].addresses[0] is 239.0.0.1, a multicast address: it cannot be used here" },
		{ ENDPOINT("{addresses: [10.0.0.1], conditions: []}"), "endpoints[0].conditions must be a mapping, is a list" },
		{ ENDPOINT("{addresses: [10.0.0.1], conditions: {ready: yes}}"),
		  "endpoints[0].conditions.ready must be true or false, is \"yes\"" },
		{ ENDPOINT("{addresses: [10.0.0.1], conditions: {serving: 1}}"),
		  "endpoints[0].conditions.serving must be true or false, is 1" },
		{ ENDPOINT("{addresses: [10.0.0.1], conditions: {terminating: {}}}"),
		  "endpoints[0].conditions.terminating must be true or false, is a mapping" },
		{ ENDPOINT("{addresses: [10.0.0.1], nodeName: 1}"), "endpoints[0].nodeName must be a text, is 1" },
		{ ENDPOINT("{addresses: [10.0.0.1], targetRef: x}"), "endpoints[0].targetRef must be a mapping, is \"x\"" },
		{ ENDPOINT("{addresses: [10.0.0.1], targetRef: {uid: 1}}"), "endpoints[0].targetRef.uid must be a text, is 1" },
	};

	check(cases, ARRAY_SIZE(cases), OBJECT_INVALID);
}

/* One more of item than max in the list at key. */
static json_t *overfull(const char *yaml_of_rest, const char *parent, const char *key, json_t *item, size_t n)
{
	json_t *object = json_loads(yaml_of_rest, 0, NULL), *list = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append(list, item);
	json_decref(item);
	(void)json_object_set_new(*parent ? json_object_get(object, parent) : object, key, list);
	return object;
}

static void lists_are_limited(void **state)
{
	static const char service[] = "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"web\"},"
				      "\"spec\":{\"clusterIP\":\"10.0.0.1\"}}";
	static const char slice[] = "{\"apiVersion\":\"discovery.k8s.io/v1\",\"kind\":\"EndpointSlice\",\"metadata\":{\"name\":\"w\","
				    "\"labels\":{\"kubernetes.io/service-name\":\"w\"}},\"addressType\":\"IPv4\"}";
	struct {
		json_t *object;
		const char *path;
	} cases[] = {
		{ overfull(service, "spec", "ports", json_pack("{}"), SERVICE_PORTS_MAX + 1), "spec.ports" },
		{ overfull(slice, "", "ports", json_pack("{}"), SLICE_PORTS_MAX + 1), "ports" },
		{ overfull(slice, "", "endpoints", json_pack("{}"), SLICE_ENDPOINTS_MAX + 1), "endpoints" },
	};
	json_t *fits = overfull(slice, "", "endpoints", json_pack("{s:[s]}", "addresses", "10.0.0.1"), SLICE_ENDPOINTS_MAX);
	struct object_error error;
	struct change change;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(kube_object_decode(cases[i].object, &change, &error), OBJECT_INVALID);
		assert_string_equal(error.path, cases[i].path);
		assert_non_null(strstr(error.reason, "more than"));
		json_decref(cases[i].object);
	}
	assert_int_equal(kube_object_decode(fits, &change, &error), OBJECT_OK);
	assert_int_equal(change.slice->n_endpoints, SLICE_ENDPOINTS_MAX);
	change_fini(&change);
	json_decref(fits);
}

static void times(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} good[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "1969-12-31T23:59:59Z", -1 },
		{ "2000-02-29T12:00:00Z", 951825600 },
		{ "2026-01-02T03:04:05Z", 1767323045 },
		{ "2026-01-02T03:04:05.123456789Z", 1767323045 },
		{ "2026-01-02T05:04:05+02:00", 1767323045 },
		{ "2026-01-01T21:34:05-05:30", 1767323045 },
		{ "0000-01-01T00:00:00Z", -62167219200 },
		{ "9999-12-31T23:59:59Z", 253402300799 },
	};
	static const char *const bad[] = { "''", "x", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-13-02T03:04:05Z",
		"2026-00-02T03:04:05Z", "2026-02-29T03:04:05Z", "1900-02-29T00:00:00Z", "2026-01-32T03:04:05Z", "2026-01-00T03:04:05Z",
		"2026-01-02T24:04:05Z", "2026-01-02T03:60:05Z", "2026-01-02T03:04:60Z", "2026-01-02T03:04:05.Z",
		"2026-01-02T03:04:05z", "2026-01-02T03:04:05+0200", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05Zx",
		"-026-01-02T03:04:05Z", "2026-1-002T03:04:05Z" };
	char yaml[256];
	struct outcome o;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		(void)snprintf(yaml, sizeof(yaml), META("name: web, creationTimestamp: '%s'"), good[i].text);
		assert_int_equal(service_of(&o, yaml)->created, good[i].seconds);
		change_fini(&o.change);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		(void)snprintf(yaml, sizeof(yaml), META("name: web, creationTimestamp: \"%s\""), bad[i]);
		decode(yaml, &o);
		if (o.result != OBJECT_INVALID)
			fail_msg("%s was taken", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_service),
		cmocka_unit_test(what_the_api_server_would_fill_in),
		cmocka_unit_test(cluster_addresses),
		cmocka_unit_test(objects_that_are_not_ours),
		cmocka_unit_test(services_without_an_address),
		cmocka_unit_test(bad_objects),
		cmocka_unit_test(bad_services),
		cmocka_unit_test(the_error_says_which_object),
		cmocka_unit_test(a_full_slice),
		cmocka_unit_test(bad_slices),
		cmocka_unit_test(lists_are_limited),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
