// The certificates of a run over TLS.
#ifndef EDGE_RUN_RUN_TLS_H
#define EDGE_RUN_RUN_TLS_H

#include <limits.h>

#include "base/error.h"
#include "net/tls.h"
#include "run/run_options.h"

// All zero: no TLS.
struct edge_run_tls {
    const char *cert, *key; // what servers are started with; NULL: no TLS
    struct edge_tls_client_config client;
    char folder[PATH_MAX - 16]; // of those made for this run; "" if none were
    char made_cert[PATH_MAX], made_key[PATH_MAX];
};

// Takes the files of the options, or makes a key and a certificate for `host` in a folder of their
// own. Borrows from the options; must not be moved. 0, also without TLS; the errors of
// edge_tls_make_certificate() and edge_tls_server_new() with a message.
int edge_run_tls_init(struct edge_run_tls *tls, const struct edge_run_options *options,
                      const char *host, struct edge_message *message);

// Removes what was made. Safe twice.
void edge_run_tls_free(struct edge_run_tls *tls);

// For a load's config: how to speak with the servers; NULL: in the clear.
const struct edge_tls_client_config *edge_run_tls_client(const struct edge_run_tls *tls);

#endif
