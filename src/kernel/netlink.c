/* Netlink transport: sequence numbers, senders, limits of time, and what an answer's end means.
 * Knows no message of IPVS, routes or nf_tables. */
#include "kernel/netlink.h"

#include "base/mono.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

#define UNANSWERED 1

static ssize_t fd_send(void *ctx, const void *p, size_t n)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	const struct nl_sock *nl = ctx;
	ssize_t sent;

	do
		sent = sendto(nl->fd, p, n, 0, (const struct sockaddr *)&kernel, sizeof(kernel));
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

static ssize_t fd_recv(void *ctx, void *p, size_t n, bool wait, struct nl_from *ret_from)
{
	const struct nl_sock *nl = ctx;
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { p, n };
	struct msghdr msg = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t got = recvmsg(nl->fd, &msg, wait ? 0 : MSG_DONTWAIT);

	if (got < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	*ret_from = (struct nl_from){ .port = from.nl_pid, .cut = msg.msg_flags & MSG_TRUNC };
	return got;
}

static void set_options(int fd)
{
	const struct timeval wait = { .tv_sec = NL_WAIT_MS / 1000, .tv_usec = NL_WAIT_MS % 1000 * 1000 };
	const int on = 1, room = 8 << 20, out = 32 << 20;

	/* Each is a help, none a need: what they would prevent is noticed when it happens. */
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &out, sizeof(out));
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
}

int nl_open(struct nl_sock *nl, int bus, struct err *err)
{
	struct sockaddr_nl self = { .nl_family = AF_NETLINK };
	socklen_t size = sizeof(self);

	*nl = (struct nl_sock){ .fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, bus) };
	if (nl->fd < 0)
		return err_set(err, -errno, "open a netlink socket (%d): %m", bus);
	set_options(nl->fd);
	if (bind(nl->fd, (const struct sockaddr *)&self, sizeof(self)) < 0 ||
	    getsockname(nl->fd, (struct sockaddr *)&self, &size) < 0) {
		int code = err_set(err, -errno, "bind a netlink socket (%d): %m", bus);

		nl_close(nl);
		return code;
	}
	nl->port = self.nl_pid;
	nl->io = (struct nl_io){ fd_send, fd_recv, nl };
	nl->buf = xmalloc(NL_BUF_SIZE);
	return 0;
}

void nl_open_io(struct nl_sock *nl, const struct nl_io *io)
{
	*nl = (struct nl_sock){ .io = *io, .fd = -1, .buf = xmalloc(NL_BUF_SIZE) };
}

void nl_close(struct nl_sock *nl)
{
	if (nl->fd > 0)
		close(nl->fd);
	free(nl->buf);
	*nl = (struct nl_sock){ .fd = -1 };
}

struct nlmsghdr *nl_batch_put(struct nl_batch *batch, uint16_t type, uint16_t flags, const void *head, size_t head_size,
			      size_t room)
{
	size_t need = batch->n + MNL_NLMSG_HDRLEN + MNL_ALIGN(head_size) + room;
	struct nlmsghdr *nlh;

	if (need > batch->cap) {
		batch->cap = need * 2;
		batch->p = xrealloc(batch->p, batch->cap);
	}
	nlh = mnl_nlmsg_put_header(batch->p + batch->n);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	if (head_size)
		memcpy(mnl_nlmsg_put_extra_header(nlh, head_size), head, head_size);
	return nlh;
}

void nl_batch_end(struct nl_batch *batch, const struct nlmsghdr *nlh)
{
	batch->n += MNL_ALIGN(nlh->nlmsg_len);
	batch->count++;
	assert(batch->n <= batch->cap);
}

void nl_batch_fini(struct nl_batch *batch)
{
	free(batch->p);
	*batch = (struct nl_batch){ 0 };
}

/* What a datagram was good for. */
enum got { GOT_MESSAGES, GOT_NOTHING, GOT_LOSS };

/* One datagram of the kernel into nl->buf. GOT_NOTHING: none of use, go on. GOT_LOSS: something is missing. Negative: end. */
static int receive(struct nl_sock *nl, bool wait, size_t *ret_n)
{
	struct nl_from from = { 0 };
	ssize_t n = nl->io.recv(nl->io.ctx, nl->buf, NL_BUF_SIZE, wait, &from);

	if (n == -EINTR)
		return GOT_NOTHING;
	if (n == -ENOBUFS)
		return GOT_LOSS;
	if (n < 0)
		return (int)n;
	if (from.port != 0)
		return GOT_NOTHING; /* any process may send to our address */
	if (from.cut)
		return GOT_LOSS;
	*ret_n = (size_t)n;
	return GOT_MESSAGES;
}

/* The errno in an error or a dump's end, 0 or negative; *ret_text: the kernel's words, or "". */
static int answer_code(const struct nlmsghdr *nlh, char *ret_text, size_t size)
{
	static const struct nl_rule rules[] = { [NLMSGERR_ATTR_MSG] = { 1, true, false } };
	const struct nlattr *attrs[ARRAY_SIZE(rules)];
	size_t head = nlh->nlmsg_type == NLMSG_ERROR ? sizeof(struct nlmsgerr) : sizeof(int);
	int code;

	*ret_text = 0;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(code))
		return nlh->nlmsg_type == NLMSG_ERROR ? -EBADMSG : 0;
	memcpy(&code, mnl_nlmsg_get_payload(nlh), sizeof(code));
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && nl_attrs_of(nlh, head, rules, ARRAY_SIZE(rules), attrs) == 0 &&
	    attrs[NLMSGERR_ATTR_MSG] && nl_str(attrs[NLMSGERR_ATTR_MSG], ret_text, size) < 0)
		*ret_text = 0;
	return code <= 0 && code > -4096 ? code : -EBADMSG;
}

static int kernel_says(struct err *err, int code, const char *text)
{
	return *text ? err_set(err, code, "the kernel says: %s (%s)", strerror(-code), text)
		     : err_set(err, code, "the kernel says: %s", strerror(-code));
}

/* One answer that is being read. */
struct answer {
	uint32_t seq;
	const struct nl_reader *reader;
	bool spoiled; /* interrupted, cut or overrun: to be asked again */
	bool ended;
	int code;     /* of its end, or the reader's */
	char text[128];
};

static void answer_message(struct answer *a, const struct nlmsghdr *nlh)
{
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		a->spoiled = true;
	if (nlh->nlmsg_type == NLMSG_DONE || nlh->nlmsg_type == NLMSG_ERROR) {
		int code = answer_code(nlh, a->text, sizeof(a->text));

		a->ended = true;
		a->code = a->code ? a->code : code;
	} else if (nlh->nlmsg_type == NLMSG_OVERRUN) {
		a->spoiled = true;
	} else if (nlh->nlmsg_type >= NLMSG_MIN_TYPE && !a->code) {
		a->code = a->reader->row(a->reader->ctx, nlh);
	}
}

static void answer_datagram(struct answer *a, const void *p, size_t n)
{
	const struct nlmsghdr *nlh = p;
	int left = (int)n;

	for (; !a->ended && mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		if (nlh->nlmsg_seq == a->seq)
			answer_message(a, nlh);
	if (!a->ended && left > 0)
		a->spoiled = true;
}

/* Reads to the end even of a spoiled answer: the socket is busy until then. */
static int answer_read(struct nl_sock *nl, struct answer *a, struct err *err)
{
	const struct mono until = mono_after(mono_now(), NL_TOTAL_MS);
	size_t n = 0;

	while (!a->ended) {
		int got = receive(nl, !a->spoiled, &n);

		if (got == -EAGAIN && a->spoiled)
			break;
		if (got == -EAGAIN || (got >= 0 && mono_reached(until, mono_now())))
			return err_set(err, -ETIMEDOUT, "the kernel does not answer");
		if (got < 0)
			return err_set(err, got, "read the kernel's answer: %s", strerror(-got));
		if (got == GOT_LOSS)
			a->spoiled = true;
		else if (got == GOT_MESSAGES)
			answer_datagram(a, nl->buf, n);
	}
	if (a->spoiled)
		return -EAGAIN;
	if (a->code == -EBADMSG)
		return err_set(err, a->code, "the kernel's answer is not understood");
	return a->code ? kernel_says(err, a->code, a->text) : 0;
}

static int read_once(struct nl_sock *nl, const struct nl_batch *ask, const struct nl_reader *reader, struct err *err)
{
	struct answer a = { .seq = ++nl->seq, .reader = reader };
	ssize_t sent;
	int code;

	((struct nlmsghdr *)ask->p)->nlmsg_seq = a.seq;
	reader->restart(reader->ctx);
	sent = nl->io.send(nl->io.ctx, ask->p, ask->n);
	if (sent < 0)
		return err_set(err, -ETIMEDOUT, "send to the kernel: %s", strerror((int)-sent));
	code = answer_read(nl, &a, err);
	return code == -EBUSY ? -EAGAIN : code; /* an earlier dump, given up, still runs on this socket */
}

int nl_read(struct nl_sock *nl, const struct nl_batch *ask, const struct nl_reader *reader, struct err *err)
{
	assert(ask->count == 1);
	for (int try = 0; try < NL_TRIES; try++) {
		int code = read_once(nl, ask, reader, err);

		if (code != -EAGAIN)
			return code;
	}
	reader->restart(reader->ctx);
	return err_set(err, -EAGAIN, "the answer was disturbed %d times", NL_TRIES);
}

/* Requests of one datagram that wait for their results. */
struct pending {
	uint32_t first; /* sequence number of the first */
	size_t n, last; /* last: the one whose acknowledgement ends it */
	int *codes;
	bool transaction;
	bool ended, lost;
	char *text; /* of the first error; 128 bytes */
};

static void pending_message(struct pending *p, const struct nlmsghdr *nlh)
{
	size_t i = nlh->nlmsg_seq - p->first;
	char text[128] = "";

	if (nlh->nlmsg_type == NLMSG_OVERRUN)
		p->lost = true;
	if (nlh->nlmsg_type != NLMSG_ERROR || i >= p->n)
		return;
	if (p->codes[i] == UNANSWERED || p->codes[i] == 0)
		p->codes[i] = answer_code(nlh, text, sizeof(text));
	if (p->codes[i] && p->text && !*p->text)
		memcpy(p->text, text, sizeof(text));
	/* A transaction whose begin is refused gets no other answer. */
	if (i == p->last || (p->transaction && i == 0 && p->codes[i]))
		p->ended = true;
}

static void pending_datagram(struct pending *p, const void *data, size_t n)
{
	const struct nlmsghdr *nlh = data;
	int left = (int)n;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		pending_message(p, nlh);
	if (left > 0)
		p->lost = true;
}

/* The kernel works inside our send(): after a loss everything that will come is there, so nothing is waited for. */
static void pending_read(struct nl_sock *nl, struct pending *p)
{
	const struct mono until = mono_after(mono_now(), NL_TOTAL_MS);
	size_t n = 0;

	while (!p->ended) {
		int got = receive(nl, !p->lost, &n);

		if (got < 0 || mono_reached(until, mono_now()))
			break;
		if (got == GOT_LOSS)
			p->lost = true;
		else if (got == GOT_MESSAGES)
			pending_datagram(p, nl->buf, n);
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->codes[i] == UNANSWERED)
			p->codes[i] = p->ended && !p->lost ? 0 : -ETIMEDOUT;
}

/* Numbers n messages from *nlh on; gives back how many bytes they have and moves *nlh behind them. */
static size_t number(struct nl_sock *nl, struct nlmsghdr **nlh, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		size_t size = MNL_ALIGN((*nlh)->nlmsg_len);

		(*nlh)->nlmsg_seq = ++nl->seq;
		bytes += size;
		*nlh = (struct nlmsghdr *)((char *)*nlh + size);
	}
	return bytes;
}

static struct nlmsghdr *nth(const void *start, size_t n)
{
	const char *p = start;

	while (n--)
		p += MNL_ALIGN(((const struct nlmsghdr *)p)->nlmsg_len);
	return (struct nlmsghdr *)p;
}

/* Sends p->n messages that start at *nlh and reads their results. Negative: not sent. */
static int send_some(struct nl_sock *nl, struct nlmsghdr **nlh, struct pending *p)
{
	void *start = *nlh;
	size_t bytes;
	ssize_t sent;

	p->first = nl->seq + 1;
	nth(start, p->last)->nlmsg_flags |= NLM_F_ACK;
	bytes = number(nl, nlh, p->n);
	for (size_t i = 0; i < p->n; i++)
		p->codes[i] = UNANSWERED;
	sent = nl->io.send(nl->io.ctx, start, bytes);
	if (sent >= 0)
		pending_read(nl, p);
	else
		for (size_t i = 0; i < p->n; i++)
			p->codes[i] = -ETIMEDOUT;
	return sent < 0 ? (int)sent : 0;
}

void nl_apply(struct nl_sock *nl, const struct nl_batch *batch, size_t per_send, int *ret_codes)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)batch->p;

	for (size_t done = 0; done < batch->count;) {
		size_t n = batch->count - done < per_send ? batch->count - done : per_send;
		struct pending p = { .n = n, .last = n - 1, .codes = ret_codes + done };

		(void)send_some(nl, &nlh, &p); /* told by the codes */
		done += n;
	}
}

int nl_transaction(struct nl_sock *nl, const struct nl_batch *batch, struct err *err)
{
	CLEANUP(free_p) int *codes = xreallocarray(NULL, batch->count, sizeof(*codes));
	struct nlmsghdr *nlh = (struct nlmsghdr *)batch->p;
	char text[128] = "";
	struct pending p = { .n = batch->count, .codes = codes, .transaction = true, .text = text };
	int code;

	assert(batch->count > 2);
	p.last = batch->count - 2; /* the batch's end is no request */
	code = send_some(nl, &nlh, &p);
	if (code)
		return err_set(err, -ETIMEDOUT, "send to the kernel: %s", strerror(-code));
	for (size_t i = 0; i < p.n; i++)
		if (codes[i] && codes[i] != -ETIMEDOUT)
			return kernel_says(err, codes[i], text);
	for (size_t i = 0; i < p.n; i++)
		if (codes[i])
			return err_set(err, -ETIMEDOUT, "the kernel does not answer");
	return 0;
}

int nl_attrs(const void *p, size_t n, const struct nl_rule *rules, size_t n_rules, const struct nlattr **ret)
{
	const struct nlattr *attr = p;
	size_t left = n;

	memset(ret, 0, n_rules * sizeof(*ret));
	while (left >= sizeof(*attr)) {
		size_t size = MNL_ALIGN(attr->nla_len), type = mnl_attr_get_type(attr);

		if (attr->nla_len < sizeof(*attr) || attr->nla_len > left)
			return -EBADMSG;
		if (type < n_rules && rules[type].wanted) {
			if (mnl_attr_get_payload_len(attr) < rules[type].min)
				return -EBADMSG;
			ret[type] = attr;
		}
		left -= size < left ? size : left;
		attr = (const struct nlattr *)((const char *)attr + size);
	}
	for (size_t i = 0; i < n_rules; i++)
		if (rules[i].must && !ret[i])
			return -EBADMSG;
	return 0;
}

int nl_attrs_of(const struct nlmsghdr *nlh, size_t head_size, const struct nl_rule *rules, size_t n_rules,
		const struct nlattr **ret)
{
	size_t n = mnl_nlmsg_get_payload_len(nlh), head = MNL_ALIGN(head_size);

	if (n < head)
		return -EBADMSG;
	return nl_attrs((const char *)mnl_nlmsg_get_payload(nlh) + head, n - head, rules, n_rules, ret);
}

int nl_attrs_in(const struct nlattr *nest, const struct nl_rule *rules, size_t n_rules, const struct nlattr **ret)
{
	return nl_attrs(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), rules, n_rules, ret);
}

uint8_t nl_u8(const struct nlattr *attr)
{
	return attr ? *(const uint8_t *)mnl_attr_get_payload(attr) : 0;
}

uint16_t nl_u16(const struct nlattr *attr)
{
	uint16_t v = 0;

	if (attr)
		memcpy(&v, mnl_attr_get_payload(attr), sizeof(v));
	return v;
}

uint32_t nl_u32(const struct nlattr *attr)
{
	uint32_t v = 0;

	if (attr)
		memcpy(&v, mnl_attr_get_payload(attr), sizeof(v));
	return v;
}

int nl_ip(const struct nlattr *attr, uint8_t family, struct ip *ret)
{
	struct ip ip = { .family = family };

	if (!attr || mnl_attr_get_payload_len(attr) < ip_size(&ip))
		return -EBADMSG;
	memcpy(ip.bytes, mnl_attr_get_payload(attr), ip_size(&ip));
	*ret = ip;
	return 0;
}

int nl_str(const struct nlattr *attr, char *ret, size_t size)
{
	size_t n = strnlen(mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));

	if (n >= size)
		return -EBADMSG;
	memset(ret, 0, size);
	memcpy(ret, mnl_attr_get_payload(attr), n);
	return 0;
}

bool nl_is(const struct nlattr *attr, const char *s)
{
	size_t n = strlen(s);

	return attr && strnlen(mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr)) == n &&
	       memcmp(mnl_attr_get_payload(attr), s, n) == 0;
}
