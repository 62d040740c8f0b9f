// TLS for connections, by mbedTLS: TLS 1.2 with the suites that RFC 9113 section 9.2.2 leaves, and
// TLS 1.3 where the library has it; "h2" by ALPN (RFC 7301) on both sides, or no connection.
//
// One context per thread holds certificates, random numbers and tickets; its sessions are the
// transports of connections (net/transport.h).
#ifndef EDGE_NET_TLS_H
#define EDGE_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "net/transport.h"

struct edge_tls; // a context

// Files are PEM. Strings are borrowed until edge_tls_server_new() or edge_tls_client_new() returns.
struct edge_tls_server_config {
    const char *cert_file; // the chain, the server's own first; NULL, as key_file: no TLS
    const char *key_file;
};

struct edge_tls_client_config {
    const char *ca_file;     // who is trusted; may be NULL with skip_verify
    const char *cert_file;   // our own, for a server that asks for one; NULL, as key_file: none
    const char *key_file;    // likewise
    const char *server_name; // that the certificate must have, a DNS name or an address; NULL: any
    bool skip_verify;        // any certificate will do
    bool resume;             // take up the last session of this context, where the server lets us
};

// Makes a context. 0; EDGE_ERR_USAGE (one of a server's files without the other), EDGE_ERR_FORMAT
// (a file is not what it must be, has expired, or certificate and key do not belong together),
// EDGE_ERR_UNSUPPORTED (built without TLS), a negated errno (a file cannot be read, memory, no
// random numbers), with a message.
int edge_tls_server_new(const struct edge_tls_server_config *config, struct edge_tls **tls,
                        struct edge_message *message);
int edge_tls_client_new(const struct edge_tls_client_config *config, struct edge_tls **tls,
                        struct edge_message *message);
// After all of its sessions. NULL is nothing.
void edge_tls_del(struct edge_tls *tls);

// Makes the transport of one connection. 0 or -ENOMEM.
int edge_tls_session_new(struct edge_tls *tls, struct edge_transport **transport);
// Bytes that a session takes at most, its handshake included: its memory is the library's own.
size_t edge_tls_session_bytes(void);

struct edge_tls_facts {
    const char *version; // of the last handshake, "TLSv1.2"; NULL: there was none
    const char *suite;   // likewise, "TLS-ECDHE-ECDSA-WITH-AES-128-GCM-SHA256"
    uint64_t full;       // handshakes so far
    uint64_t resumed;
    uint64_t failed;
};
void edge_tls_facts(const struct edge_tls *tls, struct edge_tls_facts *facts);

// Why the last session that failed did, a part of a sentence: what was found. "" if none did.
const char *edge_tls_failure(const struct edge_tls *tls);

// Makes a P-256 key and a certificate for it, signed by itself, for localhost, 127.0.0.1, ::1 and
// `name` (an address or a DNS name of at most 120 characters; NULL: none), valid for `hours`
// (negative: no longer). Writes both files. 0; EDGE_ERR_FORMAT (the name is longer),
// EDGE_ERR_UNSUPPORTED, EDGE_ERR_FAILED or a negated errno, with a message.
int edge_tls_make_certificate(const char *cert_file, const char *key_file, const char *name,
                              int hours, struct edge_message *message);

// The library: "mbed TLS 2.28.3"; NULL: built without TLS.
const char *edge_tls_library(void);

#endif
