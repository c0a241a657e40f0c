/* Netlink transport: what an answer is worth, with the test in the kernel's place. */
#include "kernel/netlink.h"

#include "test/unit/unit.h"

#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#define ROW_TYPE 0x20

/* What the kernel will say, datagram by datagram, to the request that comes next. seq 0 stands for "the request's". */
struct reply {
	struct nl_batch batch;
	uint32_t sender;
	bool cut;
	int error;     /* instead of a datagram: what recv returns */
	size_t chop;   /* bytes missing at the end */
};
struct script {
	struct reply reply[64];
	size_t n, next;
	size_t asks;       /* requests seen */
	size_t gate[16];   /* replies that may be given after the n-th request */
	uint32_t seq, first_seq;
	int send_error;
	size_t messages[16];
	uint16_t flags[1024];
	size_t n_flags;
};

static ssize_t script_send(void *ctx, const void *p, size_t n)
{
	struct script *s = ctx;
	const struct nlmsghdr *nlh = p;
	int left = (int)n;

	if (s->send_error)
		return s->send_error;
	s->first_seq = nlh->nlmsg_seq;
	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		s->seq = nlh->nlmsg_seq;
		s->messages[s->asks]++;
		s->flags[s->n_flags++] = nlh->nlmsg_flags;
	}
	assert_int_equal(left, 0);
	s->asks++;
	return (ssize_t)n;
}

static ssize_t script_recv(void *ctx, void *p, size_t n, bool wait, struct nl_from *ret_from)
{
	struct script *s = ctx;
	struct reply *r = &s->reply[s->next];
	struct nlmsghdr *nlh = (struct nlmsghdr *)r->batch.p;
	int left = (int)r->batch.n;

	assert_true(s->asks > 0);
	if (s->next >= s->n || (s->gate[s->asks - 1] && s->next >= s->gate[s->asks - 1]))
		return -EAGAIN;
	s->next++;
	if (r->error)
		return r->error;
	/* small numbers count from the request's first message: 1 is it itself */
	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		if (nlh->nlmsg_seq < 1000)
			nlh->nlmsg_seq = nlh->nlmsg_seq ? s->first_seq + nlh->nlmsg_seq - 1 : s->seq;
	assert_true(r->batch.n - r->chop <= n);
	if (r->batch.n)
		memcpy(p, r->batch.p, r->batch.n - r->chop);
	*ret_from = (struct nl_from){ .port = r->sender, .cut = r->cut };
	return (ssize_t)(r->batch.n - r->chop);
}

static struct reply *say(struct script *s)
{
	assert_true(s->n < ARRAY_SIZE(s->reply));
	return &s->reply[s->n++];
}

static struct nlmsghdr *add(struct reply *r, uint16_t type, uint32_t seq, const void *p, size_t n)
{
	struct nlmsghdr *nlh = nl_batch_put(&r->batch, type, 0, p, n, 0);

	nlh->nlmsg_flags = 0;
	nlh->nlmsg_seq = seq;
	nl_batch_end(&r->batch, nlh);
	return nlh;
}

static struct nlmsghdr *add_row(struct reply *r, uint32_t value)
{
	return add(r, ROW_TYPE, 0, &value, sizeof(value));
}

static struct nlmsghdr *add_done(struct reply *r, int code)
{
	return add(r, NLMSG_DONE, 0, &code, sizeof(code));
}

static struct nlmsghdr *add_error(struct reply *r, uint32_t seq, int code)
{
	struct nlmsgerr e = { .error = code };

	return add(r, NLMSG_ERROR, seq, &e, sizeof(e));
}

/* A socket with a script, and what a read gave. */
struct world {
	struct script script;
	struct nl_sock nl;
	uint32_t rows[64];
	size_t n_rows, restarts;
	int row_code;
	struct err err;
};

static int row(void *ctx, const struct nlmsghdr *nlh)
{
	struct world *w = ctx;

	assert_int_equal(nlh->nlmsg_type, ROW_TYPE);
	memcpy(&w->rows[w->n_rows++], mnl_nlmsg_get_payload(nlh), sizeof(uint32_t));
	return w->row_code;
}

static void row_restart(void *ctx)
{
	struct world *w = ctx;

	w->n_rows = 0;
	w->restarts++;
}

static int setup(void **state)
{
	struct world *w = xzalloc(sizeof(*w));
	const struct nl_io io = { script_send, script_recv, &w->script };

	nl_open_io(&w->nl, &io);
	w->nl.seq = 5000;
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(w->script.reply); i++)
		nl_batch_fini(&w->script.reply[i].batch);
	nl_close(&w->nl);
	free(w);
	return 0;
}

static int read_rows(struct world *w)
{
	CLEANUP(nl_batch_fini) struct nl_batch ask = { 0 };
	const struct nl_reader reader = { row, row_restart, w };

	nl_batch_end(&ask, nl_batch_put(&ask, ROW_TYPE, NLM_F_DUMP, NULL, 0, 0));
	return nl_read(&w->nl, &ask, &reader, &w->err);
}

static void apply(struct world *w, size_t n, size_t per_send, int *codes)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };

	for (size_t i = 0; i < n; i++)
		nl_batch_end(&batch, nl_batch_put(&batch, ROW_TYPE, 0, NULL, 0, 0));
	nl_apply(&w->nl, &batch, per_send, codes);
}

static int transaction(struct world *w, size_t n)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };

	nl_batch_end(&batch, nl_batch_put(&batch, NFNL_MSG_BATCH_BEGIN, 0, NULL, 0, 0));
	for (size_t i = 0; i < n; i++)
		nl_batch_end(&batch, nl_batch_put(&batch, ROW_TYPE, 0, NULL, 0, 0));
	nl_batch_end(&batch, nl_batch_put(&batch, NFNL_MSG_BATCH_END, 0, NULL, 0, 0));
	return nl_transaction(&w->nl, &batch, &w->err);
}

static void assert_rows(const struct world *w, size_t n)
{
	assert_int_equal(w->n_rows, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(w->rows[i], i + 1);
}

static void dump_of_two_parts(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);

	add_row(r, 1);
	add_row(r, 2);
	add_row(say(&w->script), 3);
	add_done(say(&w->script), 0);
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 3);
	assert_int_equal(w->script.asks, 1);
}

static void single_object_ends_with_acknowledgement(void **state)
{
	struct world *w = *state;

	add_row(say(&w->script), 1);
	add_error(say(&w->script), 0, 0);
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 1);
}

static void answers_to_others_are_passed_over(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);
	int zero = 0;

	add(r, NLMSG_DONE, 4999, &zero, sizeof(zero)); /* of a request that was given up */
	add(r, ROW_TYPE, 4999, &zero, sizeof(zero));
	r = say(&w->script); /* some process pretends */
	r->sender = 4711;
	add_done(r, -EPERM);
	r = say(&w->script);
	add_row(r, 1);
	add_done(r, 0);
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 1);
}

static void interrupted_dump_is_asked_again(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);

	add_row(r, 7)->nlmsg_flags |= NLM_F_DUMP_INTR;
	add_done(r, 0);
	r = say(&w->script);
	add_row(r, 1);
	add_done(r, 0);
	w->script.gate[0] = 1;
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 1);
	assert_int_equal(w->script.asks, 2);
}

static void mark_in_the_end_counts_too(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);

	add_row(r, 7);
	add_done(r, 0)->nlmsg_flags |= NLM_F_DUMP_INTR;
	r = say(&w->script);
	add_done(r, 0);
	w->script.gate[0] = 1;
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 0);
}

static void disturbed_for_ever_is_again(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < NL_TRIES; i++) {
		struct reply *r = say(&w->script);

		add_row(r, 7)->nlmsg_flags |= NLM_F_DUMP_INTR;
		add_done(r, 0);
		w->script.gate[i] = w->script.n;
	}
	assert_int_equal(read_rows(w), -EAGAIN);
	assert_rows(w, 0); /* nothing half read is left */
	assert_int_equal(w->script.asks, NL_TRIES);
	assert_non_null(strstr(w->err.text, "disturbed"));
}

static void cut_datagram_is_asked_again(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);

	add_row(r, 7);
	r->cut = true;
	add_done(say(&w->script), 0);
	w->script.gate[0] = 2;
	r = say(&w->script);
	add_row(r, 1);
	add_done(r, 0);
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 1);
}

static void cut_message_is_asked_again(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);

	add_row(r, 7);
	add_row(r, 8);
	r->chop = 2;
	add_done(say(&w->script), 0);
	w->script.gate[0] = 2;
	r = say(&w->script);
	add_row(r, 1);
	add_done(r, 0);
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 1);
}

static void overrun_is_asked_again_without_waiting_for_its_end(void **state)
{
	struct world *w = *state;
	struct reply *r;

	add_row(say(&w->script), 7);
	say(&w->script)->error = -ENOBUFS; /* and the end is lost */
	w->script.gate[0] = 2;
	r = say(&w->script);
	add_row(r, 1);
	add_done(r, 0);
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 1);
}

static void signal_is_no_end(void **state)
{
	struct world *w = *state;
	struct reply *r;

	say(&w->script)->error = -EINTR;
	r = say(&w->script);
	add_row(r, 1);
	say(&w->script)->error = -EINTR;
	add_done(say(&w->script), 0);
	assert_int_equal(read_rows(w), 0);
	assert_rows(w, 1);
	assert_int_equal(w->script.asks, 1);
}

static void error_in_the_end(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);

	add_row(r, 1);
	add_done(r, -ENOMEM);
	assert_int_equal(read_rows(w), -ENOMEM);
	assert_non_null(strstr(w->err.text, "Cannot allocate memory"));
}

static void error_with_the_kernels_words(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);
	struct nlmsgerr e = { .error = -EINVAL };
	struct nlmsghdr *nlh = nl_batch_put(&r->batch, NLMSG_ERROR, 0, &e, sizeof(e), 64);

	mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, "Bad weather");
	nlh->nlmsg_flags = NLM_F_ACK_TLVS;
	nlh->nlmsg_seq = 0;
	nl_batch_end(&r->batch, nlh);
	assert_int_equal(read_rows(w), -EINVAL);
	assert_non_null(strstr(w->err.text, "Bad weather"));
}

static void no_answer(void **state)
{
	struct world *w = *state;

	assert_int_equal(read_rows(w), -ETIMEDOUT);
	assert_int_equal(w->script.asks, 1);
	assert_string_equal(w->err.text, "the kernel does not answer");
}

static void no_end(void **state)
{
	struct world *w = *state;

	add_row(say(&w->script), 1);
	assert_int_equal(read_rows(w), -ETIMEDOUT);
}

static void not_sent(void **state)
{
	struct world *w = *state;

	w->script.send_error = -ENOBUFS;
	assert_int_equal(read_rows(w), -ETIMEDOUT);
}

static void row_not_understood_ends_in_order(void **state)
{
	struct world *w = *state;

	add_row(say(&w->script), 1);
	add_row(say(&w->script), 2); /* is not given to the reader any more, but read */
	add_done(say(&w->script), 0);
	w->row_code = -EBADMSG;
	assert_int_equal(read_rows(w), -EBADMSG);
	assert_int_equal(w->n_rows, 1);
	assert_int_equal(w->script.next, 3);
}

static void busy_socket_is_asked_again(void **state)
{
	struct world *w = *state;

	add_error(say(&w->script), 0, -EBUSY); /* a dump that timed out still runs */
	w->script.gate[0] = 1;
	add_done(say(&w->script), 0);
	assert_int_equal(read_rows(w), 0);
	assert_int_equal(w->script.asks, 2);
}

static void silence_of_the_others_is_success(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);
	int codes[5];

	add_error(r, 2, -EEXIST);
	add_error(r, 4, -ESRCH);
	add_error(say(&w->script), 5, 0);
	apply(w, 5, 100, codes);
	assert_int_equal(codes[0], 0);
	assert_int_equal(codes[1], -EEXIST);
	assert_int_equal(codes[2], 0);
	assert_int_equal(codes[3], -ESRCH);
	assert_int_equal(codes[4], 0);
	assert_int_equal(w->script.asks, 1);
	for (int i = 0; i < 4; i++)
		assert_false(w->script.flags[i] & NLM_F_ACK);
	assert_true(w->script.flags[4] & NLM_F_ACK);
}

static void failure_of_the_last_ends_it_too(void **state)
{
	struct world *w = *state;
	int codes[2];

	add_error(say(&w->script), 2, -ENOENT);
	apply(w, 2, 100, codes);
	assert_int_equal(codes[0], 0);
	assert_int_equal(codes[1], -ENOENT);
}

static void without_the_last_answer_nobody_knows(void **state)
{
	struct world *w = *state;
	int codes[3];

	add_error(say(&w->script), 2, -EEXIST);
	apply(w, 3, 100, codes);
	assert_int_equal(codes[0], -ETIMEDOUT);
	assert_int_equal(codes[1], -EEXIST);
	assert_int_equal(codes[2], -ETIMEDOUT);
}

static void after_an_overrun_only_what_was_answered_is_known(void **state)
{
	struct world *w = *state;
	int codes[3];

	add_error(say(&w->script), 1, -EEXIST);
	say(&w->script)->error = -ENOBUFS;
	add_error(say(&w->script), 3, 0);
	apply(w, 3, 100, codes);
	assert_int_equal(codes[0], -EEXIST);
	assert_int_equal(codes[1], -ETIMEDOUT); /* its error may be what was lost */
	assert_int_equal(codes[2], 0);
}

static void late_and_foreign_results_are_nobodys(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);
	struct nlmsgerr e = { .error = -EPERM };
	int codes[2];

	add(r, NLMSG_ERROR, 4990, &e, sizeof(e)); /* of an earlier batch */
	r = say(&w->script);
	r->sender = 99;
	add_error(r, 1, -EPERM);
	add_error(say(&w->script), 2, 0);
	apply(w, 2, 100, codes);
	assert_int_equal(codes[0], 0);
	assert_int_equal(codes[1], 0);
}

static void several_sends_each_with_its_own_end(void **state)
{
	struct world *w = *state;
	int codes[5];

	add_error(say(&w->script), 2, 0); /* first send: two */
	w->script.gate[0] = 1;
	w->script.gate[1] = 1; /* second send: no answer */
	add_error(say(&w->script), 1, -EINVAL); /* third send: one */
	w->script.gate[2] = 2;
	apply(w, 5, 2, codes);
	assert_int_equal(w->script.asks, 3);
	assert_int_equal(w->script.messages[0], 2);
	assert_int_equal(w->script.messages[2], 1);
	assert_int_equal(codes[0], 0);
	assert_int_equal(codes[1], 0);
	assert_int_equal(codes[2], -ETIMEDOUT);
	assert_int_equal(codes[3], -ETIMEDOUT);
	assert_int_equal(codes[4], -EINVAL);
}

static void apply_not_sent(void **state)
{
	struct world *w = *state;
	int codes[2] = { 1, 1 };

	w->script.send_error = -ENOBUFS;
	apply(w, 2, 100, codes);
	assert_int_equal(codes[0], -ETIMEDOUT);
	assert_int_equal(codes[1], -ETIMEDOUT);
}

static void transaction_well(void **state)
{
	struct world *w = *state;

	add_error(say(&w->script), 3, 0); /* begin is 1 */
	assert_int_equal(transaction(w, 2), 0);
	assert_true(w->script.flags[2] & NLM_F_ACK);
	assert_false(w->script.flags[3] & NLM_F_ACK);
}

static void transaction_with_one_error_is_undone(void **state)
{
	struct world *w = *state;
	struct reply *r = say(&w->script);

	add_error(r, 2, -ENOENT);
	add_error(r, 3, 0);
	assert_int_equal(transaction(w, 2), -ENOENT);
}

static void transaction_that_fails_at_its_commit(void **state)
{
	struct world *w = *state;

	add_error(say(&w->script), 1, -ENOMEM); /* answers the begin; no other comes */
	assert_int_equal(transaction(w, 2), -ENOMEM);
}

static void transaction_without_answer(void **state)
{
	struct world *w = *state;

	assert_int_equal(transaction(w, 2), -ETIMEDOUT);
}

static void transaction_with_loss(void **state)
{
	struct world *w = *state;

	say(&w->script)->error = -ENOBUFS;
	add_error(say(&w->script), 3, 0);
	assert_int_equal(transaction(w, 2), -ETIMEDOUT);
}

static void attributes_through_a_table(void **state)
{
	static const struct nl_rule rules[] = {
		[1] = { 4, true, true },
		[2] = { 2, true, false },
	};
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	const struct nlattr *at[ARRAY_SIZE(rules)];
	struct nlmsghdr *nlh = nl_batch_put(&batch, ROW_TYPE, 0, NULL, 0, 256);
	const char *p;
	size_t n;

	mnl_attr_put_u32(nlh, 1, 77);
	mnl_attr_put_strz(nlh, 9, "of a later kernel");
	mnl_attr_put_u16(nlh, 2, 5);
	p = mnl_nlmsg_get_payload(nlh);
	n = mnl_nlmsg_get_payload_len(nlh);
	assert_int_equal(nl_attrs(p, n, rules, ARRAY_SIZE(rules), at), 0);
	assert_int_equal(nl_u32(at[1]), 77);
	assert_int_equal(nl_u16(at[2]), 5);
	assert_null(at[0]);
	/* cut anywhere: an error, or a prefix that has what must be */
	for (size_t cut = 0; cut < n; cut++) {
		int code = nl_attrs(p, cut, rules, ARRAY_SIZE(rules), at);

		assert_true(code == -EBADMSG || (code == 0 && at[1]));
		assert_true(cut >= 8 || code == -EBADMSG);
	}
	mnl_attr_put_u8(nlh, 2, 1); /* too short */
	assert_int_equal(nl_attrs_of(nlh, 0, rules, ARRAY_SIZE(rules), at), -EBADMSG);
	assert_int_equal(nl_attrs_of(nlh, 4096, rules, ARRAY_SIZE(rules), at), -EBADMSG);
}

static void strings_need_no_end(void **state)
{
	CLEANUP(nl_batch_fini) struct nl_batch batch = { 0 };
	struct nlmsghdr *nlh = nl_batch_put(&batch, ROW_TYPE, 0, NULL, 0, 256);
	const struct nlattr *attr = mnl_nlmsg_get_payload_tail(nlh);
	char text[4];

	mnl_attr_put(nlh, 1, 3, "abc");
	assert_int_equal(nl_str(attr, text, sizeof(text)), 0);
	assert_string_equal(text, "abc");
	assert_true(nl_is(attr, "abc"));
	assert_false(nl_is(attr, "ab"));
	assert_false(nl_is(attr, "abcd"));
	assert_false(nl_is(NULL, "abc"));
	assert_int_equal(nl_str(attr, text, 3), -EBADMSG);
	assert_int_equal(nl_u32(NULL), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dump_of_two_parts),
		TEST(single_object_ends_with_acknowledgement),
		TEST(answers_to_others_are_passed_over),
		TEST(interrupted_dump_is_asked_again),
		TEST(mark_in_the_end_counts_too),
		TEST(disturbed_for_ever_is_again),
		TEST(cut_datagram_is_asked_again),
		TEST(cut_message_is_asked_again),
		TEST(overrun_is_asked_again_without_waiting_for_its_end),
		TEST(signal_is_no_end),
		TEST(error_in_the_end),
		TEST(error_with_the_kernels_words),
		TEST(no_answer),
		TEST(no_end),
		TEST(not_sent),
		TEST(row_not_understood_ends_in_order),
		TEST(busy_socket_is_asked_again),
		TEST(silence_of_the_others_is_success),
		TEST(failure_of_the_last_ends_it_too),
		TEST(without_the_last_answer_nobody_knows),
		TEST(after_an_overrun_only_what_was_answered_is_known),
		TEST(late_and_foreign_results_are_nobodys),
		TEST(several_sends_each_with_its_own_end),
		TEST(apply_not_sent),
		TEST(transaction_well),
		TEST(transaction_with_one_error_is_undone),
		TEST(transaction_that_fails_at_its_commit),
		TEST(transaction_without_answer),
		TEST(transaction_with_loss),
		TEST(attributes_through_a_table),
		TEST(strings_need_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
