#include <errno.h>

#include "base/error.h"
#include "grpc/h2_internal.h"
#include "grpc/limits.h"
#include "grpc/timeout.h"

static int on_begin_headers(nghttp2_session *ng, const nghttp2_frame *frame, void *user_data)
{
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0; // trailers
    struct edge_h2_session *session = user_data;
    struct edge_h2_stream *stream = edge_pool_alloc(session->h2->config.pool, sizeof(*stream));
    if (stream == NULL) // the client may try again: nothing has been done
        return nghttp2_submit_rst_stream(ng, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                         NGHTTP2_REFUSED_STREAM);
    *stream =
        (struct edge_h2_stream){.call = EDGE_CALL_INIT(&session->h2->call_shared, &session->budget),
                                .session = session,
                                .next = session->streams,
                                .id = frame->hd.stream_id};
    if (stream->next != NULL)
        stream->next->previous = stream;
    session->streams = session->current = stream;
    edge_h2_head_begin(&session->head);
    nghttp2_session_set_stream_user_data(ng, stream->id, stream);
    if (stream->id >= EDGE_LIMIT_STREAM_ID)
        edge_h2_session_shutdown(session, session->h2->call_shared.now_ns);
    return 0;
}

static int take_trailer(struct edge_h2_stream *stream, nghttp2_rcbuf *name, nghttp2_rcbuf *value)
{
    nghttp2_vec name_text = nghttp2_rcbuf_get_buf(name);
    nghttp2_vec value_text = nghttp2_rcbuf_get_buf(value);
    return edge_h2_rules_field(&stream->rules, name_text.base, name_text.len, value_text.base,
                               value_text.len);
}

// The header list cannot be taken: nghttp2 is not to show the rest of it.
static int drop_list(struct edge_h2_stream *stream, int error)
{
    if (error == EDGE_ERR_PROTOCOL)
        edge_h2_send_reset(stream, NGHTTP2_PROTOCOL_ERROR);
    else if (error == -ENOMEM)
        edge_h2_send_reset(stream, NGHTTP2_INTERNAL_ERROR);
    else
        edge_h2_session_end(stream->session, NGHTTP2_ENHANCE_YOUR_CALM, "a header list too large");
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static int take_request_field(struct edge_h2_stream *stream, nghttp2_rcbuf *name,
                              nghttp2_rcbuf *value)
{
    struct edge_h2_session *session = stream->session;
    int error = edge_h2_head_field(&session->head, session->h2->config.tables, name, value);
    if (error < 0 || !edge_h2_head_metadata(&session->head))
        return error;
    nghttp2_vec name_text = nghttp2_rcbuf_get_buf(name);
    nghttp2_vec value_text = nghttp2_rcbuf_get_buf(value);
    error = edge_call_field(&stream->call, (const char *)name_text.base, name_text.len,
                            (const char *)value_text.base, value_text.len);
    return error == EDGE_ERR_FORMAT ? 0 : error; // the whole request is refused for it
}

// Kept out of line: inlined, it would make the usual case save registers that it does not need.
__attribute__((noinline)) static int take_field(struct edge_h2_session *session,
                                                const nghttp2_frame *frame, nghttp2_rcbuf *name,
                                                nghttp2_rcbuf *value)
{
    struct edge_h2_stream *stream = edge_h2_stream_find(session, frame->hd.stream_id);
    if (stream == NULL)
        return 0;
    int error = frame->headers.cat == NGHTTP2_HCAT_REQUEST ? take_request_field(stream, name, value)
                                                           : take_trailer(stream, name, value);
    return error == 0 ? 0 : drop_list(stream, error);
}

static int on_header(nghttp2_session *ng, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *user_data)
{
    (void)ng;
    (void)flags;
    struct edge_h2_session *session = user_data;
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST &&
        edge_h2_head_repeated(&session->head, name, value))
        return 0;
    return take_field(session, frame, name, value);
}

static void on_request(struct edge_h2_stream *stream, const struct edge_h2_head *head)
{
    struct edge_h2_session *session = stream->session;
    const uint64_t now_ns = session->h2->call_shared.now_ns;
    struct edge_call *call = &stream->call;
    const struct edge_request *request = &head->request;
    struct edge_refusal refusal;
    if (edge_request_refused(request, head->method != NULL, head->service_found, &refusal)) {
        if (head->method == NULL || !head->method->any_request) {
            edge_h2_send_refusal(stream, &refusal);
            return;
        }
    }
    call->gzip_requests = request->gzip;
    call->gzip_replies = request->accepts_gzip;
    edge_call_start(call, head->method);
    if (request->has_timeout) {
        call->deadline_ns = edge_timeout_deadline(now_ns, request->timeout_ns);
        if (call->deadline_ns <= now_ns)
            edge_call_expire(call);
        else if (call->deadline_ns < session->due_ns)
            session->due_ns = call->deadline_ns;
    }
    if (call->ended)
        edge_h2_send_advance(stream);
}

static void on_end_stream(struct edge_h2_stream *stream)
{
    edge_call_half_close(&stream->call);
    if (!stream->trailed)
        edge_h2_send_advance(stream);
}

// HEADERS or DATA has come whole.
static void on_message_frame(struct edge_h2_stream *stream, const nghttp2_frame *frame)
{
    struct edge_h2_session *session = stream->session;
    const struct edge_h2_head *head = NULL;
    bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    int error = 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        head = session->head.head;
        if (head != NULL)
            stream->rules = head->rules;
        error = edge_h2_rules_request(&stream->rules);
    } else if (!ends && frame->hd.type == NGHTTP2_HEADERS) {
        error = EDGE_ERR_PROTOCOL; // trailers end a request
    } else if (!ends && frame->hd.length == frame->data.padlen) {
        edge_h2_session_count(session, &session->empty_data, EDGE_LIMIT_EMPTY_DATA_BURST,
                              EDGE_LIMIT_EMPTY_DATA_PER_S, "too many empty DATA frames");
    }
    if (error == 0 && ends)
        error = edge_h2_rules_end(&stream->rules);
    if (error < 0) {
        edge_h2_send_reset(stream, NGHTTP2_PROTOCOL_ERROR);
        return;
    }
    if (head != NULL) {
        session->earned += frame->hd.length + EDGE_LIMIT_EARNED_PER_REQUEST;
        on_request(stream, head);
    }
    if (ends)
        on_end_stream(stream);
}

static void on_settings(struct edge_h2_session *session, bool ack)
{
    if (ack) {
        session->settings_acked = true;
        return;
    }
    session->settings_came = true;
    edge_h2_session_count(session, &session->settings, EDGE_LIMIT_SETTINGS_BURST,
                          EDGE_LIMIT_SETTINGS_PER_S, "too many SETTINGS");
}

static int on_frame_recv(nghttp2_session *ng, const nghttp2_frame *frame, void *user_data)
{
    (void)ng;
    struct edge_h2_session *session = user_data;
    struct edge_h2_stream *stream;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA:
        stream = edge_h2_stream_find(session, frame->hd.stream_id);
        if (stream != NULL)
            on_message_frame(stream, frame);
        return 0;
    case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0)
            edge_h2_session_pinged(session);
        else if (session->phase == EDGE_H2_NOTICE_SENT)
            edge_h2_session_shutdown_now(session);
        return 0;
    case NGHTTP2_SETTINGS:
        on_settings(session, (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0);
        return 0;
    default:
        return 0;
    }
}

static int on_data_chunk(nghttp2_session *ng, uint8_t flags, int32_t id, const uint8_t *bytes,
                         size_t len, void *user_data)
{
    (void)ng;
    (void)flags;
    struct edge_h2_session *session = user_data;
    session->unconsumed += len;
    struct edge_h2_stream *stream = edge_h2_stream_find(session, id);
    if (stream == NULL)
        return 0;
    if (edge_h2_rules_data(&stream->rules, len) < 0)
        edge_h2_send_reset(stream, NGHTTP2_PROTOCOL_ERROR);
    if (stream->call.ended)
        return 0;
    const uint32_t before = stream->call.requests;
    edge_call_receive(&stream->call, bytes, len);
    session->earned += (uint64_t)EDGE_LIMIT_EARNED_PER_MESSAGE * (stream->call.requests - before);
    stream->unconsumed += (uint32_t)len;
    edge_h2_send_credit(stream);
    edge_h2_send_advance(stream);
    return 0;
}

static int on_stream_close(nghttp2_session *ng, int32_t id, uint32_t error_code, void *user_data)
{
    (void)error_code;
    (void)ng;
    struct edge_h2_stream *stream = edge_h2_stream_find(user_data, id);
    if (stream != NULL)
        edge_h2_stream_close(stream);
    return 0;
}

void edge_h2_receive_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
}
