#include "grpc/h2.h"

#include <errno.h>

#include "base/clock.h"
#include "base/error.h"
#include "grpc/h2_internal.h"
#include "grpc/h2_memory.h"
#include "grpc/limits.h"

#define MESSAGE_DEFAULT ((size_t)4 << 20)
#define STREAMS_DEFAULT 1000u
#define WINDOW_DEFAULT  (1u << 20)

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
    nghttp2_option_set_stream_reset_rate_limit(options, EDGE_LIMIT_RESETS_BURST,
                                               EDGE_LIMIT_RESETS_PER_S);
#endif
#ifdef EDGE_HAVE_MAX_CONTINUATIONS
    // Up to 1.69 a CONTINUATION that comes byte by byte counts once per byte of its header.
    nghttp2_option_set_max_continuations(options, EDGE_LIMIT_CONTINUATIONS);
#endif
}

static void wake(struct edge_call *call)
{
    edge_h2_send_advance((struct edge_h2_stream *)call);
}

static void schedule(struct edge_call *call)
{
    struct edge_h2_session *session = ((struct edge_h2_stream *)call)->session;
    if (call->wake_ns < session->due_ns)
        session->due_ns = call->wake_ns;
}

static void set_default(uint64_t *value, uint64_t fallback)
{
    if (*value == 0)
        *value = fallback;
}

static void set_defaults(struct edge_h2_config *config)
{
    if (config->max_message == 0)
        config->max_message = MESSAGE_DEFAULT;
    if (config->max_streams == 0)
        config->max_streams = STREAMS_DEFAULT;
    if (config->window == 0)
        config->window = WINDOW_DEFAULT;
    set_default(&config->max_idle_ns, 300 * EDGE_NS_PER_S);
    set_default(&config->max_age_ns, EDGE_H2_NEVER);
    set_default(&config->max_age_grace_ns, EDGE_H2_NEVER);
    set_default(&config->keepalive_ns, 7200 * EDGE_NS_PER_S);
    set_default(&config->keepalive_timeout_ns, 20 * EDGE_NS_PER_S);
    set_default(&config->ping_interval_ns, 300 * EDGE_NS_PER_S);
}

int edge_h2_new(const struct edge_h2_config *config, struct edge_h2 **h2)
{
    struct edge_h2 *made = edge_pool_alloc(config->pool, sizeof(*made));
    if (made == NULL)
        return -ENOMEM;
    *made = (struct edge_h2){.config = *config};
    set_defaults(&made->config);
    made->call_shared = (struct edge_call_shared){.pool = config->pool,
                                                  .max_message = made->config.max_message,
                                                  .context = config->context,
                                                  .gzip = &made->gzip,
                                                  .compress = config->compress,
                                                  .wake = wake,
                                                  .schedule = schedule};
    made->memory = edge_h2_memory(config->pool);
    if (nghttp2_option_new(&made->options) != 0 ||
        nghttp2_session_callbacks_new(&made->callbacks) != 0) {
        edge_h2_del(made);
        return -ENOMEM;
    }
    set_options(made->options);
    edge_h2_receive_callbacks(made->callbacks);
    edge_h2_send_callbacks(made->callbacks);
    *h2 = made;
    return 0;
}

void edge_h2_del(struct edge_h2 *h2)
{
    if (h2 == NULL)
        return;
    nghttp2_session_callbacks_del(h2->callbacks);
    nghttp2_option_del(h2->options);
    edge_gzip_free(&h2->gzip);
    edge_pool_release(h2->config.pool, h2);
}

// --- Sessions ---

void edge_h2_stream_close(struct edge_h2_stream *stream)
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

static size_t budget_of(const struct edge_h2_config *config)
{
    size_t limit;
    return __builtin_mul_overflow(config->max_message, EDGE_LIMIT_CALL_MESSAGES, &limit) ? SIZE_MAX
                                                                                         : limit;
}

// Spread by a tenth to both sides, so that clients that came together do not come again together.
static uint64_t age_of(const struct edge_h2_config *config, uint64_t now_ns)
{
    if (config->max_age_ns == EDGE_H2_NEVER)
        return EDGE_H2_NEVER;
    uint64_t random = (now_ns * UINT64_C(0x9e3779b97f4a7c15)) >> 54; // of 1024
    return config->max_age_ns / 10 * 9 + config->max_age_ns / 5120 * random;
}

// The WINDOW_UPDATE at the start returns no DATA.
static uint64_t first_window_given(const struct edge_h2_config *config)
{
    const uint32_t usual = NGHTTP2_INITIAL_CONNECTION_WINDOW_SIZE;
    return config->window > usual ? config->window - usual : 0;
}

int edge_h2_session_new(struct edge_h2 *h2, uint64_t now_ns, struct edge_h2_session **session)
{
    struct edge_h2_session *made = edge_pool_alloc(h2->config.pool, sizeof(*made));
    if (made == NULL)
        return -ENOMEM;
    h2->call_shared.now_ns = now_ns;
    *made = (struct edge_h2_session){.h2 = h2,
                                     .due_ns = EDGE_H2_NEVER,
                                     .budget = {.limit = budget_of(&h2->config)},
                                     .opened_ns = now_ns,
                                     .heard_ns = now_ns,
                                     .idle_ns = now_ns,
                                     .overhead_ns = now_ns,
                                     .data_seen = first_window_given(&h2->config),
                                     .max_age_ns = age_of(&h2->config, now_ns)};
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, h2->config.max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, h2->config.window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, EDGE_LIMIT_HEADER_SOFT},
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
        edge_h2_stream_close(session->streams);
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
    if (session->over)
        return 0;
    session->heard = true;
    session->h2->call_shared.now_ns = now_ns;
    edge_h2_session_weigh(session);
    session->overhead += len;
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
    if (session->gone)
        return 0;
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
    return session->gone ||
           (session->phase != EDGE_H2_NOTICE_SENT && nghttp2_session_want_read(session->ng) == 0 &&
            nghttp2_session_want_write(session->ng) == 0);
}

uint64_t edge_h2_session_due(const struct edge_h2_session *session)
{
    return session->due_ns;
}

void edge_h2_session_tick(struct edge_h2_session *session, uint64_t now_ns)
{
    session->h2->call_shared.now_ns = now_ns;
    if (now_ns < session->due_ns)
        return;
    session->due_ns = EDGE_H2_NEVER;
    uint64_t due_ns = EDGE_H2_NEVER;
    for (struct edge_h2_stream *stream = session->streams; stream != NULL; stream = stream->next) {
        struct edge_call *call = &stream->call;
        if (call->deadline_ns <= now_ns)
            edge_h2_send_expired(stream);
        if (call->wake_ns <= now_ns)
            edge_h2_send_tick(stream);
        if (call->deadline_ns < due_ns)
            due_ns = call->deadline_ns;
        if (call->wake_ns < due_ns)
            due_ns = call->wake_ns;
    }
    session->due_ns = due_ns;
}

void edge_h2_session_shutdown(struct edge_h2_session *session, uint64_t now_ns)
{
    if (session->phase != EDGE_H2_RUNNING)
        return;
    session->phase = EDGE_H2_NOTICE_SENT;
    session->notice_ns = now_ns;
    nghttp2_submit_shutdown_notice(session->ng);
    nghttp2_submit_ping(session->ng, NGHTTP2_FLAG_NONE, NULL);
}

void edge_h2_session_shutdown_now(struct edge_h2_session *session)
{
    if (session->phase == EDGE_H2_LAST_SENT)
        return;
    session->phase = EDGE_H2_LAST_SENT;
    nghttp2_submit_goaway(session->ng, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session->ng), NGHTTP2_NO_ERROR,
                          NULL, 0);
}
