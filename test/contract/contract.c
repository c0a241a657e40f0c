/* Runs the tests of the kernel port: against the fake one, or with --real against the kernel (as root, ip_vs needed), each test in
 * a network namespace of its own. */
#include "contract/contract.h"

#include "kernel/kernel_linux.h"
#include "kernel/sysctl.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

void contract_fail(struct contract *c, const char *file, int line, const char *fmt, ...)
{
	const char *base = strrchr(file, '/');
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_add(&c->failure, "%s:%d: %s", base ? base + 1 : file, line, text);
}

static bool loopback_up(void)
{
	CLEANUP(close_p) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };

	return fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &ifr) == 0;
}

static void nothing(void *ctx, const struct sysctl_note *note)
{
	(void)ctx;
	(void)note;
}

static bool begin(struct contract *c, bool real, bool clients, struct err *err)
{
	const struct kernel_options options = { .device = "kube-ipvs0" };
	const struct sysctl_options sysctls = { .root = "/proc/sys" };

	*c = (struct contract){ 0 };
	if (!real) {
		c->fake = fake_kernel_new();
		c->k = fake_port(c->fake);
		return true;
	}
	if (clients)
		c->traffic = traffic_new();
	else if (unshare(CLONE_NEWNET) < 0 || !loopback_up())
		return err_set(err, -1, "a network namespace: %m") == 0;
	return kernel_linux_open(&options, &c->k, err) == 0 && (!clients || sysctl_apply(&sysctls, nothing, NULL, err) == 0);
}

static bool one(const struct contract_test *test, bool real)
{
	struct contract c;
	struct err err = { 0 };
	bool ok = begin(&c, real, test->clients, &err);

	if (ok)
		test->run(&c);
	else
		contract_fail(&c, __FILE__, __LINE__, "%s", err.text);
	ok = c.failure.n == 0;
	(void)printf("%s %s%s%s\n", ok ? "ok  " : "FAIL", test->name, ok ? "" : ": ", text_str(&c.failure));
	(void)fflush(stdout);
	if (c.k)
		c.k->v->free(c.k);
	fake_kernel_free(c.fake);
	traffic_free(c.traffic);
	text_fini(&c.failure);
	return ok;
}

int main(int argc, char **argv)
{
	const struct contract_test *const tables[] = { contract_ipvs, contract_net, contract_rounds, contract_flows };
	bool real = argc > 1 && !strcmp(argv[1], "--real");
	const char *only = argc > 1 + real ? argv[1 + real] : NULL;
	size_t passed = 0, failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct contract_test *test = tables[i]; test->name; test++) {
			if (only && !strstr(test->name, only))
				continue;
			if (one(test, real))
				passed++;
			else
				failed++;
		}
	(void)printf("%zu passed, %zu failed\n", passed, failed);
	return failed || !passed ? 1 : 0;
}
