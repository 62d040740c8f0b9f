// What the files of TLS share. mbedTLS appears in these files only.
#ifndef EDGE_NET_TLS_INTERNAL_H
#define EDGE_NET_TLS_INTERNAL_H

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_ticket.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>

#include "net/tls.h"

// Failures that mbedTLS has no code for; it uses neither value.
#define EDGE_TLS_NO_MEMORY   (-1)
#define EDGE_TLS_NO_PROTOCOL (-2)

struct edge_tls_session {
    struct edge_transport transport; // must be first
    struct edge_tls *tls;
    mbedtls_ssl_context ssl;
    const uint8_t *in; // what came from the peer and was not taken yet, during a call
    size_t in_len;
    struct edge_buffer *wire; // where to write, during a call
    struct edge_tls_session *next_idle;
    bool open;
    bool ended;   // failed, or said goodbye: nothing may be said any more
    bool heard;   // something came from the peer
    bool not_tls; // and the first byte of it begins no record
    bool resumed; // by a ticket
    int alert;    // that the peer sent during the handshake; -1: none
};

struct edge_tls {
    mbedtls_ssl_config config;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    mbedtls_x509_crt certificate; // our own chain
    mbedtls_pk_context key;
    mbedtls_x509_crt trusted;
    mbedtls_ssl_ticket_context tickets;
    bool is_server;
    char *server_name; // client: what the certificate must have; NULL: any name
    uint8_t address[16];
    size_t address_len; // of the address that server_name is; 0: it is a DNS name
    bool skip_verify, resume;
    bool has_saved;
    mbedtls_ssl_session saved; // client: what the next session may resume
    uint32_t verify_flags;     // of the certificate that is being looked at
    struct edge_tls_session *current, *idle;
    unsigned idle_count;
    struct edge_tls_facts facts;
    char failure[256];
};

// Suites in order of preference, ended by 0: static. First what this CPU and library do faster, as
// a short trial finds: that a CPU has instructions for AES does not yet say that AES-GCM is.
const int *edge_tls_suites(void);

void edge_tls_free_idle(struct edge_tls *tls);

// Whether a certificate's subjectAltName has this address (RFC 5280 section 4.2.1.6): mbedTLS 2
// compares DNS names only.
bool edge_tls_has_address(const mbedtls_x509_crt *certificate, const uint8_t *address, size_t len);

// Notes in tls->failure why a session failed with mbedTLS's `error` or one of the two above.
void edge_tls_explain(struct edge_tls *tls, const struct edge_tls_session *session, int error);

#endif
