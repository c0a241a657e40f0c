/* What the user asked of `run` and `plan`: options → values, checked. */
#pragma once
#include "base/cidr.h"
#include "core/policy.h"
#include "daemon/option.h"

struct journal;
struct reconcile_options;

/* Texts are borrowed from the command line. Behind config_check(): config_fini(). */
struct config {
	const char *manifests;         /* directory; NULL: no such source */
	const char *run_dir;           /* "/run/sluice" */
	const char *hostname_override; /* NULL or "": the host's name */
	const char *sched;             /* "rr" */
	const char *device;            /* "kube-ipvs0" */
	const char *exclude_text;      /* "10.0.0.0/8,…" */
	struct cidrs exclude;          /* the same; set by config_check() */
	const char *drain_protocols;   /* "tcp,sctp" */
	const char *drain_limit, *service_drain_limit; /* "1m", "none" */
	struct drain_settings drain;   /* the same; set by config_check() */
	int64_t address_linger_ms;
	int64_t sync_period_ms;
	bool strict_arp;
	int verbosity;
	const char *output;            /* of plan: "table" or "json" */
};

/* Bits for option_row.only. */
enum config_command { CONFIG_RUN = 1, CONFIG_PLAN = 2 };
#define CONFIG_ROWS 14
extern const struct option_row config_rows[CONFIG_ROWS];

/* What no row can say by itself. Empty texts become what they stand for. -EINVAL: err names the option. */
MUST_CHECK int config_check(struct config *config, enum config_command command, struct err *err);

void config_fini(struct config *config); /* zeroed is fine */
static inline void config_fini_p(struct config **config) { config_fini(*config); } /* for CLEANUP() */

/* This node's name: the override or the host's name, trimmed, lower case. owned: free(*ret). */
MUST_CHECK int config_node(const struct config *config, char **ret, struct err *err);

/* Addresses of an earlier run stay on its device: another one than the journal (from journal_open() or journal_peek()) names is refused
 * while that one is there. Left where they are they would be local and unguarded one day. */
MUST_CHECK int config_check_device(const struct config *config, const struct journal *journal, struct err *err);

/* The options of the pass; borrows config and node. */
struct reconcile_options config_reconcile(const struct config *config, const char *node);
