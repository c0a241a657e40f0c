/* The memory between two processes of one boot: a text file of checked lines, appended ahead of what it announces.
 * Knows nothing of plans or the kernel's state. */
#include "daemon/journal.h"

#include "base/hash.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define JOURNAL_BYTES_MAX (64u << 20)
#define DEVICE "device "

#define KINDS(X)                   \
	X(JOURNAL_VS, "vs")        \
	X(JOURNAL_ADDR, "addr")    \
	X(JOURNAL_DRAIN, "drain")  \
	X(JOURNAL_GONE, "gone")    \
	X(JOURNAL_LINGER, "linger")

struct item_key { /* padding-free by its parts: compared as bytes */
	struct vs_key vs;
	struct rs_key rs;
	uint16_t kind;
};
struct item {
	struct item_key key;
	struct journal_entry entry;
	UT_hash_handle hh;
};

struct journal {
	char *dir;
	int lock_fd, fd;         /* -1: none (peeked) */
	char *identity;          /* boot and network namespace */
	char *device;            /* NULL: not known */
	bool existed, adopting;
	struct item *items;
	size_t file_lines;
	struct text pending;     /* lines not in the file yet */
	size_t pending_lines;
};

static const char *kind_word(enum journal_kind kind)
{
	switch (kind) {
#define X(id, word) \
	case id:    \
		return word;
		KINDS(X)
#undef X
	}
	return "?";
}

static struct item_key item_key(const struct journal_entry *entry)
{
	struct item_key key;

	memset(&key, 0, sizeof(key));
	key.kind = (uint16_t)entry->kind;
	key.vs.ip = entry->vs.ip;
	if (entry->kind != JOURNAL_ADDR && entry->kind != JOURNAL_LINGER)
		key.vs = entry->vs;
	if (entry->kind == JOURNAL_DRAIN)
		key.rs = entry->rs;
	return key;
}

static void remember(struct journal *j, const struct journal_entry *entry)
{
	struct item_key key = item_key(entry);
	struct item *item;

	HASH_FIND(hh, j->items, &key, sizeof(key), item);
	if (!item) {
		item = xzalloc(sizeof(*item));
		item->key = key;
		HASH_ADD(hh, j->items, key, sizeof(item->key), item);
	}
	item->entry = *entry;
}

static bool forget(struct journal *j, const struct journal_entry *entry)
{
	struct item_key key = item_key(entry);
	struct item *item;

	HASH_FIND(hh, j->items, &key, sizeof(key), item);
	if (!item)
		return false;
	HASH_DEL(j->items, item);
	free(item);
	return true;
}

static void forget_all(struct journal *j)
{
	struct item *item, *next;

	HASH_ITER(hh, j->items, item, next) {
		HASH_DEL(j->items, item);
		free(item);
	}
}

/* ---- lines: "TEXT #CHECKSUM" ---- */

static uint32_t checksum(const char *line, size_t n)
{
	uint64_t hash = hash_bytes(HASH_START, line, n);

	return (uint32_t)(hash ^ hash >> 32);
}

static void add_line(struct text *to, const char *line)
{
	text_add(to, "%s #%08" PRIx32 "\n", line, checksum(line, strlen(line)));
}

static char *entry_line(const char *sign, const struct journal_entry *e)
{
	char vs[VS_TEXT], rs[RS_TEXT], ip[IP_TEXT];

	switch (e->kind) {
	case JOURNAL_VS:
		if (!e->policy_known)
			return xfmt("%svs %s %s", sign, vs_format(&e->vs, vs), e->service[0] ? e->service : "-");
		return xfmt("%svs %s %s %d %d %" PRId64 " %" PRId64, sign, vs_format(&e->vs, vs), e->service[0] ? e->service : "-",
			    e->policy.drains, e->policy.ignore_time_wait, e->policy.limit_ms, e->policy.gone_limit_ms);
	case JOURNAL_DRAIN:
		return xfmt("%sdrain %s %s %" PRId64 " %" PRId64 " %" PRIx64, sign, vs_format(&e->vs, vs), rs_format(&e->rs, rs),
			    e->since.ms, e->until.ms, e->uid);
	case JOURNAL_GONE:
		return xfmt("%sgone %s %" PRId64 " %" PRId64, sign, vs_format(&e->vs, vs), e->since.ms, e->until.ms);
	case JOURNAL_ADDR:
	case JOURNAL_LINGER:
		return xfmt("%s%s %s %" PRId64, sign, kind_word(e->kind), ip_format(&e->vs.ip, ip), e->until.ms);
	}
	return xstrdup("");
}

static bool parse_ms(const char *word, struct mono *ret)
{
	char *end;

	errno = 0;
	ret->ms = word ? strtoll(word, &end, 10) : 0;
	return word && *word && !*end && !errno && ret->ms >= -1;
}

/* Two flags and two limits; nothing at all where no policy was known. */
static bool parse_policy(char **save, struct journal_entry *e)
{
	int64_t n[4];

	for (size_t i = 0; i < ARRAY_SIZE(n); i++) {
		struct mono number;
		const char *word = strtok_r(NULL, " ", save);

		if (!word)
			return i == 0;
		if (!parse_ms(word, &number))
			return false;
		n[i] = number.ms;
	}
	e->policy_known = true;
	e->policy = (struct drain_policy){ n[0] > 0, n[1] > 0, n[2], n[3] };
	return true;
}

/* Hexadecimal; nothing at all in lines that earlier versions wrote. */
static bool parse_uid(const char *word, uint64_t *ret)
{
	char *end;

	if (!word)
		return true;
	errno = 0;
	*ret = strtoull(word, &end, 16);
	return *word && !*end && !errno;
}

/* The words behind the kind, in the order of entry_line(). */
static bool parse_words(struct journal_entry *e, char **save)
{
	const char *key = strtok_r(NULL, " ", save), *word;

	if (!key)
		return false;
	if (e->kind == JOURNAL_ADDR || e->kind == JOURNAL_LINGER)
		return ip_parse(key, &e->vs.ip) == 0 && parse_ms(strtok_r(NULL, " ", save), &e->until);
	if (vs_parse(key, &e->vs) < 0)
		return false;
	word = strtok_r(NULL, " ", save);
	if (!word)
		return false;
	if (e->kind == JOURNAL_VS) {
		(void)snprintf(e->service, sizeof(e->service), "%s", strcmp(word, "-") ? word : "");
		return parse_policy(save, e);
	}
	if (e->kind == JOURNAL_DRAIN) {
		if (rs_parse(word, &e->rs) < 0)
			return false;
		word = strtok_r(NULL, " ", save);
	}
	return parse_ms(word, &e->since) && parse_ms(strtok_r(NULL, " ", save), &e->until) &&
	       parse_uid(e->kind == JOURNAL_DRAIN ? strtok_r(NULL, " ", save) : NULL, &e->uid);
}

static bool take_entry(struct journal *j, char *line)
{
	struct journal_entry e = { .since = MONO_NEVER, .until = MONO_NEVER };
	char *save, *word = strtok_r(line, " ", &save);
	bool known = false;

	if (!word || (word[0] != '+' && word[0] != '-'))
		return false;
#define X(id, name)                                   \
	if (strcmp(word + 1, name) == 0) {            \
		e.kind = id;                          \
		known = true;                         \
	}
	KINDS(X)
#undef X
	if (!known || !parse_words(&e, &save))
		return false;
	if (word[0] == '+')
		remember(j, &e);
	else
		(void)forget(j, &e);
	return true;
}

static char *header_line(const struct journal *j)
{
	return xfmt("sluice-journal 1 %s", j->identity);
}

/* Cuts the checksum off; false if it is wrong. */
static bool check_line(char *line)
{
	char *mark = strrchr(line, '#'), *end;

	if (!mark || mark == line || mark[-1] != ' ' || strlen(mark) != 9)
		return false;
	if ((uint32_t)strtoul(mark + 1, &end, 16) != checksum(line, (size_t)(mark - 1 - line)) || *end)
		return false;
	mark[-1] = 0;
	return true;
}

enum load { LOAD_FINE, LOAD_NONE, LOAD_DAMAGED };

/* Takes the text of a journal. A last line without its newline was torn off by a crash: it announced something that was never done. */
static enum load load(struct journal *j, char *text)
{
	CLEANUP(free_p) char *header = header_line(j);
	char *line = text, *newline;

	j->adopting = true;
	for (size_t n = 0; (newline = strchr(line, '\n')); line = newline + 1, n++) {
		*newline = 0;
		if (!check_line(line))
			return LOAD_DAMAGED;
		if (n == 0) {
			if (strcmp(line, header) != 0)
				return LOAD_NONE;
		} else if (strcmp(line, "adopted") == 0) {
			j->adopting = false;
		} else if (strncmp(line, DEVICE, strlen(DEVICE)) == 0) {
			free(j->device);
			j->device = xstrdup(line + strlen(DEVICE));
		} else if (!take_entry(j, line)) {
			return LOAD_DAMAGED;
		}
		j->file_lines++;
	}
	return j->file_lines ? LOAD_FINE : LOAD_DAMAGED; /* it is never empty while it is ours */
}

/* ---- files ---- */

static int read_file(const char *path, char **ret_text, struct err *err)
{
	CLEANUP(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct text text = { 0 };
	char part[65536];
	ssize_t n;

	if (fd < 0)
		return err_set(err, -errno, "open %s: %m", path);
	while ((n = read(fd, part, sizeof(part))) > 0 && text.n < JOURNAL_BYTES_MAX)
		text_add_bytes(&text, part, (size_t)n);
	if (n < 0) {
		text_fini(&text);
		return err_set(err, -errno, "read %s: %m", path);
	}
	if (text.n && memchr(text.s, 0, text.n)) /* binary rubbish: leaves a text that is judged as damaged */
		*text.s = '\n';
	*ret_text = text.s ? text.s : xzalloc(1);
	return 0;
}

static char *identity(void)
{
	CLEANUP(free_p) char *boot = NULL;
	struct stat st = { 0 };

	if (read_file("/proc/sys/kernel/random/boot_id", &boot, NULL) < 0 || !boot)
		boot = xfmt("unknown");
	boot[strcspn(boot, "\n")] = 0;
	(void)stat("/proc/self/ns/net", &st);
	return xfmt("boot=%s netns=%ju", boot, (uintmax_t)st.st_ino);
}

static struct journal *make(const char *run_dir)
{
	struct journal *j = xzalloc(sizeof(*j));

	j->dir = xstrdup(run_dir);
	j->lock_fd = j->fd = -1;
	j->identity = identity();
	j->adopting = true;
	return j;
}

/* Reads what is there. Damage and absence both end as "none". */
static int read_journal(struct journal *j, struct err *ret_warning, struct err *err)
{
	CLEANUP(free_p) char *path = xfmt("%s/journal", j->dir), *text = NULL;
	int rc = read_file(path, &text, err);
	enum load loaded;

	if (rc == -ENOENT)
		return 0;
	loaded = rc < 0 || !text ? LOAD_DAMAGED : load(j, text);
	if (loaded == LOAD_FINE) {
		j->existed = true;
		return 0;
	}
	if (loaded == LOAD_DAMAGED && ret_warning)
		(void)err_set(ret_warning, -EBADMSG, "%s is damaged: going on as on a first start (what is wanted is adopted, "
			      "limits of running drains start anew)", path);
	forget_all(j);
	free(j->device);
	j->device = NULL;
	j->adopting = true;
	j->file_lines = 0;
	return 0;
}

/* A folder in the journal's place is moved aside. */
static int put_in_place(const char *tmp, const char *path)
{
	CLEANUP(free_p) char *aside = xfmt("%s.not-ours", path);

	if (rename(tmp, path) == 0)
		return 0;
	if (errno != EISDIR || rename(path, aside) < 0)
		return -1;
	return rename(tmp, path);
}

/* Writes the whole journal anew beside the old one and puts it in its place. */
static int rewrite(struct journal *j, struct err *err)
{
	CLEANUP(free_p) char *path = xfmt("%s/journal", j->dir), *tmp = xfmt("%s/journal.new", j->dir), *header = header_line(j);
	struct text text = { 0 };
	struct item *item, *next;
	CLEANUP(free_p) char *device = j->device ? xfmt(DEVICE "%s", j->device) : NULL;
	size_t lines = 1 + !j->adopting + !!device;
	ssize_t n;
	int fd;

	add_line(&text, header);
	if (!j->adopting)
		add_line(&text, "adopted");
	if (device)
		add_line(&text, device);
	HASH_ITER(hh, j->items, item, next) {
		CLEANUP(free_p) char *line = entry_line("+", &item->entry);

		add_line(&text, line);
		lines++;
	}
	fd = open(tmp, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	n = fd < 0 ? -1 : write(fd, text.s, text.n);
	if (n >= 0 && (size_t)n < text.n)
		errno = ENOSPC;
	if (fd < 0 || n < (ssize_t)text.n || put_in_place(tmp, path) < 0) {
		int rc = err_set(err, -errno, "journal %s: write: %m", path);

		text_fini(&text);
		close_p(&fd);
		return rc;
	}
	text_fini(&text);
	close_p(&j->fd);
	j->fd = fd;
	j->file_lines = lines;
	text_fini(&j->pending);
	j->pending_lines = 0;
	return 0;
}

static int make_dirs(const char *path, struct err *err)
{
	CLEANUP(free_p) char *part = xstrdup(path);

	for (char *slash = part + 1;; slash++) {
		char c = *slash;

		if (c != '/' && c)
			continue;
		*slash = 0;
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return err_set(err, -errno, "run directory %s: %m", part);
		*slash = c;
		if (!c)
			return 0;
	}
}

static int take_lock(struct journal *j, struct err *err)
{
	CLEANUP(free_p) char *path = xfmt("%s/lock", j->dir);

	j->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (j->lock_fd < 0)
		return err_set(err, -errno, "lock %s: %m", path);
	if (flock(j->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, errno == EWOULDBLOCK ? -EBUSY : -errno, "another sluice is running here (it holds %s)", path);
	return 0;
}

int journal_open(const char *run_dir, struct journal **ret, struct err *ret_warning, struct err *err)
{
	struct journal *j;
	int rc = make_dirs(run_dir, err);

	if (rc < 0)
		return rc;
	ret_warning->text[0] = 0;
	j = make(run_dir);
	if ((rc = take_lock(j, err)) < 0 || (rc = read_journal(j, ret_warning, err)) < 0 || (rc = rewrite(j, err)) < 0) {
		journal_close(j);
		return rc;
	}
	*ret = j;
	return 0;
}

int journal_peek(const char *run_dir, struct journal **ret, struct err *err)
{
	struct journal *j = make(run_dir);
	int rc = read_journal(j, NULL, err);

	if (rc < 0) {
		journal_close(j);
		return rc;
	}
	*ret = j;
	return 0;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	forget_all(j);
	close_p(&j->fd);
	close_p(&j->lock_fd);
	text_fini(&j->pending);
	free(j->identity);
	free(j->device);
	free(j->dir);
	free(j);
}

bool journal_existed(const struct journal *j)
{
	return j->existed;
}

bool journal_adopting(const struct journal *j)
{
	return j->adopting;
}

static void queue(struct journal *j, const char *line)
{
	add_line(&j->pending, line);
	j->pending_lines++;
}

void journal_adopted(struct journal *j)
{
	if (!j->adopting)
		return;
	j->adopting = false;
	queue(j, "adopted");
}

const char *journal_device(const struct journal *j)
{
	return j->device;
}

void journal_set_device(struct journal *j, const char *device)
{
	CLEANUP(free_p) char *line = xfmt(DEVICE "%s", device);

	if (j->device && strcmp(j->device, device) == 0)
		return;
	free(j->device);
	j->device = xstrdup(device);
	queue(j, line);
}

void journal_each(const struct journal *j, void (*each)(void *ctx, const struct journal_entry *entry), void *ctx)
{
	struct item *item, *next;

	HASH_ITER(hh, j->items, item, next)
		each(ctx, &item->entry);
}

void journal_put(struct journal *j, const struct journal_entry *entry)
{
	CLEANUP(free_p) char *line = entry_line("+", entry);

	remember(j, entry);
	queue(j, line);
}

void journal_drop(struct journal *j, const struct journal_entry *entry)
{
	CLEANUP(free_p) char *line = entry_line("-", entry);

	if (forget(j, entry))
		queue(j, line);
}

int journal_write(struct journal *j, struct err *err)
{
	struct stat st;
	ssize_t n;

	if (!j->pending_lines)
		return 0;
	if (fstat(j->fd, &st) == 0 && st.st_nlink == 0) { /* somebody removed it under us */
		int rc = make_dirs(j->dir, err);

		return rc < 0 ? rc : rewrite(j, err);
	}
	if (j->fd < 0 || j->file_lines + j->pending_lines > 2 * (size_t)HASH_COUNT(j->items) + 1000)
		return rewrite(j, err);
	n = write(j->fd, j->pending.s, j->pending.n);
	if (n != (ssize_t)j->pending.n) {
		if (n >= 0)
			errno = ENOSPC;
		/* A part of a line in the middle would damage it: the next try writes the file anew. */
		close_p(&j->fd);
		j->fd = -1;
		return err_set(err, -errno, "journal %s/journal: write: %m", j->dir);
	}
	j->file_lines += j->pending_lines;
	text_fini(&j->pending);
	j->pending_lines = 0;
	return 0;
}
