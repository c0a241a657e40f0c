/* Netlink sockets: batches of requests with a result for each, and reads that are true only if they ended well.
 * Every wait is bounded. A transport of the tests' own can take the kernel's place. */
#pragma once
#include "base/ip.h"

#include <libmnl/libmnl.h>

#define NL_WAIT_MS 3000   /* one wait for a datagram */
#define NL_TOTAL_MS 15000 /* all waits of one answer */
#define NL_TRIES 8        /* of a read that was disturbed */
#define NL_BUF_SIZE (64 * 1024) /* the kernel makes no dump datagram above 32 kB */

struct nl_from {
	uint32_t port; /* who sent it; 0 = the kernel */
	bool cut;      /* the datagram was longer than the buffer */
};
struct nl_io {
	ssize_t (*send)(void *ctx, const void *p, size_t n); /* n, or a negative errno: then nothing was sent */
	/* One datagram into p: its length, or a negative errno; -EAGAIN: none came (in time, if wait). */
	ssize_t (*recv)(void *ctx, void *p, size_t n, bool wait, struct nl_from *ret_from);
	void *ctx;
};

struct nl_sock {
	struct nl_io io;
	int fd;        /* -1 with a transport of the tests */
	uint32_t port; /* our own address */
	uint32_t seq;  /* of the last request */
	char *buf;     /* owned: one datagram */
};

/* bus: NETLINK_GENERIC, … owned: nl_close(). Negative errno with a sentence. */
MUST_CHECK int nl_open(struct nl_sock *nl, int bus, struct err *err);
void nl_open_io(struct nl_sock *nl, const struct nl_io *io); /* for tests; owned: nl_close() */
void nl_close(struct nl_sock *nl);                           /* also after a failed or no nl_open() of a zeroed one */

/* Requests one after the other. {0} is empty. */
struct nl_batch {
	char *p; /* owned: nl_batch_fini() */
	size_t n, cap, count;
};
/* Begins a message; its attributes, at most room bytes of them, are put with libmnl; nl_batch_end() ends it. */
struct nlmsghdr *nl_batch_put(struct nl_batch *batch, uint16_t type, uint16_t flags, const void *head, size_t head_size,
			      size_t room);
void nl_batch_end(struct nl_batch *batch, const struct nlmsghdr *nlh);
void nl_batch_fini(struct nl_batch *batch);

/* Reads an answer. row: 0, or a negative errno that ends it (-EBADMSG: not understood). restart: what row got so far
 * is void (called before each try). */
struct nl_reader {
	int (*row)(void *ctx, const struct nlmsghdr *nlh);
	void (*restart)(void *ctx);
	void *ctx;
};
/* Sends the one request of the batch (NLM_F_DUMP, or NLM_F_ACK for a single object) and reads its answer; asks again if it was
 * interrupted, cut or overrun, NL_TRIES times in all, then -EAGAIN. -ETIMEDOUT: no answer. Else as the kernel answered. */
MUST_CHECK int nl_read(struct nl_sock *nl, const struct nl_batch *ask, const struct nl_reader *reader, struct err *err);

/* Sends all requests, at most per_send in one datagram, and writes batch->count results. Each stands for itself: 0, what the
 * kernel answered, or -ETIMEDOUT: nobody knows. */
void nl_apply(struct nl_sock *nl, const struct nl_batch *batch, size_t per_send, int *ret_codes);

/* Sends a batch of nf_tables (begin, …, end) as one transaction: 0, or the kernel's first error, or -ETIMEDOUT. */
MUST_CHECK int nl_transaction(struct nl_sock *nl, const struct nl_batch *batch, struct err *err);

/* Attributes through a table: rules[type] says the least size of the payload and whether it must be there.
 * Types that the table doesn't know are passed over. */
struct nl_rule {
	uint16_t min;
	bool wanted; /* false: not read, ret stays NULL */
	bool must;
};
/* ret[n_rules]: borrowed from the message, or NULL. -EBADMSG: cut, too short, or one lacks. */
MUST_CHECK int nl_attrs(const void *p, size_t n, const struct nl_rule *rules, size_t n_rules, const struct nlattr **ret);
MUST_CHECK int nl_attrs_of(const struct nlmsghdr *nlh, size_t head_size, const struct nl_rule *rules, size_t n_rules,
			   const struct nlattr **ret);
MUST_CHECK int nl_attrs_in(const struct nlattr *nest, const struct nl_rule *rules, size_t n_rules,
			   const struct nlattr **ret);
/* Values; the table has checked the size. NULL gives 0. */
uint8_t nl_u8(const struct nlattr *attr);
uint16_t nl_u16(const struct nlattr *attr);
uint32_t nl_u32(const struct nlattr *attr);
/* An address, whose size depends on the family. -EBADMSG: none, or too short. */
MUST_CHECK int nl_ip(const struct nlattr *attr, uint8_t family, struct ip *ret);
/* Copies a string, which need not end in NUL; always terminated and filled with NUL. -EBADMSG if it doesn't fit. */
MUST_CHECK int nl_str(const struct nlattr *attr, char *ret, size_t size);
bool nl_is(const struct nlattr *attr, const char *s); /* the string s? */
