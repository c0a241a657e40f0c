/* Annotations sluice/… of a Service. A wrong one is no reason not to serve: it warns, and the node's value holds. */
#include "decode/kube_parts.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "sluice/"

/* The first one has the path; what else is wrong is appended to its reason. */
static void wrong(const struct field *f, struct object_error *warning, const char *what)
{
	size_t n = strlen(warning->reason);
	char shown[FIELD_SHOW];

	if (n == 0)
		(void)field_bad(f, warning, "%s, is %s: the node's value holds", what, field_show(f->json, shown));
	else
		(void)snprintf(warning->reason + n, sizeof(warning->reason) - n, "; %.60s %s", f->key, what);
}

/* What each annotation does with its text; false: it is wrong. */
static bool take_scheduler(const char *text, struct service *service)
{
	if (!sched_valid(text))
		return false;
	service->sched = arena_strdup(service->arena, text);
	return true;
}

static bool take_limit(const char *text, struct service *service)
{
	return limit_parse(text, &service->drain.limit_ms) == 0;
}

static bool take_gone_limit(const char *text, struct service *service)
{
	return limit_parse(text, &service->drain.gone_limit_ms) == 0;
}

static bool take_until(const char *text, struct service *service)
{
	service->drain.ignore_time_wait = strcmp(text, "ignore-time-wait") == 0;
	return service->drain.ignore_time_wait || strcmp(text, "empty") == 0;
}

#define A_LIMIT "must be a duration like 30s or 1m30s, or none"
static const struct {
	const char *key;
	bool (*take)(const char *text, struct service *service);
	const char *must;
} known[] = {
	{ PREFIX "scheduler", take_scheduler, "must be the name of a scheduler" },
	{ PREFIX "drain-limit", take_limit, A_LIMIT },
	{ PREFIX "service-drain-limit", take_gone_limit, A_LIMIT },
	{ PREFIX "drain-until", take_until, "must be empty or ignore-time-wait" },
};

static void take(const struct field *f, struct service *service, struct object_error *warning)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].key, f->key) != 0)
			continue;
		if (!json_is_string(f->json) || !known[i].take(json_string_value(f->json), service))
			wrong(f, warning, known[i].must);
		return;
	}
	wrong(f, warning, "is no annotation that sluice knows");
}

void kube_annotations(const struct field *annotations, struct service *service, struct object_error *warning)
{
	void *at = json_object_iter((json_t *)annotations->json); /* NULL gives NULL */

	for (; at; at = json_object_iter_next((json_t *)annotations->json, at)) {
		struct field f = field_key(annotations, json_object_iter_key(at));

		if (strncmp(f.key, PREFIX, strlen(PREFIX)) == 0)
			take(&f, service, warning);
	}
}
