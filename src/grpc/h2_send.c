#include <string.h>

#include "grpc/h2_fields.h"
#include "grpc/h2_internal.h"
#include "grpc/limits.h"

// What the client takes in a header list.
static uint32_t told_list_max(const struct edge_h2_stream *stream)
{
    return nghttp2_session_get_remote_settings(stream->session->ng,
                                               NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE);
}

// The same, asked for only where the call has something to leave out.
static uint32_t list_max(const struct edge_h2_stream *stream)
{
    const struct edge_call *call = &stream->call;
    if (call->message_len == 0 && call->metadata == NULL)
        return UINT32_MAX;
    return told_list_max(stream);
}

// The frame with END_STREAM is submitted.
static void set_trailed(struct edge_h2_stream *stream)
{
    stream->trailed = true;
    if (!stream->call.half_closed) {
        stream->early = true;
        stream->session->early_streams++;
    }
}

void edge_h2_send_reset(struct edge_h2_stream *stream, uint32_t error_code)
{
    stream->trailed = true;
    stream->call.ended = true;
    // Fails only without memory, and then the session does too.
    nghttp2_submit_rst_stream(stream->session->ng, NGHTTP2_FLAG_NONE, stream->id, error_code);
}

static ssize_t read_reply(nghttp2_session *ng, int32_t id, uint8_t *buffer, size_t length,
                          uint32_t *flags, nghttp2_data_source *source, void *user_data)
{
    (void)buffer;
    (void)user_data;
    struct edge_h2_stream *stream = source->ptr;
    struct edge_call *call = &stream->call;
    stream->session->current = stream;
    size_t pending = edge_call_pending(call);
    size_t take = pending < length ? pending : length;
    if (take > 0)
        *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (call->ended && take == pending) {
        nghttp2_nv fields[EDGE_H2_FIELDS_MAX];
        size_t count = edge_h2_fields_trailers(fields, call, list_max(stream));
        if (nghttp2_submit_trailer(ng, id, fields, count) != 0)
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        set_trailed(stream);
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    } else if (take == 0) {
        stream->deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    stream->granted = (uint32_t)take;
    return (ssize_t)take;
}

void edge_h2_send_credit(struct edge_h2_stream *stream)
{
    if (stream->unconsumed < stream->session->h2->config.window / 4 ||
        edge_call_full(&stream->call))
        return;
    nghttp2_session_consume_stream(stream->session->ng, stream->id, stream->unconsumed);
    stream->unconsumed = 0;
}

static int send_data(nghttp2_session *ng, nghttp2_frame *frame, const uint8_t *header,
                     size_t length, nghttp2_data_source *source, void *user_data)
{
    (void)ng;
    (void)frame;
    struct edge_h2_session *session = user_data;
    struct edge_h2_stream *stream = source->ptr;
    struct edge_buffer *out = session->out;
    if (out->len >= session->out_high)
        return NGHTTP2_ERR_WOULDBLOCK;
    if (edge_buffer_reserve(out, 9 + length) < 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    uint8_t *at = edge_buffer_tail(out);
    memcpy(at, header, 9);
    memcpy(at + 9, edge_call_head(&stream->call), length);
    out->len += 9 + length;
    edge_call_sent(&stream->call, length);
    session->earned += length / EDGE_LIMIT_EARNED_PER_OUT;
    stream->granted = 0;
    session->sent = true;
    edge_h2_send_credit(stream);
    return 0;
}

static void send_trailers(struct edge_h2_stream *stream, uint32_t error_code)
{
    nghttp2_nv fields[EDGE_H2_FIELDS_MAX];
    size_t count = edge_h2_fields_trailers(fields, &stream->call, list_max(stream));
    set_trailed(stream);
    if (nghttp2_submit_trailer(stream->session->ng, stream->id, fields, count) != 0)
        edge_h2_send_reset(stream, error_code);
}

// No reply, but initial metadata, which clients would take for trailing in Trailers-Only.
static void respond_without_reply(struct edge_h2_stream *stream)
{
    nghttp2_nv fields[EDGE_H2_FIELDS_MAX];
    size_t count = edge_h2_fields_response(fields, &stream->call, list_max(stream));
    stream->responded = true;
    if (nghttp2_submit_headers(stream->session->ng, NGHTTP2_FLAG_NONE, stream->id, NULL, fields,
                               count, NULL) != 0)
        edge_h2_send_reset(stream, NGHTTP2_INTERNAL_ERROR);
    else
        send_trailers(stream, NGHTTP2_INTERNAL_ERROR);
}

static void respond(struct edge_h2_stream *stream)
{
    struct edge_call *call = &stream->call;
    nghttp2_nv fields[EDGE_H2_FIELDS_MAX];
    nghttp2_data_provider provider = {.source.ptr = stream, .read_callback = read_reply};
    nghttp2_data_provider *body = NULL;
    size_t count;
    // What is yet to be produced is so when it can be sent: a reset may come before.
    if (edge_call_produces(call) || edge_call_pending(call) > 0) {
        count = edge_h2_fields_response(fields, call, list_max(stream));
        body = &provider;
    } else if (call->ended && call->metadata != NULL && call->metadata->initial.count > 0) {
        respond_without_reply(stream);
        return;
    } else if (call->ended) {
        count = edge_h2_fields_trailers_only(fields, call, list_max(stream));
        set_trailed(stream);
    } else {
        return;
    }
    stream->responded = true;
    stream->session->sent = true;
    if (nghttp2_submit_response(stream->session->ng, stream->id, fields, count, body) != 0)
        edge_h2_send_reset(stream, NGHTTP2_INTERNAL_ERROR);
}

void edge_h2_send_advance(struct edge_h2_stream *stream)
{
    if (!stream->responded) {
        respond(stream);
    } else if (stream->deferred) {
        stream->deferred = false;
        nghttp2_session_resume_data(stream->session->ng, stream->id);
    }
}

void edge_h2_send_refusal(struct edge_h2_stream *stream, const struct edge_refusal *refusal)
{
    nghttp2_nv fields[EDGE_H2_FIELDS_MAX];
    size_t count = edge_h2_fields_refusal(fields, refusal, told_list_max(stream));
    stream->call.ended = true;
    stream->responded = true;
    set_trailed(stream);
    stream->session->sent = true;
    if (nghttp2_submit_response(stream->session->ng, stream->id, fields, count, NULL) != 0)
        edge_h2_send_reset(stream, NGHTTP2_INTERNAL_ERROR);
}

void edge_h2_send_expired(struct edge_h2_stream *stream)
{
    struct edge_call *call = &stream->call;
    call->deadline_ns = EDGE_CALL_NEVER;
    if (stream->trailed)
        return;
    if (stream->granted == 0)
        edge_call_expire(call);
    if (stream->granted > 0 || call->broken) {
        edge_h2_send_reset(stream, NGHTTP2_CANCEL);
        return;
    }
    if (!stream->responded) {
        respond(stream);
        return;
    }
    // DATA may be waiting for window that never comes: the trailers go without it.
    send_trailers(stream, NGHTTP2_CANCEL);
}

void edge_h2_send_tick(struct edge_h2_stream *stream)
{
    edge_call_tick(&stream->call);
    if (!stream->trailed)
        edge_h2_send_advance(stream);
}

// A response that ends before its request: the client is told to stop sending, without an error
// (RFC 9113, 8.1). Submitted any sooner, the reset would overtake the response.
static void stop_client(struct edge_h2_session *session, int32_t id)
{
    struct edge_h2_stream *stream = edge_h2_stream_find(session, id);
    if (stream != NULL && stream->early && !stream->call.half_closed)
        nghttp2_submit_rst_stream(session->ng, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
}

// Not inlined, as it would make the usual case save registers that it does not need.
__attribute__((noinline)) static void on_unusual_send(struct edge_h2_session *session,
                                                      const nghttp2_frame *frame)
{
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
            stop_client(session, frame->hd.stream_id);
        break;
    case NGHTTP2_RST_STREAM:
        if (frame->rst_stream.error_code != NGHTTP2_NO_ERROR &&
            frame->rst_stream.error_code != NGHTTP2_REFUSED_STREAM)
            edge_h2_session_count(session, &session->faults, EDGE_LIMIT_FAULTS_BURST,
                                  EDGE_LIMIT_FAULTS_PER_S, "too many faulty streams");
        break;
    case NGHTTP2_WINDOW_UPDATE:
        if (frame->hd.stream_id == 0)
            session->window_given += (uint64_t)frame->window_update.window_size_increment;
        break;
    case NGHTTP2_GOAWAY:
        session->gone = session->over;
        break;
    default:
        break;
    }
}

static int on_frame_send(nghttp2_session *ng, const nghttp2_frame *frame, void *user_data)
{
    (void)ng;
    struct edge_h2_session *session = user_data;
    if (frame->hd.type > NGHTTP2_HEADERS || session->early_streams > 0) // DATA is 0, HEADERS 1
        on_unusual_send(session, frame);
    return 0;
}

void edge_h2_send_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
}
