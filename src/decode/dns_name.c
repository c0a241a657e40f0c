/* Checks names. Allocates nothing. */
#include "decode/dns_name.h"

#include <string.h>

/* Kubernetes limits only the whole of a subdomain, not each of its labels. */
static bool is_label(const char *text, size_t n)
{
	if (n == 0 || text[0] == '-' || text[n - 1] == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= '0' && text[i] <= '9') && text[i] != '-')
			return false;
	return true;
}

bool dns_label(const char *text)
{
	size_t n = strlen(text);

	return n <= 63 && is_label(text, n);
}

bool dns_subdomain(const char *text)
{
	if (strlen(text) > 253)
		return false;
	for (;;) {
		size_t n = strcspn(text, ".");

		if (!is_label(text, n))
			return false;
		if (!text[n])
			return true;
		text += n + 1;
	}
}
