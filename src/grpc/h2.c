#include "grpc/h2.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <string.h>

#include "base/error.h"
#include "grpc/call.h"
#include "grpc/h2_fields.h"
#include "grpc/h2_head.h"
#include "grpc/h2_memory.h"
#include "grpc/h2_rules.h"
#include "grpc/request.h"
#include "grpc/timeout.h"

#define MESSAGE_DEFAULT ((size_t)4 << 20)
#define STREAMS_DEFAULT 1000u
#define WINDOW_DEFAULT  (1u << 20)

struct edge_h2 {
    struct edge_h2_config config;
    struct edge_call_shared call_shared;
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *options;
    nghttp2_mem memory;
};

// One stream, from its HEADERS to its close.
struct stream {
    struct edge_call call; // first: a call is found in its stream
    struct edge_h2_session *session;
    struct stream *next, *previous;
    struct edge_h2_rules rules;
    int32_t id;
    uint32_t unconsumed; // DATA bytes not yet given back to the stream's window
    uint32_t granted;    // bytes promised to nghttp2 for a DATA frame that is not yet in `out`
    bool responded;      // response HEADERS are submitted
    bool deferred;       // nghttp2 waits for a reply
    bool trailed;        // the last frame is submitted
    bool early;          // ... before the client's END_STREAM: see on_frame_send
};

enum shutdown_phase { RUNNING, NOTICE_SENT, LAST_SENT };

struct edge_h2_session {
    struct edge_h2 *h2;
    nghttp2_session *ng;
    struct stream *streams;  // all that are open
    struct stream *current;  // the last one that frames were for, or NULL
    struct edge_buffer *out; // during a fill
    size_t out_high;
    size_t early_streams; // those with `early`
    size_t unconsumed;    // DATA bytes not yet given back to the connection's window
    uint64_t due_ns;      // no deadline lies before
    uint64_t now_ns;
    enum shutdown_phase phase;
    struct edge_h2_head_reader head; // of the request whose fields are coming
};

static struct stream *find(struct edge_h2_session *session, int32_t id)
{
    if (session->current != NULL && session->current->id == id)
        return session->current;
    return session->current = nghttp2_session_get_stream_user_data(session->ng, id);
}

static void close_stream(struct stream *stream)
{
    struct edge_h2_session *session = stream->session;
    if (stream->previous != NULL)
        stream->previous->next = stream->next;
    else
        session->streams = stream->next;
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
    if (session->current == stream)
        session->current = NULL;
    if (stream->early)
        session->early_streams--;
    edge_call_free(&stream->call);
    edge_pool_release(session->h2->config.pool, stream);
}

// --- Sending ---

// What the client takes in a header list.
static uint32_t list_max(const struct stream *stream)
{
    return nghttp2_session_get_remote_settings(stream->session->ng,
                                               NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE);
}

// The frame with END_STREAM is submitted.
static void set_trailed(struct stream *stream)
{
    stream->trailed = true;
    if (!stream->call.half_closed) {
        stream->early = true;
        stream->session->early_streams++;
    }
}

static void reset(struct stream *stream, uint32_t error_code)
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
    struct stream *stream = source->ptr;
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

// Gives back what a stream with a full queue held.
static void consume(struct stream *stream)
{
    nghttp2_session_consume_stream(stream->session->ng, stream->id, stream->unconsumed);
    stream->unconsumed = 0;
}

static int send_data(nghttp2_session *ng, nghttp2_frame *frame, const uint8_t *header,
                     size_t length, nghttp2_data_source *source, void *user_data)
{
    (void)ng;
    (void)frame;
    struct edge_h2_session *session = user_data;
    struct stream *stream = source->ptr;
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
    stream->granted = 0;
    if (stream->unconsumed >= session->h2->config.window / 4 && !edge_call_full(&stream->call))
        consume(stream);
    return 0;
}

static void respond(struct stream *stream)
{
    struct edge_call *call = &stream->call;
    nghttp2_nv fields[EDGE_H2_FIELDS_MAX];
    nghttp2_data_provider provider = {.source.ptr = stream, .read_callback = read_reply};
    nghttp2_data_provider *body = NULL;
    size_t count;
    if (edge_call_pending(call) > 0) {
        count = edge_h2_fields_response(fields);
        body = &provider;
    } else if (call->ended) {
        count = edge_h2_fields_trailers_only(fields, call, list_max(stream));
        set_trailed(stream);
    } else {
        return;
    }
    stream->responded = true;
    if (nghttp2_submit_response(stream->session->ng, stream->id, fields, count, body) != 0)
        reset(stream, NGHTTP2_INTERNAL_ERROR);
}

// The call may have something to send.
static void advance(struct stream *stream)
{
    if (!stream->responded) {
        respond(stream);
    } else if (stream->deferred) {
        stream->deferred = false;
        nghttp2_session_resume_data(stream->session->ng, stream->id);
    }
}

static void wake(struct edge_call *call)
{
    advance((struct stream *)call);
}

static void refuse(struct stream *stream, const struct edge_refusal *refusal)
{
    nghttp2_nv fields[EDGE_H2_FIELDS_MAX];
    size_t count = edge_h2_fields_refusal(fields, refusal);
    stream->call.ended = true;
    stream->responded = true;
    set_trailed(stream);
    if (nghttp2_submit_response(stream->session->ng, stream->id, fields, count, NULL) != 0)
        reset(stream, NGHTTP2_INTERNAL_ERROR);
}

// --- Receiving ---

static int on_begin_headers(nghttp2_session *ng, const nghttp2_frame *frame, void *user_data)
{
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0; // trailers
    struct edge_h2_session *session = user_data;
    struct stream *stream = edge_pool_alloc(session->h2->config.pool, sizeof(*stream));
    if (stream == NULL)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    *stream =
        (struct stream){.session = session, .next = session->streams, .id = frame->hd.stream_id};
    edge_call_init(&stream->call, &session->h2->call_shared);
    if (stream->next != NULL)
        stream->next->previous = stream;
    session->streams = session->current = stream;
    edge_h2_head_begin(&session->head);
    nghttp2_session_set_stream_user_data(ng, stream->id, stream);
    return 0;
}

static int take_trailer(struct stream *stream, nghttp2_rcbuf *name, nghttp2_rcbuf *value)
{
    nghttp2_vec name_text = nghttp2_rcbuf_get_buf(name);
    nghttp2_vec value_text = nghttp2_rcbuf_get_buf(value);
    return edge_h2_rules_field(&stream->rules, name_text.base, name_text.len, value_text.base,
                               value_text.len);
}

// The header list cannot be taken: nghttp2 is not to show the rest of it.
static int drop_list(struct stream *stream, int error)
{
    if (error == EDGE_ERR_PROTOCOL)
        reset(stream, NGHTTP2_PROTOCOL_ERROR);
    else if (nghttp2_session_terminate_session(stream->session->ng, NGHTTP2_ENHANCE_YOUR_CALM) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

// Kept out of line: inlined, it would make the usual case save registers that it does not need.
__attribute__((noinline)) static int take_field(struct edge_h2_session *session,
                                                const nghttp2_frame *frame, nghttp2_rcbuf *name,
                                                nghttp2_rcbuf *value)
{
    struct stream *stream = find(session, frame->hd.stream_id);
    if (stream == NULL)
        return 0;
    int error = frame->headers.cat == NGHTTP2_HCAT_REQUEST
                    ? edge_h2_head_field(&session->head, session->h2->config.tables, name, value)
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

static void on_request(struct stream *stream, const struct edge_h2_head *head)
{
    struct edge_h2_session *session = stream->session;
    struct edge_call *call = &stream->call;
    const struct edge_request *request = &head->request;
    struct edge_refusal refusal;
    if (edge_request_refused(request, head->method != NULL, head->service_found, &refusal)) {
        refuse(stream, &refusal);
        return;
    }
    edge_call_start(call, head->method);
    if (request->has_timeout) {
        call->deadline_ns = edge_timeout_deadline(session->now_ns, request->timeout_ns);
        if (call->deadline_ns <= session->now_ns)
            edge_call_expire(call);
        else if (call->deadline_ns < session->due_ns)
            session->due_ns = call->deadline_ns;
    }
    if (call->ended)
        advance(stream);
}

static void on_end_stream(struct stream *stream)
{
    edge_call_half_close(&stream->call);
    if (!stream->trailed)
        advance(stream);
}

// HEADERS or DATA has come whole.
static void on_message_frame(struct stream *stream, const nghttp2_frame *frame)
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
    } else if (frame->hd.type == NGHTTP2_HEADERS && !ends) {
        error = EDGE_ERR_PROTOCOL; // trailers end a request
    }
    if (error == 0 && ends)
        error = edge_h2_rules_end(&stream->rules);
    if (error < 0) {
        reset(stream, NGHTTP2_PROTOCOL_ERROR);
        return;
    }
    if (head != NULL)
        on_request(stream, head);
    if (ends)
        on_end_stream(stream);
}

static int on_frame_recv(nghttp2_session *ng, const nghttp2_frame *frame, void *user_data)
{
    (void)ng;
    struct edge_h2_session *session = user_data;
    struct stream *stream;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA:
        stream = find(session, frame->hd.stream_id);
        if (stream != NULL)
            on_message_frame(stream, frame);
        return 0;
    case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0 && session->phase == NOTICE_SENT)
            edge_h2_session_shutdown_now(session);
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
    struct stream *stream = find(session, id);
    if (stream == NULL)
        return 0;
    if (edge_h2_rules_data(&stream->rules, len) < 0)
        reset(stream, NGHTTP2_PROTOCOL_ERROR);
    if (stream->call.ended)
        return 0;
    edge_call_receive(&stream->call, bytes, len);
    stream->unconsumed += (uint32_t)len;
    if (stream->unconsumed >= session->h2->config.window / 4 && !edge_call_full(&stream->call))
        consume(stream);
    advance(stream);
    return 0;
}

static int on_stream_close(nghttp2_session *ng, int32_t id, uint32_t error_code, void *user_data)
{
    (void)error_code;
    (void)ng;
    struct stream *stream = find(user_data, id);
    if (stream != NULL)
        close_stream(stream);
    return 0;
}

// A response that ends before its request: the client is told to stop sending, without an error
// (RFC 9113, 8.1). Submitted any sooner, the reset would overtake the response.
static int on_frame_send(nghttp2_session *ng, const nghttp2_frame *frame, void *user_data)
{
    struct edge_h2_session *session = user_data;
    if (session->early_streams == 0 || frame->hd.type != NGHTTP2_HEADERS ||
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
        return 0;
    struct stream *stream = find(session, frame->hd.stream_id);
    if (stream != NULL && stream->early && !stream->call.half_closed)
        nghttp2_submit_rst_stream(ng, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR);
    return 0;
}

// --- The shared object ---

static void set_options(nghttp2_option *options)
{
    // A stream whose replies are not taken must not get more window: we decide.
    nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_option_set_no_closed_streams(options, 1);
    // What it would judge, grpc/h2_rules.h does.
    nghttp2_option_set_no_http_messaging(options, 1);
#ifdef EDGE_HAVE_STREAM_RESET_RATE_LIMIT
    // Clients reset whatever they cancel, a load generator by the thousand; a reset costs little
    // here, since calls never outlive their stream.
    nghttp2_option_set_stream_reset_rate_limit(options, 20000, 5000);
#endif
#ifdef EDGE_HAVE_MAX_CONTINUATIONS
    // Up to 1.69 a CONTINUATION that comes byte by byte counts once per byte of its header.
    nghttp2_option_set_max_continuations(options, 64);
#endif
}

static void set_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
}

int edge_h2_new(const struct edge_h2_config *config, struct edge_h2 **h2)
{
    struct edge_h2 *made = edge_pool_alloc(config->pool, sizeof(*made));
    if (made == NULL)
        return -ENOMEM;
    *made = (struct edge_h2){.config = *config};
    if (made->config.max_message == 0)
        made->config.max_message = MESSAGE_DEFAULT;
    if (made->config.max_streams == 0)
        made->config.max_streams = STREAMS_DEFAULT;
    if (made->config.window == 0)
        made->config.window = WINDOW_DEFAULT;
    made->call_shared = (struct edge_call_shared){.pool = config->pool,
                                                  .max_message = made->config.max_message,
                                                  .context = config->context,
                                                  .wake = wake};
    made->memory = edge_h2_memory(config->pool);
    if (nghttp2_option_new(&made->options) != 0 ||
        nghttp2_session_callbacks_new(&made->callbacks) != 0) {
        edge_h2_del(made);
        return -ENOMEM;
    }
    set_options(made->options);
    set_callbacks(made->callbacks);
    *h2 = made;
    return 0;
}

void edge_h2_del(struct edge_h2 *h2)
{
    if (h2 == NULL)
        return;
    nghttp2_session_callbacks_del(h2->callbacks);
    nghttp2_option_del(h2->options);
    edge_pool_release(h2->config.pool, h2);
}

// --- Sessions ---

int edge_h2_session_new(struct edge_h2 *h2, struct edge_h2_session **session)
{
    struct edge_h2_session *made = edge_pool_alloc(h2->config.pool, sizeof(*made));
    if (made == NULL)
        return -ENOMEM;
    *made = (struct edge_h2_session){.h2 = h2, .due_ns = EDGE_H2_NEVER};
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, h2->config.max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, h2->config.window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, EDGE_REQUEST_SOFT_BYTES},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    if (nghttp2_session_server_new3(&made->ng, h2->callbacks, made, h2->options, &h2->memory) !=
            0 ||
        nghttp2_submit_settings(made->ng, NGHTTP2_FLAG_NONE, settings,
                                sizeof(settings) / sizeof(settings[0])) != 0 ||
        nghttp2_session_set_local_window_size(made->ng, NGHTTP2_FLAG_NONE, 0,
                                              (int32_t)h2->config.window) != 0) {
        edge_h2_session_del(made);
        return -ENOMEM;
    }
    *session = made;
    return 0;
}

void edge_h2_session_del(struct edge_h2_session *session)
{
    if (session == NULL)
        return;
    // nghttp2 does not report the streams that end with their session.
    while (session->streams != NULL)
        close_stream(session->streams);
    edge_h2_head_free(&session->head);
    nghttp2_session_del(session->ng);
    edge_pool_release(session->h2->config.pool, session);
}

static int translate(ssize_t error)
{
    return error == NGHTTP2_ERR_NOMEM ? -ENOMEM : EDGE_ERR_PROTOCOL;
}

int edge_h2_session_receive(struct edge_h2_session *session, const uint8_t *bytes, size_t len,
                            uint64_t now_ns)
{
    session->now_ns = now_ns;
    ssize_t taken = nghttp2_session_mem_recv(session->ng, bytes, len);
    if (taken < 0)
        return translate(taken);
    if (session->unconsumed > 0) {
        int error = nghttp2_session_consume_connection(session->ng, session->unconsumed);
        session->unconsumed = 0;
        if (error != 0)
            return translate(error);
    }
    return 0;
}

int edge_h2_session_fill(struct edge_h2_session *session, struct edge_buffer *out, size_t high)
{
    session->out = out;
    session->out_high = high;
    while (out->len < high) {
        const uint8_t *frame;
        ssize_t len = nghttp2_session_mem_send(session->ng, &frame);
        if (len < 0)
            return translate(len);
        if (len == 0)
            break;
        int error = edge_buffer_append(out, frame, (size_t)len);
        if (error < 0)
            return error;
    }
    return 0;
}

bool edge_h2_session_finished(const struct edge_h2_session *session)
{
    return session->phase != NOTICE_SENT && nghttp2_session_want_read(session->ng) == 0 &&
           nghttp2_session_want_write(session->ng) == 0;
}

uint64_t edge_h2_session_due(const struct edge_h2_session *session)
{
    return session->due_ns;
}

static void expire(struct stream *stream)
{
    struct edge_call *call = &stream->call;
    call->deadline_ns = EDGE_CALL_NEVER;
    if (stream->trailed)
        return;
    if (stream->granted == 0)
        edge_call_expire(call);
    if (stream->granted > 0 || call->broken) {
        reset(stream, NGHTTP2_CANCEL);
        return;
    }
    if (!stream->responded) {
        respond(stream);
        return;
    }
    // DATA may be waiting for window that never comes: the trailers go without it.
    nghttp2_nv fields[EDGE_H2_FIELDS_MAX];
    size_t count = edge_h2_fields_trailers(fields, call, list_max(stream));
    set_trailed(stream);
    if (nghttp2_submit_trailer(stream->session->ng, stream->id, fields, count) != 0)
        reset(stream, NGHTTP2_CANCEL);
}

void edge_h2_session_tick(struct edge_h2_session *session, uint64_t now_ns)
{
    session->now_ns = now_ns;
    if (now_ns < session->due_ns)
        return;
    uint64_t due_ns = EDGE_H2_NEVER;
    for (struct stream *stream = session->streams; stream != NULL; stream = stream->next) {
        if (stream->call.deadline_ns <= now_ns)
            expire(stream);
        if (stream->call.deadline_ns < due_ns)
            due_ns = stream->call.deadline_ns;
    }
    session->due_ns = due_ns;
}

void edge_h2_session_shutdown(struct edge_h2_session *session)
{
    if (session->phase != RUNNING)
        return;
    session->phase = NOTICE_SENT;
    nghttp2_submit_shutdown_notice(session->ng);
    nghttp2_submit_ping(session->ng, NGHTTP2_FLAG_NONE, NULL);
}

void edge_h2_session_shutdown_now(struct edge_h2_session *session)
{
    if (session->phase == LAST_SENT)
        return;
    session->phase = LAST_SENT;
    nghttp2_submit_goaway(session->ng, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session->ng), NGHTTP2_NO_ERROR,
                          NULL, 0);
}
