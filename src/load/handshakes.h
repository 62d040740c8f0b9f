// How many TLS handshakes a server does: connections that are opened, and closed as soon as the
// handshake is done. One thread, the caller's.
#ifndef EDGE_LOAD_HANDSHAKES_H
#define EDGE_LOAD_HANDSHAKES_H

#include <stdint.h>

#include "base/error.h"
#include "net/socket.h"
#include "net/tls.h"

struct edge_handshakes_config {
    struct edge_address address;
    const struct edge_tls_client_config *tls; // with `resume`, all but the first are resumed ones
    unsigned connections;                     // at a time, 1 to EDGE_HANDSHAKES_MAX
};

#define EDGE_HANDSHAKES_MAX 64u

struct edge_handshakes_counts {
    uint64_t full, resumed;
    uint64_t failed; // connections without an end of the handshake
};

struct edge_handshakes;

// Begins to connect. 0; the errors of edge_tls_client_new() or -ENOMEM, with a message.
int edge_handshakes_new(const struct edge_handshakes_config *config,
                        struct edge_handshakes **handshakes, struct edge_message *message);
void edge_handshakes_del(struct edge_handshakes *handshakes);

// Goes on until `until_ns`. 0 or a negated errno.
int edge_handshakes_turn(struct edge_handshakes *handshakes, uint64_t until_ns);

// The counts since the start.
void edge_handshakes_counts(const struct edge_handshakes *handshakes,
                            struct edge_handshakes_counts *counts);
// Why one failed, for a person; "" if none did.
const char *edge_handshakes_failure(const struct edge_handshakes *handshakes);

#endif
