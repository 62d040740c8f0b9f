#include "net/tls_files.h"

#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct tls_files tls_files = {.folder = "/tmp/edge_tls_XXXXXX"};

const struct edge_tls_client_config tls_files_client_config = {.ca_file = tls_files.cert,
                                                               .server_name = "localhost"};

static char *const names[] = {tls_files.cert,      tls_files.key,      tls_files.other_cert,
                              tls_files.other_key, tls_files.old_cert, tls_files.old_key,
                              tls_files.text};
#define NAMES (sizeof(names) / sizeof(names[0]))

int tls_files_make(void **state)
{
    struct edge_message message;
    (void)state;
    if (mkdtemp(tls_files.folder) == NULL)
        return -1;
    for (size_t i = 0; i < NAMES; i++)
        snprintf(names[i], sizeof(tls_files.cert), "%s/%zu.pem", tls_files.folder, i);
    FILE *file = fopen(tls_files.text, "we");
    if (file == NULL || fputs("no certificate\n", file) < 0 || fclose(file) != 0)
        return -1;
    return edge_tls_make_certificate(tls_files.cert, tls_files.key, "edge.example", 24, &message) |
           edge_tls_make_certificate(tls_files.other_cert, tls_files.other_key, NULL, 24,
                                     &message) |
           edge_tls_make_certificate(tls_files.old_cert, tls_files.old_key, NULL, -24, &message);
}

int tls_files_remove(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++)
        unlink(names[i]);
    return rmdir(tls_files.folder);
}

struct edge_tls *tls_files_server(void)
{
    const struct edge_tls_server_config config = {tls_files.cert, tls_files.key};
    struct edge_tls *tls;
    struct edge_message message;
    assert_int_equal(edge_tls_server_new(&config, &tls, &message), 0);
    return tls;
}

struct edge_tls *tls_files_client(const struct edge_tls_client_config *config)
{
    struct edge_tls *tls;
    struct edge_message message;
    assert_int_equal(edge_tls_client_new(config, &tls, &message), 0);
    return tls;
}
