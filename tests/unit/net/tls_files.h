// Certificates for tests, made anew each time.
#ifndef EDGE_TESTS_NET_TLS_FILES_H
#define EDGE_TESTS_NET_TLS_FILES_H

#include "net/tls.h"

struct tls_files {
    char folder[32];
    char cert[64], key[64];             // for localhost and edge.example
    char other_cert[64], other_key[64]; // of another authority
    char old_cert[64], old_key[64];     // that has expired
    char text[64];                      // no certificate
};
extern struct tls_files tls_files;

// Group set-up and tear-down of cmocka.
int tls_files_make(void **state);
int tls_files_remove(void **state);

// Contexts with the first of these certificates. They fail the test if they cannot be made.
struct edge_tls *tls_files_server(void);
extern const struct edge_tls_client_config tls_files_client_config;
struct edge_tls *tls_files_client(const struct edge_tls_client_config *config);

#endif
