// Built without TLS: it can be asked for, and is refused.
#include "net/tls.h"

static int refuse(struct edge_message *message)
{
    return edge_fail(message, EDGE_ERR_UNSUPPORTED,
                     "this program was built without TLS (EDGE_TLS)");
}

int edge_tls_server_new(const struct edge_tls_server_config *config, struct edge_tls **tls,
                        struct edge_message *message)
{
    *tls = NULL;
    return config->cert_file == NULL && config->key_file == NULL ? 0 : refuse(message);
}

int edge_tls_client_new(const struct edge_tls_client_config *config, struct edge_tls **tls,
                        struct edge_message *message)
{
    (void)config;
    (void)tls;
    return refuse(message);
}

void edge_tls_del(struct edge_tls *tls)
{
    (void)tls;
}

int edge_tls_session_new(struct edge_tls *tls, struct edge_transport **transport)
{
    (void)tls;
    (void)transport;
    return EDGE_ERR_UNSUPPORTED;
}

size_t edge_tls_session_bytes(void)
{
    return 0;
}

void edge_tls_facts(const struct edge_tls *tls, struct edge_tls_facts *facts)
{
    (void)tls;
    *facts = (struct edge_tls_facts){0};
}

const char *edge_tls_failure(const struct edge_tls *tls)
{
    (void)tls;
    return "";
}

int edge_tls_make_certificate(const char *cert_file, const char *key_file, const char *name,
                              int hours, struct edge_message *message)
{
    (void)cert_file;
    (void)key_file;
    (void)name;
    (void)hours;
    return refuse(message);
}

const char *edge_tls_library(void)
{
    return NULL;
}
