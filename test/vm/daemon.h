/* The program under test in a world's node: started, killed, asked; and the manifests it reads. */
#pragma once
#include "table.h"
#include "world.h"

#include <signal.h>
#include <sys/types.h>

/* Writes MANIFESTS/NAME.yaml with a Service default/NAME. addresses: "203.0.113.10, 2001:db8:2::10"; ports: YAML, as in
 * "{name: http, port: 80, targetPort: 8080}, …". */
void manifest_service(const struct world *w, const char *name, const char *addresses, const char *ports);
/* The same with annotations: YAML, as in "{sluice/drain-limit: 1m}". */
void manifest_annotated(const struct world *w, const char *name, const char *annotations, const char *addresses, const char *ports);
/* Writes MANIFESTS/NAME-FAMILY.yaml with its EndpointSlice: the backends whose bits are set (1 = the first, 2, 4);
 * ports: "{name: http, port: 8080}". */
void manifest_slice(const struct world *w, const char *name, int family, const char *ports, unsigned backends);
/* The same; each backend is that pod's: UID-1, UID-2, UID-3. NULL: nobody's. */
void manifest_pods(const struct world *w, const char *name, int family, const char *ports, unsigned backends, const char *uid);
void manifest_remove(const struct world *w, const char *file); /* below MANIFESTS */

/* The usual Service: web, one address of each family that ends in n, TCP 80 → 8080, all three backends. */
#define WEB_PORTS "{name: http, port: 8080}"
void manifest_web(const struct world *w, int n);

/* sluice run, in the node; the binary is $SLUICE, else BUILD/src/sluice. options: more of them ("" = none). Its log is appended to DIR/log. */
struct daemon {
	const struct world *w;
	char *options;
	pid_t pid;
};
struct daemon *daemon_start(const struct world *w, const char *options);
void daemon_restart(struct daemon *d);        /* after daemon_end() */
void daemon_end(struct daemon *d, int signum); /* SIGTERM must give exit status 0 */
bool daemon_lives(struct daemon *d);
char *daemon_log(const struct world *w);      /* owned: free() */
size_t log_count(const struct world *w, const char *word); /* lines of the log with this in it */

/* The output of `sluice COMMAND --run-dir …`; must succeed. owned: free(). */
char *sluice_says(const struct world *w, const char *command);
/* The kernel's table is what text says (see table_text()), within the limit; fails with both. */
void await_table(const struct world *w, int limit_ms, const char *text);
/* The table that manifest_web(w, n) is to give, with the weights of the backends ("111": all 1, "0" weight 0, "-" absent). */
char *web_table(int n, const char *weights_v4, const char *weights_v6); /* owned: free() */
const char *sluice_path(void);
