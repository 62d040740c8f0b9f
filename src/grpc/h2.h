// The server side of HTTP/2 connections, on nghttp2's session: bytes in, gRPC calls, bytes out.
// No I/O: the owner moves the bytes, keeps the time, and closes the connection.
//
// One edge_h2 is what all sessions of a thread share; one edge_h2_session is one connection.
#ifndef EDGE_GRPC_H2_H
#define EDGE_GRPC_H2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "grpc/gzip.h"
#include "grpc/method.h"

#define EDGE_H2_NEVER UINT64_MAX

// What else a client is limited in: grpc/limits.h.
struct edge_h2_config {
    const struct edge_method *const *tables; // see grpc/method.h
    void *context;                           // what methods find in call->shared->context
    struct edge_pool *pool;                  // memory of sessions and calls; outlives them
    edge_gzip_compress *compress;            // edge_gzip_deflate, or NULL: replies stay plain
    size_t max_message;                      // bytes of one request message; 0: 4 MiB
    uint32_t max_streams;                    // concurrent streams per connection; 0: 1000
    uint32_t window; // flow-control window of a stream and of a connection; 0: 1 MiB
    // EDGE_H2_NEVER: no such limit.
    uint64_t max_idle_ns;          // without calls, until a graceful end; 0: 5 min
    uint64_t max_age_ns;           // of a connection, +-10 %, until a graceful end; 0: NEVER
    uint64_t max_age_grace_ns;     // from then on for its calls to end; 0: NEVER
    uint64_t keepalive_ns;         // of silence, until a PING asks for a sign of life; 0: 2 h
    uint64_t keepalive_timeout_ns; // for the sign to come; 0: 20 s
    uint64_t ping_interval_ns;     // between the client's PINGs, while nothing is sent; 0: 5 min
};

struct edge_h2;
struct edge_h2_session;

// `config` and what it points to must outlive the sessions. 0 and *h2, or -ENOMEM.
int edge_h2_new(const struct edge_h2_config *config, struct edge_h2 **h2);
// After its last session. NULL is allowed.
void edge_h2_del(struct edge_h2 *h2);

// A new connection; its SETTINGS are ready to be filled. 0 and *session, or -ENOMEM.
int edge_h2_session_new(struct edge_h2 *h2, uint64_t now_ns, struct edge_h2_session **session);
// Ends all its calls. NULL is allowed.
void edge_h2_session_del(struct edge_h2_session *session);

// Takes all `len` bytes; methods run from here. 0, or EDGE_ERR_PROTOCOL or -ENOMEM: fill what there
// is (a GOAWAY, perhaps), send it and close.
int edge_h2_session_receive(struct edge_h2_session *session, const uint8_t *bytes, size_t len,
                            uint64_t now_ns);

// Appends frames to `out` until its length reaches `high`, or nothing can be sent now. A single
// frame may exceed `high` by its size. 0, EDGE_ERR_PROTOCOL or -ENOMEM: close.
int edge_h2_session_fill(struct edge_h2_session *session, struct edge_buffer *out, size_t high);

// True when both sides are done: close once `out` is sent.
bool edge_h2_session_finished(const struct edge_h2_session *session);

// When edge_h2_session_tick() is next needed at the latest, or EDGE_H2_NEVER. May be early. It
// changes in receive and tick.
uint64_t edge_h2_session_due(const struct edge_h2_session *session);
// Ends the calls whose deadline has passed, and runs those whose timer is due; then fill.
void edge_h2_session_tick(struct edge_h2_session *session, uint64_t now_ns);

// Looks at the limits of grpc/limits.h that are times: to be called about every second. True: fill.
bool edge_h2_session_sweep(struct edge_h2_session *session, uint64_t now_ns);

// Graceful end in two steps (RFC 9113, 6.8): a GOAWAY that still lets streams in that are under
// way, and a PING; when its ACK comes, or a sweep finds it late, or on _shutdown_now(), the GOAWAY
// with the last stream. Calls in flight go on. Both are safe twice; then fill.
void edge_h2_session_shutdown(struct edge_h2_session *session, uint64_t now_ns);
void edge_h2_session_shutdown_now(struct edge_h2_session *session);

#endif
