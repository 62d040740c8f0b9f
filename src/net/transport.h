// What may stand between a protocol and its socket: TLS. It turns bytes into bytes and does no I/O;
// the connection carries them.
#ifndef EDGE_NET_TRANSPORT_H
#define EDGE_NET_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct edge_transport {
    const struct edge_transport_ops *ops;
};

struct edge_transport_ops {
    // Takes all `len` bytes that came from the peer (len 0: begins, where the first word is ours).
    // Appends what they mean to `plain`, and what has to be said about them (a handshake, an alert)
    // to `wire`. 1: open, 0: the handshake goes on; EDGE_ERR_CLOSED: the peer has said that it
    // closes; EDGE_ERR_TLS: failed; -ENOMEM. What is in `plain` and `wire` counts in any case.
    int (*receive)(struct edge_transport *self, const uint8_t *bytes, size_t len,
                   struct edge_buffer *plain, struct edge_buffer *wire);
    // Appends `len` bytes of the protocol to `wire`, sealed. Open transports only. 0; -ENOMEM or
    // EDGE_ERR_TLS.
    int (*send)(struct edge_transport *self, const uint8_t *bytes, size_t len,
                struct edge_buffer *wire);
    // Appends the last word before the connection closes, if there is one to say.
    void (*end)(struct edge_transport *self, struct edge_buffer *wire);
    void (*del)(struct edge_transport *self);
};

#endif
