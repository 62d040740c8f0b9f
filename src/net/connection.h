// One buffered connection: bytes in, bytes out, no knowledge of what they mean.
//
// Per readiness: one read, the protocol consumes it all, the protocol fills the out buffer, one
// write. The read and write buffers are shared by all connections of a loop; a connection keeps
// memory of its own only while the socket does not take its bytes.
#ifndef EDGE_NET_CONNECTION_H
#define EDGE_NET_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "net/loop.h"
#include "net/transport.h"

// Buffers shared by all connections of one loop.
struct edge_io {
    struct edge_loop *loop;
    uint8_t *in; // in_cap bytes
    size_t in_cap;
    struct edge_buffer out;
    size_t out_high;      // a protocol stops filling here
    size_t pending_bytes; // that connections hold because their sockets do not take them
    size_t pending_limit; // of those: a connection that would hold more is closed; 0: none
    // With a transport only: the plain bytes of one read, and what one write sends.
    struct edge_buffer plain, wire;
    uint64_t reads, writes, bytes_in, bytes_out;
};

// 0 or -ENOMEM. `bytes` is the size of one read and the high-water mark of one write.
int edge_io_init(struct edge_io *io, struct edge_loop *loop, size_t bytes);
void edge_io_free(struct edge_io *io);

struct edge_connection;

// The protocol above a connection; `self` is edge_connection.protocol.
struct edge_protocol {
    // All `len` bytes must be consumed. 0, or negative: the connection is then flushed and closed
    // with that code.
    int (*receive)(void *self, const uint8_t *bytes, size_t len);
    // Appends what there is to send, stopping when out->len reaches `high`. 0, or negative: close.
    int (*fill)(void *self, struct edge_buffer *out, size_t high);
    // True when nothing more will be read or written: the connection is closed with EDGE_OK.
    bool (*finished)(void *self);
    // The connection is closed and its fd gone; `reason` is EDGE_OK, EDGE_ERR_CLOSED (the peer
    // closed), EDGE_ERR_LIMIT (of pending bytes), a negated errno, or what the protocol or the
    // transport returned. May free the connection's memory.
    void (*closed)(void *self, int reason);
};

struct edge_connection {
    struct edge_watch watch; // watch.fd is the socket, -1 when closed
    struct edge_io *io;
    const struct edge_protocol *ops;
    void *protocol;
    struct edge_transport *transport; // TLS, owned once open; NULL: the socket has the plain bytes
    struct edge_buffer pending;       // bytes that the socket did not take
    uint64_t blocked_ns;              // since when there are any
    bool read_while_blocked; // a client must keep reading, a server must not (its input makes
                             // output)
    bool connecting;
    bool handshaking; // the transport is not open yet, and the protocol has not begun: a flush
                      // sends nothing, and who gives up waiting closes
    bool unfinished;  // the protocol has more to send: the next turn goes on
    bool closing;     // flush, then close with close_reason
    bool lingering;   // all is said; until the peer closes too, what it says is dropped
    struct edge_timer linger_timer; // but no longer than that
    size_t dropped;                 // so many bytes of it
    int close_reason;
};

// Takes ownership of `fd` (connected or connecting) and of connection->transport (which the caller
// has set, as read_while_blocked), and starts watching. The first fill happens once it is connected
// and the transport's handshake is done; how long that may take is for the caller's timer.
// 0 or a negated errno (then fd is closed and the transport gone).
int edge_connection_open(struct edge_connection *connection, struct edge_io *io, int fd,
                         bool connecting, const struct edge_protocol *ops, void *protocol);

// Fills and writes what the protocol has to send, outside of a read: after a timer, or to start a
// request. May close the connection (the `closed` callback is called before this returns).
void edge_connection_flush(struct edge_connection *connection);

// True if the socket has not taken all that it was given for so long.
static inline bool edge_connection_stalled(const struct edge_connection *connection,
                                           uint64_t now_ns, uint64_t limit_ns)
{
    return connection->pending.len > 0 && now_ns - connection->blocked_ns >= limit_ns;
}

// Closes now, dropping unsent bytes. `closed` is called with `reason`. Safe twice.
void edge_connection_close(struct edge_connection *connection, int reason);

#endif
