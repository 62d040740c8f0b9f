// What h2.c, h2_receive.c and h2_send.c share: a connection and its streams.
#ifndef EDGE_GRPC_H2_INTERNAL_H
#define EDGE_GRPC_H2_INTERNAL_H

#include <nghttp2/nghttp2.h>

#include "grpc/call.h"
#include "grpc/h2.h"
#include "grpc/h2_head.h"
#include "grpc/h2_rules.h"
#include "grpc/request.h"

struct edge_h2 {
    struct edge_h2_config config;
    struct edge_call_shared call_shared;
    struct edge_gzip gzip;
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *options;
    nghttp2_mem memory;
};

// What is_stuck() of h2_limits.c remembers from sweep to sweep. All zero: it waits for nothing.
struct edge_h2_watch {
    uint32_t since_s; // 0: not
    uint32_t progress;
};

// One stream, from its HEADERS to its close.
struct edge_h2_stream {
    struct edge_call call; // first: a call is found in its stream
    struct edge_h2_session *session;
    struct edge_h2_stream *next, *previous;
    struct edge_h2_rules rules;
    int32_t id;
    uint32_t unconsumed; // DATA bytes not yet given back to the stream's window
    uint32_t granted;    // bytes promised to nghttp2 for a DATA frame that is not yet in `out`
    struct edge_h2_watch input, output;
    bool responded; // response HEADERS are submitted
    bool deferred;  // nghttp2 waits for a reply
    bool trailed;   // the last frame is submitted
    bool early;     // ... before the client's END_STREAM: see h2_send.c
};

// Of a graceful end.
enum edge_h2_phase { EDGE_H2_RUNNING, EDGE_H2_NOTICE_SENT, EDGE_H2_LAST_SENT };

struct edge_h2_session {
    struct edge_h2 *h2;
    nghttp2_session *ng;
    struct edge_h2_stream *streams; // all that are open
    struct edge_h2_stream *current; // the last one that frames were for, or NULL
    struct edge_buffer *out;        // during a fill
    size_t out_high;
    size_t early_streams; // those with `early`
    size_t unconsumed;    // DATA bytes not yet given back to the connection's window
    struct edge_call_budget budget;
    uint64_t due_ns; // no deadline and no timer of a call lies before
    enum edge_h2_phase phase;
    bool over; // the GOAWAY that ends it at once is submitted
    bool gone; // ... and sent
    // For the limits.
    bool settings_came, settings_acked;
    bool heard; // bytes have come since the latest sweep
    bool asked; // ... and since the PING that asks for some
    bool sent;  // a response or DATA, since the client's latest PING
    uint8_t ping_strikes;
    int32_t idle_stream; // the latest stream when it was last seen busy
    uint64_t opened_ns, heard_ns, asked_ns, idle_ns, ping_ns, notice_ns;
    uint64_t max_age_ns;
    uint64_t faults, settings, empty_data; // buckets
    uint64_t overhead, earned;             // bytes: see edge_h2_session_weigh()
    uint64_t overhead_ns;
    uint64_t window_given;           // by WINDOW_UPDATE for the connection
    uint64_t data_seen;              // bytes of DATA that have earned something
    struct edge_h2_head_reader head; // of the request whose fields are coming
};

// The open stream `id`, or NULL.
static inline struct edge_h2_stream *edge_h2_stream_find(struct edge_h2_session *session,
                                                         int32_t id)
{
    if (session->current != NULL && session->current->id == id)
        return session->current;
    return session->current = nghttp2_session_get_stream_user_data(session->ng, id);
}

// The stream is over.
void edge_h2_stream_close(struct edge_h2_stream *stream);

// --- h2_limits.c ---

// Ends the connection at once: GOAWAY, and nothing after it.
void edge_h2_session_end(struct edge_h2_session *session, uint32_t error_code, const char *text)
    __attribute__((cold));
// Counts one event in a bucket of the session, and ends the connection if it overflows.
void edge_h2_session_count(struct edge_h2_session *session, uint64_t *bucket, unsigned burst,
                           unsigned per_s, const char *text) __attribute__((cold));
// Before more bytes are taken, and when all answers to those before are sent: ends the connection
// if too many of them were overhead.
void edge_h2_session_weigh(struct edge_h2_session *session);
// A PING has come.
void edge_h2_session_pinged(struct edge_h2_session *session) __attribute__((cold));

// --- h2_receive.c: frames become calls ---

void edge_h2_receive_callbacks(nghttp2_session_callbacks *callbacks);

// --- h2_send.c: replies become frames ---

void edge_h2_send_callbacks(nghttp2_session_callbacks *callbacks);
// The call may have something to send.
void edge_h2_send_advance(struct edge_h2_stream *stream);
void edge_h2_send_refusal(struct edge_h2_stream *stream, const struct edge_refusal *refusal)
    __attribute__((cold));
void edge_h2_send_reset(struct edge_h2_stream *stream, uint32_t error_code) __attribute__((cold));
// The call's deadline has passed.
void edge_h2_send_expired(struct edge_h2_stream *stream) __attribute__((cold));
// The call's timer is due.
void edge_h2_send_tick(struct edge_h2_stream *stream);
// Gives DATA bytes back to the stream's window, once there are enough of them and replies are not
// held up.
void edge_h2_send_credit(struct edge_h2_stream *stream);

#endif
