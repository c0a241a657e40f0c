/* The options of `run` and `plan`, their checks, and what follows from them. Does nothing with them. */
#include "daemon/config.h"

#include "base/hash.h"
#include "core/types.h"
#include "daemon/journal.h"
#include "daemon/reconcile.h"

#include <ctype.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/un.h>

#define SYNC_PERIOD_MIN_MS 100
#define SYNC_PERIOD_MAX_MS (24 * 3600 * 1000)
#define VERBOSITY_MAX 10
#define MEMBER(m) offsetof(struct config, m)
const struct option_row config_rows[] = {
	{ "manifests", 0, OPTION_TEXT, 0, MEMBER(manifests), "DIR", NULL, NULL,
	  "read Services and EndpointSlices from the YAML and JSON files below DIR, and follow their changes" },
	{ "run-dir", 0, OPTION_TEXT, 0, MEMBER(run_dir), "DIR", "/run/sluice", NULL,
	  "where the journal, the lock and the control socket live" },
	{ "hostname-override", 0, OPTION_TEXT, 0, MEMBER(hostname_override), "NAME", NULL, NULL,
	  "name of this node instead of the host's name" },
	{ "ipvs-scheduler", 0, OPTION_TEXT, 0, MEMBER(sched), "NAME", "rr", NULL, "scheduler of virtual servers whose Service has no annotation sluice/scheduler" },
	{ "ipvs-device", 0, OPTION_TEXT, 0, MEMBER(device), "NAME", "kube-ipvs0", NULL,
	  "dummy device that carries the service addresses" },
	{ "ipvs-exclude-cidrs", 0, OPTION_TEXT, 0, MEMBER(exclude_text), "CIDR,...", NULL, NULL,
	  "virtual servers and addresses that are found in these ranges at a first start are somebody else's" },
	{ "ipvs-sync-period", 0, OPTION_SPAN, CONFIG_RUN, MEMBER(sync_period_ms), "TIME", "30s", NULL,
	  "within this time the whole kernel table and the sysctls are read and compared once" },
	{ "ipvs-strict-arp", 0, OPTION_BOOL, CONFIG_RUN, MEMBER(strict_arp), NULL, NULL, NULL,
	  "answer ARP for service addresses on no device but their own (sysctls arp_ignore=1, arp_announce=2)" },
	{ "drain-protocols", 0, OPTION_TEXT, 0, MEMBER(drain_protocols), "LIST", "tcp", NULL,
	  "backends of these protocols drain: tcp (always), sctp, and udp where there is a limit; others are deleted at once" },
	{ "drain-limit", 0, OPTION_TEXT, 0, MEMBER(drain_limit), "TIME|none", "none", NULL,
	  "a backend that has drained for so long is deleted with the connections that are left; annotation sluice/drain-limit" },
	{ "service-drain-limit", 0, OPTION_TEXT, 0, MEMBER(service_drain_limit), "TIME|none", "60s", NULL,
	  "the same for the backends of a Service or port that is gone; annotation sluice/service-drain-limit" },
	{ "address-linger", 0, OPTION_SPAN, 0, MEMBER(address_linger_ms), "TIME", "10s", NULL,
	  "so long an address that no Service has any more stays and refuses" },
	{ "v", 'v', OPTION_NUMBER, CONFIG_RUN, MEMBER(verbosity), "N", NULL, NULL,
	  "verbosity of the log: 4 and more adds debug lines, 5 and more each check of each drain" },
	{ "output", 'o', OPTION_TEXT, CONFIG_PLAN, MEMBER(output), "FORMAT", "table", "table|json", "table, or json for scripts" },
};

static bool is_word(const char *text, size_t max)
{
	if (!*text || strlen(text) > max)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("-_.", *text))
			return false;
	return true;
}

static const char *or_standard(const char *value, const char *standard)
{
	return value && *value ? value : standard;
}

/* Names of protocols in any case; tcp always drains. */
static int parse_protocols(const char *list, struct drain_settings *ret, struct err *err)
{
	CLEANUP(free_p) char *copy = xstrdup(list);
	char *save = NULL;

	ret->tcp = true;
	for (char *word = strtok_r(copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
		uint8_t proto;

		if (proto_parse(word, &proto) < 0)
			return err_set(err, -EINVAL, "option --drain-protocols: \"%s\" is not one of tcp, sctp, udp", word);
		ret->sctp = ret->sctp || proto == PROTO_SCTP;
		ret->udp = ret->udp || proto == PROTO_UDP;
	}
	return 0;
}

static int parse_limit(const char *option, const char *text, int64_t *ret_ms, struct err *err)
{
	if (limit_parse(text, ret_ms) < 0)
		return err_set(err, -EINVAL, "option --%s: \"%s\" is neither a duration like 30s or 1m30s nor \"none\"", option, text);
	return 0;
}

int config_check(struct config *config, enum config_command command, struct err *err)
{
	struct sockaddr_un address;

	config->manifests = or_standard(config->manifests, NULL);
	config->hostname_override = or_standard(config->hostname_override, NULL);
	config->sched = or_standard(config->sched, "rr");
	config->device = or_standard(config->device, "kube-ipvs0");
	config->run_dir = or_standard(config->run_dir, "/run/sluice");
	if (!sched_valid(config->sched))
		return err_set(err, -EINVAL, "option --ipvs-scheduler: \"%s\" cannot be the name of a scheduler", config->sched);
	if (!is_word(config->device, IFNAMSIZ - 1) || config->device[0] == '.')
		return err_set(err, -EINVAL, "option --ipvs-device: \"%s\" cannot be the name of a device", config->device);
	if (config->exclude_text && cidrs_parse(config->exclude_text, &config->exclude, err) < 0) {
		err_wrap(err, "option --ipvs-exclude-cidrs");
		return -EINVAL;
	}
	if (strlen(config->run_dir) + strlen("/sluice.sock") >= sizeof(address.sun_path))
		return err_set(err, -EINVAL, "option --run-dir: the path is too long for a unix socket");
	if (parse_protocols(config->drain_protocols, &config->drain, err) < 0 ||
	    parse_limit("drain-limit", or_standard(config->drain_limit, "none"), &config->drain.limit_ms, err) < 0 ||
	    parse_limit("service-drain-limit", or_standard(config->service_drain_limit, "60s"), &config->drain.gone_limit_ms, err) < 0)
		return -EINVAL;
	if (command == CONFIG_RUN &&
	    (config->sync_period_ms < SYNC_PERIOD_MIN_MS || config->sync_period_ms > SYNC_PERIOD_MAX_MS))
		return err_set(err, -EINVAL, "option --ipvs-sync-period: must be from 100ms to 24h");
	if (config->verbosity > VERBOSITY_MAX)
		return err_set(err, -EINVAL, "option -v: must be from 0 to %d", VERBOSITY_MAX);
	return 0;
}

void config_fini(struct config *config)
{
	free(config->exclude.list.v);
	config->exclude = (struct cidrs){ 0 };
}

int config_node(const struct config *config, char **ret, struct err *err)
{
	char host[256] = "";
	const char *from = config->hostname_override;
	char *node;
	size_t n;

	if (!from) {
		if (gethostname(host, sizeof(host) - 1) < 0)
			return err_set(err, -errno, "host name: %m");
		from = host;
	}
	from += strspn(from, " \t\r\n");
	n = strlen(from);
	while (n && isspace((unsigned char)from[n - 1]))
		n--;
	if (!n)
		return err_set(err, -EINVAL, "this node has no name: give it one with --hostname-override");
	node = xzalloc(n + 1);
	for (size_t i = 0; i < n; i++)
		node[i] = (char)tolower((unsigned char)from[i]);
	*ret = node;
	return 0;
}

int config_check_device(const struct config *config, const struct journal *journal, struct err *err)
{
	const char *was = journal_device(journal), *now = config->device;

	if (!was || strcmp(was, now) == 0 || !if_nametoindex(was))
		return 0;
	return err_set(err, -EBUSY, "option --ipvs-device: the addresses of an earlier run are on device %s: rename it first (ip link set %s name %s), "
		       "or go on with --ipvs-device %s", was, was, now, was);
}

static struct mono clock_now(void *ctx)
{
	return mono_now();
}

struct reconcile_options config_reconcile(const struct config *config, const char *node)
{
	return (struct reconcile_options){
		.node = node,
		.sched = config->sched,
		.sync_period_ms = config->sync_period_ms,
		.drain = config->drain,
		.address_linger_ms = config->address_linger_ms,
		.seed = hash_bytes(HASH_START, node, strlen(node)),
		.exclude = &config->exclude,
		.verbose = config->verbosity >= 5,
		.clock = clock_now,
	};
}
