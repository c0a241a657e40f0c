/* The sysctls that an exact drain relies on: one table with value, kernel range and reason. */
#pragma once
#include "base/err.h"

struct sysctl_options {
	const char *root; /* "/proc/sys"; tests give another tree */
	bool strict_arp;  /* arp_ignore=1, arp_announce=2 */
	bool read_only;   /* only compare */
	const char *release; /* of the kernel, for the rules by version; NULL: ask it */
};
/* One sysctl that was looked at. */
struct sysctl_note {
	const char *key;  /* "net/ipv4/vs/conntrack"; static */
	char wanted[16], found[32];
	int code;         /* 0: was right already; 1: written; negative errno: could not be read or written */
};

/* Compares each with what is wanted for this kernel and writes those that differ. Calls note for every one that was
 * written or failed (also, with read_only, for each that differs: code -EROFS). Returns 0, or the first failure with
 * a sentence that names key, wanted and found. A value that is right already is never an error, whatever the tree. */
MUST_CHECK int sysctl_apply(const struct sysctl_options *options, void (*note)(void *ctx, const struct sysctl_note *note),
			    void *ctx, struct err *err);
