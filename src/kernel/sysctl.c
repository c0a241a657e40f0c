/* The sysctls that an exact drain relies on, as one table. Reads and writes files below one root; decides nothing else. */
#include "kernel/sysctl.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define VALUE_MAX 32
#define KERNEL(major, minor) ((major) * 1000u + (minor))
#define ALWAYS 0, 0

enum when { WHEN_ALWAYS, WHEN_STRICT_ARP };

/* In kernels from … below before (0 = all later ones too) key is to be value. */
static const struct row {
	const char *key;
	unsigned from, before;
	const char *value;
	enum when when;
	bool nonzero; /* another value than 0 is as good */
} rows[] = {
	/* The conntrack entry goes with the connection, so a UDP flow moves and a masqueraded one is known. */
	{ "net/ipv4/vs/conntrack", ALWAYS, "1", WHEN_ALWAYS, false },
	/* Connections to a deleted server end at once instead of falling silent; a draining one gets no reused port. */
	{ "net/ipv4/vs/expire_nodest_conn", ALWAYS, "1", WHEN_ALWAYS, false },
	/* Session affinity doesn't hold a client at a server of weight 0. */
	{ "net/ipv4/vs/expire_quiescent_template", ALWAYS, "1", WHEN_ALWAYS, false },
	/* Before 5.9, 1 costs a client that reuses a port a second; from 5.9 on, 0 lets it reach a draining server. */
	{ "net/ipv4/vs/conn_reuse_mode", KERNEL(4, 1), KERNEL(5, 9), "0", WHEN_ALWAYS, false },
	{ "net/ipv4/vs/conn_reuse_mode", KERNEL(5, 9), 0, "1", WHEN_ALWAYS, true },
	/* Replies of the servers are forwarded. */
	{ "net/ipv4/ip_forward", ALWAYS, "1", WHEN_ALWAYS, false },
	/* Service addresses are not announced on the node's networks. */
	{ "net/ipv4/conf/all/arp_ignore", ALWAYS, "1", WHEN_STRICT_ARP, false },
	{ "net/ipv4/conf/all/arp_announce", ALWAYS, "2", WHEN_STRICT_ARP, false },
};

static int read_value(const char *path, char ret[VALUE_MAX])
{
	CLEANUP(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, ret, VALUE_MAX - 1);
	if (n < 0)
		return -errno;
	ret[n] = 0;
	ret[strcspn(ret, " \t\n")] = 0;
	return 0;
}

static int write_value(const char *path, const char *value)
{
	CLEANUP(close_p) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, value, strlen(value)) < 0 ? -errno : 0;
}

static bool right(const struct row *row, const char *found)
{
	return strcmp(found, row->value) == 0 || (row->nonzero && *found && strcmp(found, "0") != 0);
}

/* Some trees take a write without a word and without effect: only what reads back counts. */
static int change(const struct row *row, const char *path)
{
	char found[VALUE_MAX] = "";
	int code = write_value(path, row->value);

	if (!code)
		code = read_value(path, found);
	if (!code && !right(row, found))
		code = -EIO;
	return code ? code : 1;
}

/* One row: the code of its note. */
static int look(const struct row *row, const struct sysctl_options *options, struct sysctl_note *note)
{
	CLEANUP(free_p) char *path = xfmt("%s/%s", options->root, row->key);
	char found[VALUE_MAX] = "";
	int code = read_value(path, found);

	note->key = row->key;
	(void)snprintf(note->wanted, sizeof(note->wanted), "%s", row->value);
	(void)snprintf(note->found, sizeof(note->found), "%s", found);
	if (code)
		return code;
	if (right(row, found))
		return 0;
	return options->read_only ? -EROFS : change(row, path);
}

/* "6.1.0-13-amd64" → KERNEL(6, 1); 0 if it is not understood. */
static unsigned kernel_version(const char *release)
{
	unsigned major, minor;

	return release && sscanf(release, "%3u.%3u", &major, &minor) == 2 ? KERNEL(major, minor) : 0;
}

static bool applies(const struct row *row, const struct sysctl_options *options, unsigned version)
{
	if (row->when == WHEN_STRICT_ARP && !options->strict_arp)
		return false;
	return version >= row->from && (!row->before || version < row->before);
}

static int failure(const struct sysctl_note *note, struct err *err)
{
	if (!*note->found)
		return err_set(err, note->code, "sysctl %s: wanted %s, cannot be read: %s", note->key, note->wanted,
			       strerror(-note->code));
	return err_set(err, note->code, "sysctl %s: wanted %s, found %s, cannot be written: %s", note->key, note->wanted,
		       note->found, strerror(-note->code));
}

int sysctl_apply(const struct sysctl_options *options, void (*note)(void *ctx, const struct sysctl_note *note), void *ctx,
		 struct err *err)
{
	unsigned version = kernel_version(options->release);
	struct utsname name;
	int first = 0;

	if (!options->release && uname(&name) == 0)
		version = kernel_version(name.release);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sysctl_note n = { 0 };

		if (!applies(&rows[i], options, version))
			continue;
		n.code = look(&rows[i], options, &n);
		if (n.code && note)
			note(ctx, &n);
		if (n.code < 0 && !(options->read_only && n.code == -EROFS) && !first)
			first = failure(&n, err);
	}
	return first;
}
