/* RFC 3339 times to Unix seconds, without the C library's time zones. */
#include "decode/rfc3339.h"

#include <errno.h>
#include <string.h>

/* n digits at text, at most max; -1 if they are not. */
static int digits(const char *text, size_t n, int max)
{
	int value = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value <= max ? value : -1;
}

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int month_days(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

static int64_t days_since_1970(int year, int month, int day)
{
	int64_t days = day - 1;

	for (int m = 1; m < month; m++)
		days += month_days(year, m);
	/* Leap days of the years before this one, since year 0. */
	days += (int64_t)year * 365 + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
	return days - 719528; /* 1970-01-01 */
}

/* "Z", "+02:00" → seconds east of UTC. */
static int offset_parse(const char *text, int *ret_seconds)
{
	int hours, minutes;

	if (strcmp(text, "Z") == 0) {
		*ret_seconds = 0;
		return 0;
	}
	if ((*text != '+' && *text != '-') || strlen(text) != 6 || text[3] != ':')
		return -EINVAL;
	hours = digits(text + 1, 2, 23);
	minutes = digits(text + 4, 2, 59);
	if (hours < 0 || minutes < 0)
		return -EINVAL;
	*ret_seconds = (*text == '-' ? -60 : 60) * (hours * 60 + minutes);
	return 0;
}

int rfc3339_parse(const char *text, int64_t *ret_seconds)
{
	int year, month, day, hour, minute, second, offset;

	if (strlen(text) < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':')
		return -EINVAL;
	year = digits(text, 4, 9999);
	month = digits(text + 5, 2, 12);
	day = digits(text + 8, 2, 31);
	hour = digits(text + 11, 2, 23);
	minute = digits(text + 14, 2, 59);
	second = digits(text + 17, 2, 59);
	if (year < 0 || month < 1 || day < 1 || day > month_days(year, month) || hour < 0 || minute < 0 || second < 0)
		return -EINVAL;
	text += 19;
	if (*text == '.') {
		size_t n = strspn(text + 1, "0123456789");

		if (n == 0)
			return -EINVAL;
		text += 1 + n;
	}
	if (offset_parse(text, &offset) < 0)
		return -EINVAL;
	*ret_seconds = days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
	return 0;
}
