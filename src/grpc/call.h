// One gRPC call on the server's side: requests in, replies and a status out. It knows the gRPC
// rules (sizes, flags, compression, how many messages, deadline), and nothing of HTTP/2.
//
// A transport feeds it (edge_call_receive, edge_call_half_close, edge_call_expire) and takes what
// it has to send: first the bytes of edge_call_pending(), then, once `ended`, the status. It calls
// edge_call_tick() when `wake_ns` has come.
#ifndef EDGE_GRPC_CALL_H
#define EDGE_GRPC_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "grpc/framing.h"
#include "grpc/gzip.h"
#include "grpc/limits.h"
#include "grpc/metadata.h"
#include "grpc/method.h"
#include "grpc/status.h"

#define EDGE_CALL_QUEUE_HIGH  16384u     // bytes of replies at which a method should stop
#define EDGE_CALL_MESSAGE_MAX 1024u      // longest grpc-message, percent-encoded
#define EDGE_CALL_NEVER       UINT64_MAX // no deadline, no timer

// What all calls of a server share. Borrowed by each call.
struct edge_call_shared {
    struct edge_pool *pool;
    size_t max_message; // bytes of one request message
    void *context;      // the server's own, for its methods
    struct edge_gzip *gzip;
    edge_gzip_compress *compress; // of replies; NULL: none are compressed
    uint64_t now_ns;              // kept by the transport
    // Something was queued outside of receive, half_close, produce and tick. Set by the transport.
    void (*wake)(struct edge_call *call);
    // call->wake_ns was set. Set by the transport.
    void (*schedule)(struct edge_call *call);
};

// What the calls of one connection may hold together: see EDGE_LIMIT_CALL_FREE.
struct edge_call_budget {
    size_t used, limit; // bytes
};

// Custom metadata of a call, for a method whose row asks for it.
struct edge_call_metadata {
    struct edge_metadata request;
    struct edge_metadata initial;  // goes out before the first reply
    struct edge_metadata trailing; // goes out with the status
};

struct edge_call {
    const struct edge_call_shared *shared;
    const struct edge_method *method; // NULL until edge_call_start()
    void *state;                      // method->state_size zeroed bytes
    struct edge_call_metadata *metadata;
    struct edge_call_budget *budget; // NULL: no limit
    size_t charged;                  // bytes of the budget
    size_t kept;                     // bytes that the method holds
    uint64_t deadline_ns;            // EDGE_CALL_NEVER: none
    uint64_t wake_ns;                // when method->tick is due; EDGE_CALL_NEVER: not

    struct edge_framing framing;
    uint8_t *queue; // replies with their prefixes: [queue_at, queue_end) is to be sent
    size_t queue_at, queue_end, queue_cap;
    size_t head_left;  // bytes left of a reply that is partly sent; 0: at a boundary
    uint32_t requests; // messages that came
    uint32_t replies;  // messages that were queued

    bool gzip_requests; // grpc-encoding of the request is gzip: set before edge_call_start()
    bool gzip_replies;  // the client takes gzip: also; then, also the method may send it
    bool compressed;    // the request message at hand came compressed
    bool compress;      // set by a method: the next replies go compressed, if gzip_replies
    bool half_closed;   // the client has sent all it will
    bool ended;         // `status` is decided
    bool broken;        // ended in the middle of a reply: nothing but a reset can say so
    uint8_t status;     // enum edge_status
    uint16_t message_len;
    char *message; // grpc-message, percent-encoded; NULL: none
};

// --- For the transport ---

// A call that has no method yet. edge_call_free() it.
#define EDGE_CALL_INIT(shared_, budget_)                                                           \
    {                                                                                              \
        .shared = (shared_), .budget = (budget_), .deadline_ns = EDGE_CALL_NEVER,                  \
        .wake_ns = EDGE_CALL_NEVER                                                                 \
    }
// Tells the method that the call is over, and gives all memory back.
void edge_call_free(struct edge_call *call);

// A field of the request's header list, for a method whose row has `metadata`; before
// edge_call_start(). 0, EDGE_ERR_FORMAT or -ENOMEM, as edge_metadata_take().
int edge_call_field(struct edge_call *call, const char *name, size_t name_len, const char *value,
                    size_t value_len);
// Starts the method. After this the call may have ended (out of memory).
void edge_call_start(struct edge_call *call, const struct edge_method *method);
// Takes bytes of the request stream, however they are cut. Ignored once the call has ended.
void edge_call_receive(struct edge_call *call, const uint8_t *bytes, size_t len);
// The request stream has ended.
void edge_call_half_close(struct edge_call *call);
// The deadline has passed: ends with DEADLINE_EXCEEDED, replacing what is not sent; or `broken`.
void edge_call_expire(struct edge_call *call);
// wake_ns has come.
void edge_call_tick(struct edge_call *call);

// True if the method makes its replies as they are asked for, and is not done.
static inline bool edge_call_produces(const struct edge_call *call)
{
    return !call->ended && call->half_closed && call->method != NULL &&
           call->method->produce != NULL;
}
// The bytes ready to be sent; asks the method for more where it can. A single reply is held back
// until its call has ended well.
size_t edge_call_pending(struct edge_call *call);
// The first of those bytes, and drops `len` of them once they are sent.
static inline const uint8_t *edge_call_head(const struct edge_call *call)
{
    return call->queue + call->queue_at;
}
void edge_call_sent(struct edge_call *call, size_t len);

// --- For methods ---

// Makes room for a reply of at most `size` bytes and returns where its bytes go, or NULL: the call
// has then ended. Then edge_call_reply_end() with the real length, or nothing to give it up.
uint8_t *edge_call_reply(struct edge_call *call, size_t size);
void edge_call_reply_end(struct edge_call *call, size_t len);

// Enough is queued: wait for `produce`.
static inline bool edge_call_full(const struct edge_call *call)
{
    return call->queue_end - call->queue_at >= EDGE_CALL_QUEUE_HIGH;
}

// The method holds `bytes` of memory for the call from now on. False: that is too much, and the
// call has ended.
bool edge_call_charge(struct edge_call *call, size_t bytes);
static inline bool edge_call_keep(struct edge_call *call, size_t bytes)
{
    if (bytes > EDGE_LIMIT_CALL_FREE || call->charged > 0)
        return edge_call_charge(call, bytes);
    call->kept = bytes;
    return true;
}

// Has method->tick called once, `delay_ns` from now. A second timer replaces the first. Not from
// produce.
void edge_call_sleep(struct edge_call *call, uint64_t delay_ns);

// Metadata for the client; the method's row has `metadata`. "-bin" values are bytes, as
// grpc-status-details-bin. What cannot be sent, or would be too much, ends the call with INTERNAL.
// Initial metadata that is set after the first reply is not sent.
void edge_call_initial(struct edge_call *call, const char *name, const void *value, size_t len);
void edge_call_trailing(struct edge_call *call, const char *name, const void *value, size_t len);

// Ends the call after the replies queued so far (a single reply is dropped unless the status is
// OK). The first end counts, later ones are ignored. `format` may be NULL: no grpc-message.
void edge_call_end(struct edge_call *call, enum edge_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
