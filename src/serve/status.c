/* Turns a view into JSON. Knows nothing of sockets or tables; decides nothing. */
#include "serve/status.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>

json_t *status_word(const char *text)
{
	json_t *word = json_string(text ? text : "");

	if (!word) {
		CLEANUP(free_p) char *ascii = xstrdup(text);

		for (char *c = ascii; *c; c++)
			if ((unsigned char)*c >= 0x80)
				*c = '?';
		word = json_string(ascii);
	}
	return word;
}

json_t *status_seconds(int64_t ms)
{
	return ms < 0 ? json_null() : json_real((double)ms / 1000);
}

json_t *status_ip(const struct ip *ip)
{
	char text[IP_TEXT];

	return json_string(ip_format(ip, text));
}

/* "TCP", as Kubernetes writes it. */
static json_t *protocol(uint8_t proto)
{
	char text[8] = "";
	const char *name = proto_name(proto);

	for (size_t i = 0; i < sizeof(text) - 1 && name[i]; i++)
		text[i] = (char)toupper((unsigned char)name[i]);
	return json_string(text);
}

json_t *status_vs(const struct vs_key *key, const struct vs_attrs *attrs, const char *service, const char *port_name)
{
	return json_pack("{s:o, s:i, s:o, s:o, s:I, s:o, s:o}", "address", status_ip(&key->ip), "port", (int)key->port,
			 "protocol", protocol(key->proto), "scheduler", status_word(attrs->sched), "persistenceTimeoutSeconds",
			 (json_int_t)(attrs->flags & VS_FLAG_PERSISTENT ? attrs->timeout_s : 0), "service", status_word(service),
			 "portName", status_word(port_name));
}

json_t *status_rs(const struct rs_key *key, int32_t weight)
{
	return json_pack("{s:o, s:i, s:i}", "address", status_ip(&key->ip), "port", (int)key->port, "weight", (int)weight);
}

static json_t *counts(uint32_t active, uint32_t inactive)
{
	return json_pack("{s:I, s:I}", "active", (json_int_t)active, "inactive", (json_int_t)inactive);
}

static json_t *view_vs(const struct view_vs *vs)
{
	json_t *object = status_vs(&vs->key, &vs->attrs, vs->service, vs->port_name);
	json_t *servers = json_array();

	for (size_t i = 0; i < vs->n_rs; i++) {
		const struct view_rs *rs = &vs->rs[i];
		json_t *server = status_rs(&rs->key, rs->weight);

		(void)json_object_set_new(server, "activeConnections", json_integer(rs->active));
		(void)json_object_set_new(server, "inactiveConnections", json_integer(rs->inactive));
		(void)json_object_set_new(server, "draining", json_boolean(rs->draining));
		(void)json_array_append_new(servers, server);
	}
	(void)json_object_set_new(object, "state", status_word(vs->state));
	(void)json_object_set_new(object, "realServers", servers);
	return object;
}

/* {"established": 3}: only states that occur. */
static json_t *states(const struct view_drain *drain)
{
	json_t *object = json_object();

	for (int state = 0; state < FLOW_STATES; state++)
		if (drain->by_state[state])
			(void)json_object_set_new(object, flow_state_word((enum flow_state)state), json_integer(drain->by_state[state]));
	return object;
}

static json_t *holders(const struct view_drain *drain)
{
	json_t *list = json_array();

	for (size_t i = 0; i < drain->n_holders; i++) {
		const struct flow *flow = &drain->holders[i];

		(void)json_array_append_new(list, json_pack("{s:o, s:i, s:s, s:o}", "client", status_ip(&flow->client), "port", (int)flow->port,
							    "state", flow_state_word((enum flow_state)flow->state), "forgottenInSeconds",
							    flow->left_s ? json_integer(flow->left_s) : json_null()));
	}
	return list;
}

static json_t *view_drain(const struct view_drain *drain)
{
	char vs[VS_TEXT], rs[RS_TEXT];
	json_t *object;

	object = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "virtualServer", vs_format(&drain->vs, vs),
			 "realServer", rs_format(&drain->rs, rs), "service", status_word(drain->service), "ageSeconds",
			 status_seconds(drain->age_ms), "start", counts(drain->active_start, drain->inactive_start), "now",
			 counts(drain->active, drain->inactive), "limitSecondsLeft", status_seconds(drain->limit_left_ms),
			 "checkEverySeconds", status_seconds(drain->period_ms), "verdict", status_word(drain->verdict));
	if (drain->asked) {
		(void)json_object_set_new(object, "states", states(drain));
		(void)json_object_set_new(object, "holders", holders(drain));
	}
	return object;
}

static json_t *view_outcome(const struct view_outcome *outcome)
{
	char vs[VS_TEXT], rs[RS_TEXT];

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:I}", "virtualServer", vs_format(&outcome->vs, vs), "realServer",
			 rs_format(&outcome->rs, rs), "service", status_word(outcome->service), "outcome",
			 status_word(outcome->outcome), "endedSecondsAgo", status_seconds(outcome->ago_ms), "tookSeconds",
			 status_seconds(outcome->took_ms), "connectionsCut", (json_int_t)outcome->cut);
}

static json_t *view_drains(const struct view *view)
{
	json_t *drains = json_array();

	for (size_t i = 0; i < view->n_drains; i++)
		(void)json_array_append_new(drains, view_drain(&view->drains[i]));
	return drains;
}

static json_t *view_problems(const struct view *view)
{
	json_t *problems = json_array();

	for (size_t i = 0; i < view->n_problems; i++)
		(void)json_array_append_new(problems, json_pack("{s:o, s:o}", "object", status_word(view->problems[i].object),
								"text", status_word(view->problems[i].text)));
	return problems;
}

static json_t *view_addresses(const struct view *view)
{
	json_t *addresses = json_array();

	for (size_t i = 0; i < view->n_addresses; i++) {
		const struct view_address *address = &view->addresses[i];

		(void)json_array_append_new(addresses, json_pack("{s:o, s:b, s:b, s:o}", "address", status_ip(&address->ip),
								 "bound", (int)address->bound, "guarded", (int)address->guarded,
								 "lingerSecondsLeft", status_seconds(address->linger_left_ms)));
	}
	return addresses;
}

/* Takes json. */
static void add_json(json_t *json, struct text *ret)
{
	char *text = json_dumps(json, STATUS_DUMP | JSON_COMPACT);

	if (!text)
		abort(); /* every part was made here, of valid strings */
	text_add_bytes(ret, text, strlen(text));
	free(text);
	json_decref(json);
}

/* All members of one object, as they stand inside its braces. Takes object. */
static void add_members(json_t *object, struct text *ret)
{
	char *text = json_dumps(object, STATUS_DUMP | JSON_COMPACT);

	if (!text)
		abort();
	text_add_bytes(ret, text + 1, strlen(text) - 2);
	free(text);
	json_decref(object);
}

void status_text(const struct view *view, struct text *ret)
{
	text_add(ret, "{");
	add_members(json_pack("{s:s, s:b, s:b, s:o}", "version", SLUICE_VERSION, "synced", (int)view->synced, "partial",
			      (int)view->partial, "auditAgeSeconds", status_seconds(view->audit_age_ms)),
		    ret);
	text_add(ret, ",\"virtualServers\":[");
	for (size_t i = 0; i < view->n_vss; i++) {
		if (i)
			text_add(ret, ",");
		add_json(view_vs(&view->vss[i]), ret);
	}
	text_add(ret, "],");
	add_members(json_pack("{s:o, s:o, s:o, s:{s:I, s:I, s:I, s:I}}", "drains", view_drains(view), "problems", view_problems(view),
			      "addresses", view_addresses(view), "counters", "passes", (json_int_t)view->passes, "operations",
			      (json_int_t)view->ops, "operationFailures", (json_int_t)view->op_failures, "driftRepairs",
			      (json_int_t)view->drift_repairs),
		    ret);
	text_add(ret, "}");
}

static json_t *outcome_counts(const struct view *view)
{
	json_t *object = json_object();

	for (int i = 0; i < OUTCOMES; i++)
		(void)json_object_set_new(object, drain_outcome_word((enum drain_outcome)i), json_integer((json_int_t)view->outcome_counts[i]));
	return object;
}

void drains_text(const struct view *view, struct text *ret)
{
	json_t *outcomes = json_array();

	for (size_t i = 0; i < view->n_outcomes; i++)
		(void)json_array_append_new(outcomes, view_outcome(&view->outcomes[i]));
	add_json(json_pack("{s:s, s:o, s:o, s:o}", "version", SLUICE_VERSION, "drains", view_drains(view), "outcomes", outcomes, "outcomeCounts",
			   outcome_counts(view)),
		 ret);
}
