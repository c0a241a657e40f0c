/* Words of a scenario → values. */
#include "scenario/play.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *word;
	int code;
} codes[] = {
	{ "EEXIST", EEXIST }, { "ENOENT", ENOENT }, { "ESRCH", ESRCH },   { "ENOMEM", ENOMEM }, { "EBUSY", EBUSY },
	{ "EINVAL", EINVAL }, { "EPERM", EPERM },   { "ERANGE", ERANGE }, { "ENODEV", ENODEV }, { "ETIMEDOUT", ETIMEDOUT },
	{ "EADDRNOTAVAIL", EADDRNOTAVAIL },
};

size_t words_split(char *text, char **words)
{
	char *save, *word = strtok_r(text, " \t", &save);
	size_t n = 0;

	for (; word && n < WORDS_MAX; word = strtok_r(NULL, " \t", &save))
		words[n++] = word;
	return n;
}

bool word_vs(struct play *p, const char *word, struct vs_key *ret)
{
	return word && vs_parse(word, ret) == 0 ? true : play_fail(p, "'%s' is no virtual server", word ? word : "");
}

bool word_rs(struct play *p, const char *word, struct rs_key *ret)
{
	return word && rs_parse(word, ret) == 0 ? true : play_fail(p, "'%s' is no real server", word ? word : "");
}

bool word_ip(struct play *p, const char *word, struct ip *ret)
{
	return word && ip_parse(word, ret) == 0 ? true : play_fail(p, "'%s' is no address", word ? word : "");
}

bool word_number(struct play *p, const char *word, int64_t *ret)
{
	char *end;

	if (!word || !*word)
		return play_fail(p, "a number is missing");
	*ret = strtoll(word, &end, 10);
	return *end ? play_fail(p, "'%s' is no number", word) : true;
}

bool word_span(struct play *p, const char *word, int64_t *ret_ms)
{
	if (word && *word == '+')
		word++;
	return word && span_parse(word, ret_ms) == 0 ? true : play_fail(p, "'%s' is no span of time", word ? word : "");
}

bool word_code(struct play *p, const char *word, int *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (!word_is(word, codes[i].word))
			continue;
		*ret = -codes[i].code;
		return true;
	}
	return play_fail(p, "'%s' is no error", word ? word : "");
}

const char *code_word(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == -code)
			return codes[i].word;
	return "?";
}

bool word_kind(const char *word, enum op_kind *ret)
{
#define X(id, order, name)           \
	if (word_is(word, name)) {   \
		*ret = id;           \
		return true;         \
	}
	OP_KINDS(X)
#undef X
	return false;
}

bool word_is(const char *word, const char *is)
{
	return word && strcmp(word, is) == 0;
}

size_t word_find(char **words, size_t n, const char *is)
{
	size_t i = 0;

	while (i < n && strcmp(words[i], is))
		i++;
	return i;
}
