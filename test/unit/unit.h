/* What cmocka wants included, and short ways to write keys. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/types.h"

static inline struct vs_key vs_of(const char *text)
{
	struct vs_key vs;

	if (vs_parse(text, &vs) < 0)
		fail_msg("bad virtual server in a test: %s", text);
	return vs;
}

static inline struct rs_key rs_of(const char *text)
{
	struct rs_key rs;

	if (rs_parse(text, &rs) < 0)
		fail_msg("bad real server in a test: %s", text);
	return rs;
}

static inline struct ip ip_of(const char *text)
{
	struct ip ip;

	if (ip_parse(text, &ip) < 0)
		fail_msg("bad address in a test: %s", text);
	return ip;
}
