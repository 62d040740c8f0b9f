// Failures in words, for the person who has to find out what the server did.
#ifndef EDGE_LOAD_EXPLAIN_H
#define EDGE_LOAD_EXPLAIN_H

#include "load/verify.h"
#include "net/tls.h"
#include "wire/hpack.h"

// What is known about one failure; what does not apply is zero.
struct edge_explain {
    uint32_t word;                    // of edge_verify_read_fields()
    const struct edge_fields *fields; // the last block
    bool goaway;
    uint32_t h2_code;
    const char *text; // GOAWAY's debug data
    size_t text_len;
    int error;                  // why the connection was lost
    const char *failure;        // what of the protocol the server broke
    const struct edge_tls *tls; // NULL: in the clear
    bool found_tls;             // though TLS was not expected
};

// Whether the first bytes from a server are a TLS alert: what one with TLS says to HTTP/2 in the
// clear.
bool edge_explain_is_tls(const uint8_t *bytes, size_t len);

// Writes one sentence about a call that ended with `outcome`.
void edge_explain(enum edge_outcome outcome, const struct edge_explain *detail,
                  const struct edge_verify_plan *plan, const struct edge_verify *verify, char *text,
                  size_t size);

// Writes why a connection to `address` could not be opened. Returns the error code for it.
int edge_explain_connect(struct edge_message *message, const struct edge_explain *detail,
                         const char *address);

#endif
