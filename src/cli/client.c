/* HTTP over the control socket by libcurl. Knows how to explain that nobody answers. */
#include "cli/client.h"

#include "base/text.h"
#include "daemon/instance.h"
#include "serve/control.h"

#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/un.h>

#define ANSWER_BYTES_MAX (512u << 20)
#define TIMEOUT_S 30L

static size_t on_data(char *data, size_t size, size_t n, void *ctx)
{
	struct text *body = ctx;

	if (body->n + size * n > ANSWER_BYTES_MAX)
		return 0;
	text_add_bytes(body, data, size * n);
	return size * n;
}

static int on_progress(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	bool (*interrupted)(void) = *(bool (**)(void))ctx;

	return interrupted();
}

static int explain(CURL *curl, CURLcode result, const char *socket_path, struct err *err)
{
	long number = 0;

	if (result == CURLE_ABORTED_BY_CALLBACK)
		return err_set(err, -EINTR, "interrupted");
	(void)curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &number);
	if (result == CURLE_COULDNT_CONNECT && number == EACCES)
		return err_set(err, -EACCES, "only root may ask sluice (connect %s: %s)", socket_path, strerror((int)number));
	if (result == CURLE_COULDNT_CONNECT && (number == 0 || number == EAGAIN))
		return err_set(err, -EAGAIN, "sluice on %s is busy: too many ask it at once", socket_path);
	if (result == CURLE_COULDNT_CONNECT && instance_held())
		return err_set(err, -ENOENT, "a sluice is running here, but not at %s (%s): name its --run-dir, or restart it if that was removed",
			       socket_path, strerror((int)number));
	if (result == CURLE_COULDNT_CONNECT)
		return err_set(err, -ENOENT, "no sluice is running here (connect %s: %s): start it with `sluice run`", socket_path,
			       strerror((int)number));
	if (result == CURLE_OPERATION_TIMEDOUT)
		return err_set(err, -ETIMEDOUT, "sluice does not answer on %s", socket_path);
	return err_set(err, -EIO, "sluice on %s: %s", socket_path, curl_easy_strerror(result));
}

static int parse(CURL *curl, const struct text *body, const char *socket_path, json_t **ret, struct err *err)
{
	json_error_t error;
	long code = 0;

	(void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
	if (code != 200)
		return err_set(err, -EIO, "sluice on %s answers with HTTP status %ld", socket_path, code);
	*ret = json_loadb(text_str(body), body->n, JSON_REJECT_DUPLICATES, &error);
	if (!*ret)
		return err_set(err, -EIO, "sluice on %s: its answer is no JSON: %s", socket_path, error.text);
	return 0;
}

int client_get(const char *run_dir, const char *path, bool (*interrupted)(void), json_t **ret, struct err *err)
{
	CLEANUP(free_p) char *socket_path = xfmt("%s/%s", run_dir, CONTROL_SOCKET);
	CLEANUP(free_p) char *url = xfmt("http://sluice%s", path);
	struct text body = { 0 };
	CURL *curl;
	CURLcode result;
	int r;

	if (strlen(socket_path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return err_set(err, -ENAMETOOLONG, "%s: the path is too long for a unix socket", socket_path);
	curl = curl_easy_init();
	if (!curl)
		return err_set(err, -EIO, "libcurl does not start");
	(void)curl_easy_setopt(curl, CURLOPT_URL, url);
	(void)curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket_path);
	(void)curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* whatever the environment says */
	(void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
	(void)curl_easy_setopt(curl, CURLOPT_TIMEOUT, TIMEOUT_S);
	(void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
	if (interrupted) {
		(void)curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
		(void)curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &interrupted);
		(void)curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	}
	result = curl_easy_perform(curl);
	r = result == CURLE_OK ? parse(curl, &body, socket_path, ret, err) : explain(curl, result, socket_path, err);
	curl_easy_cleanup(curl);
	text_fini(&body);
	return r;
}
