/* What must outlive the process but not the boot: which kernel objects are ours, and the deadlines that run.
 * A file of lines in the run directory, appended ahead of the kernel call that creates something. */
#pragma once
#include "base/err.h"
#include "base/mono.h"
#include "core/policy.h"

struct journal;

/* One remembered object. */
enum journal_kind { JOURNAL_VS, JOURNAL_ADDR, JOURNAL_DRAIN, JOURNAL_GONE, JOURNAL_LINGER };
struct journal_entry {
	enum journal_kind kind;
	struct vs_key vs;      /* JOURNAL_ADDR and _LINGER: vs.ip alone */
	struct rs_key rs;      /* JOURNAL_DRAIN */
	struct mono since;     /* JOURNAL_DRAIN: when its weight became 0; JOURNAL_GONE: when its Service went */
	struct mono until;     /* the deadline; MONO_NEVER = none */
	uint64_t uid;          /* JOURNAL_DRAIN: which pod it is; 0 = not known */
	char service[320];     /* JOURNAL_VS: "namespace/name" that wanted it; "" = not known */
	bool policy_known;     /* JOURNAL_VS: policy is what was wanted last */
	struct drain_policy policy;
};

/* Takes the lock and opens or creates run_dir/journal for this boot and network namespace. Another instance holds the lock: -EBUSY. A missing journal,
 * one of another boot or namespace, or a damaged one counts as none: journal_existed() is false, and if it was damaged ret_warning has a
 * sentence (else ""). owned: journal_close(). */
MUST_CHECK int journal_open(const char *run_dir, struct journal **ret, struct err *ret_warning, struct err *err);
/* For `plan`: reads it without lock or change. run_dir may be missing: none. */
MUST_CHECK int journal_peek(const char *run_dir, struct journal **ret, struct err *err);
void journal_close(struct journal *journal); /* NULL is fine; keeps the file */

bool journal_existed(const struct journal *journal); /* there was one of this boot and namespace */
bool journal_adopting(const struct journal *journal); /* first complete lists not seen yet since there was none */
void journal_adopted(struct journal *journal);       /* from now on only what is named is ours */

/* The device that its addresses are on, since journal_set_device(); NULL: not known. Borrowed until then. */
const char *journal_device(const struct journal *journal);
void journal_set_device(struct journal *journal, const char *device);

/* Every entry as it is now. */
void journal_each(const struct journal *journal, void (*each)(void *ctx, const struct journal_entry *entry), void *ctx);
/* Remember (replaces one of the same kind and key), forget. In memory until journal_write(). */
void journal_put(struct journal *journal, const struct journal_entry *entry);
void journal_drop(struct journal *journal, const struct journal_entry *entry); /* kind and keys count */
/* Appends what is new to the file; rewrites it when it has grown far over what it holds. Nothing new: does nothing. On
 * an error the entries stay queued for the next call. */
MUST_CHECK int journal_write(struct journal *journal, struct err *err);
