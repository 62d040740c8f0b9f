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

// One stream, from its HEADERS to its close.
struct edge_h2_stream {
    struct edge_call call; // first: a call is found in its stream
    struct edge_h2_session *session;
    struct edge_h2_stream *next, *previous;
    struct edge_h2_rules rules;
    int32_t id;
    uint32_t unconsumed; // DATA bytes not yet given back to the stream's window
    uint32_t granted;    // bytes promised to nghttp2 for a DATA frame that is not yet in `out`
    bool responded;      // response HEADERS are submitted
    bool deferred;       // nghttp2 waits for a reply
    bool trailed;        // the last frame is submitted
    bool early;          // ... before the client's END_STREAM: see h2_send.c
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
    uint64_t opened_ns;
    uint64_t due_ns; // no deadline and no timer of a call lies before
    enum edge_h2_phase phase;
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

// --- h2_receive.c: frames become calls ---

void edge_h2_receive_callbacks(nghttp2_session_callbacks *callbacks);

// --- h2_send.c: replies become frames ---

void edge_h2_send_callbacks(nghttp2_session_callbacks *callbacks);
// The call may have something to send.
void edge_h2_send_advance(struct edge_h2_stream *stream);
void edge_h2_send_refusal(struct edge_h2_stream *stream, const struct edge_refusal *refusal);
void edge_h2_send_reset(struct edge_h2_stream *stream, uint32_t error_code);
// The call's deadline has passed.
void edge_h2_send_expired(struct edge_h2_stream *stream);
// The call's timer is due.
void edge_h2_send_tick(struct edge_h2_stream *stream);
// Gives DATA bytes back to the stream's window, once there are enough of them and replies are not
// held up.
void edge_h2_send_credit(struct edge_h2_stream *stream);

#endif
