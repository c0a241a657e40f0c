/* One scenario being played: its text, line by line, against a world. */
#pragma once
#include "scenario/world.h"

#define WORDS_MAX 64

struct script_line {
	char *text;
	int number;
};
struct script {
	char *path;
	VEC(struct script_line) lines; /* without comments and empty ones */
	char *no_fault;                /* why it is not played with faults; NULL: it is */
};
MUST_CHECK int script_read(const char *path, struct script *ret, struct err *err);
void script_fini(struct script *script);

/* One more thing to go wrong than the text says. */
struct play_fault {
	bool on;
	enum fake_fault fault;
	size_t n; /* operation, counted from the beginning */
	int code;
	bool intruder; /* nothing fails: a client connects to every served key just before operation n */
};

/* A statement that waits for an operation ("at rs-zero connect …"). */
struct play_trap {
	enum op_kind kind; /* 0: a read */
	char *statement;
};

struct play {
	struct world w;
	const struct script *script;
	struct play_fault fault;
	bool faulted;               /* the world is not as the text thinks: nothing is expected, actions wait for their ground */
	bool impatient;             /* actions that have no ground are left out at once */
	VEC(char *) allowed;        /* cuts that the text expects */
	VEC(struct play_trap) traps;
	bool trapped;               /* inside one: no time may pass */
	VEC(char *) foreign;        /* virtual servers of others: their real servers are not ours to judge */
	bool settling;              /* the text is over */
	bool was_time;              /* the statement before let time pass: "these operations" go on */
	size_t ops;                 /* applied so far, all processes together */
	size_t intruders;
	struct text failure;        /* empty: all is well */
	const struct script_line *line;
};

/* Plays it whole. True: well. ret_end (may be NULL; owned): the kernel after all came to rest; ret_ops (may be NULL). */
bool play(struct play *p, const struct script *script, const struct play_fault *fault, const char *tmp_dir, char **ret_end,
	  size_t *ret_ops);
void play_fini(struct play *p);

bool play_fail(struct play *p, const char *fmt, ...) PRINTF(2, 3); /* false */
bool play_statement(struct play *p, const char *text);
bool play_expect(struct play *p, char **words, size_t n); /* expect.c */
bool play_check_end(struct play *p);                      /* check.c: what holds after every scenario */
bool play_check_wrongs(struct play *p);

/* words.c: words of the text → values; false: failure is set. */
size_t words_split(char *text, char **words);
bool word_vs(struct play *p, const char *word, struct vs_key *ret);
bool word_rs(struct play *p, const char *word, struct rs_key *ret);
bool word_ip(struct play *p, const char *word, struct ip *ret);
bool word_number(struct play *p, const char *word, int64_t *ret);
bool word_span(struct play *p, const char *word, int64_t *ret_ms);
bool word_code(struct play *p, const char *word, int *ret);
bool word_kind(const char *word, enum op_kind *ret);
const char *code_word(int code);
bool word_is(const char *word, const char *is); /* NULL is nothing */
/* Index of the word, or n. */
size_t word_find(char **words, size_t n, const char *is);
