#include "run/run_tls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOURS 48

static int make(struct edge_run_tls *tls, const char *name, struct edge_message *message)
{
    const char *place = getenv("TMPDIR");
    char folder[sizeof(tls->folder)];
    snprintf(folder, sizeof(folder), "%s/bench-edge-XXXXXX", place && place[0] ? place : "/tmp");
    if (mkdtemp(folder) == NULL)
        return edge_fail(message, -errno, "cannot make %s: %s", folder, strerror(errno));
    memcpy(tls->folder, folder, sizeof(folder));
    snprintf(tls->made_cert, sizeof(tls->made_cert), "%s/cert.pem", folder);
    snprintf(tls->made_key, sizeof(tls->made_key), "%s/key.pem", folder);
    tls->cert = tls->made_cert;
    tls->key = tls->made_key;
    return edge_tls_make_certificate(tls->cert, tls->key, name, HOURS, message);
}

// Faults of the files are told before anything is started.
static int check(const struct edge_run_tls *tls, struct edge_message *message)
{
    const struct edge_tls_server_config server_config = {tls->cert, tls->key};
    struct edge_tls *server, *client;
    int error = edge_tls_server_new(&server_config, &server, message);
    if (error)
        return error;
    edge_tls_del(server);
    error = edge_tls_client_new(&tls->client, &client, message);
    if (error)
        return error;
    edge_tls_del(client);
    return 0;
}

int edge_run_tls_init(struct edge_run_tls *tls, const struct edge_run_options *options,
                      const char *host, struct edge_message *message)
{
    *tls = (struct edge_run_tls){.cert = options->tls_cert, .key = options->tls_key};
    if (!options->tls)
        return 0;
    const char *name = options->cname ? options->cname : host;
    int error = tls->cert ? 0 : make(tls, name, message);
    tls->client = (struct edge_tls_client_config){
        .ca_file = options->cacert ? options->cacert : tls->cert,
        .server_name = name,
    };
    if (!error)
        error = check(tls, message);
    if (error)
        edge_run_tls_free(tls);
    return error;
}

void edge_run_tls_free(struct edge_run_tls *tls)
{
    if (tls->folder[0]) {
        unlink(tls->made_cert);
        unlink(tls->made_key);
        rmdir(tls->folder);
    }
    tls->folder[0] = '\0';
}

const struct edge_tls_client_config *edge_run_tls_client(const struct edge_run_tls *tls)
{
    return tls->cert ? &tls->client : NULL;
}
