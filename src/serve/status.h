/* The view as JSON: what the control socket answers and `-o json` prints. The field names are documented in
 * sluice-status(8) and sluice-drains(8) and stay. */
#pragma once
#include "base/text.h"
#include "core/view.h"

struct json_t;

#define STATUS_PATH "/v1/status"
#define DRAINS_PATH "/v1/drains" /* ?holders=N: with the connections that hold each; &service=NAME: of that one only */
#define HOLDERS_KEY "holders"
#define SERVICE_KEY "service"
#define HOLDERS_MAX 1000u
/* How every JSON text of ours is written: keys in our order, 12 digits. */
#define STATUS_DUMP JSON_REAL_PRECISION(12)

/* One JSON object on one line. The virtual servers become text one by one: a tree of ten thousand takes 80 MB. */
void status_text(const struct view *view, struct text *ret);
void drains_text(const struct view *view, struct text *ret);

/* Parts that other JSON texts share. All owned. */
struct json_t *status_word(const char *text);    /* a string; NULL gives ""; bytes that are no UTF-8 become '?' */
struct json_t *status_seconds(int64_t ms);       /* a number; null if ms < 0 */
struct json_t *status_ip(const struct ip *ip);
/* {address, port, protocol, scheduler, persistenceTimeoutSeconds, service, portName} */
struct json_t *status_vs(const struct vs_key *key, const struct vs_attrs *attrs, const char *service, const char *port_name);
/* {address, port, weight} */
struct json_t *status_rs(const struct rs_key *key, int32_t weight);
