#include <string.h>

#include "base/clock.h"
#include "grpc/h2_internal.h"
#include "grpc/limits.h"

void edge_h2_session_end(struct edge_h2_session *session, uint32_t error_code, const char *text)
{
    if (session->over)
        return;
    session->over = true;
    session->phase = EDGE_H2_LAST_SENT;
    nghttp2_submit_goaway(session->ng, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session->ng), error_code,
                          (const uint8_t *)text, strlen(text));
}

// --- Rates ---

// A bucket is the time at which it will be full again.
void edge_h2_session_count(struct edge_h2_session *session, uint64_t *bucket, unsigned burst,
                           unsigned per_s, const char *text)
{
    const uint64_t now_ns = session->h2->call_shared.now_ns;
    const uint64_t interval_ns = EDGE_NS_PER_S / per_s;
    if (*bucket < now_ns)
        *bucket = now_ns;
    *bucket += interval_ns;
    if (*bucket - now_ns > burst * interval_ns)
        edge_h2_session_end(session, NGHTTP2_ENHANCE_YOUR_CALM, text);
}

// DATA that came for calls that have ended counts as well: it was on its way. nghttp2 shows none of
// it, but keeps the connection's window: what was given back and what is not yet make up all DATA.
static void earn_by_data(struct edge_h2_session *session)
{
    const uint64_t data = session->window_given +
                          (uint64_t)nghttp2_session_get_effective_recv_data_length(session->ng);
    if (data <= session->data_seen)
        return;
    session->earned += EDGE_LIMIT_EARNED_PER_IN * (data - session->data_seen);
    session->data_seen = data;
}

void edge_h2_session_weigh(struct edge_h2_session *session)
{
    earn_by_data(session);
    const uint64_t paid = session->earned < session->overhead ? session->earned : session->overhead;
    session->overhead -= paid;
    session->earned -= paid;
    if (session->earned > EDGE_LIMIT_OVERHEAD_BURST)
        session->earned = EDGE_LIMIT_OVERHEAD_BURST;
    if (session->overhead <= EDGE_LIMIT_OVERHEAD_BURST)
        return;
    const uint64_t now_ns = session->h2->call_shared.now_ns;
    const uint64_t pardoned =
        (now_ns - session->overhead_ns) / (EDGE_NS_PER_S / EDGE_LIMIT_OVERHEAD_PER_S);
    session->overhead -= pardoned < session->overhead ? pardoned : session->overhead;
    session->overhead_ns = now_ns;
    if (session->overhead > EDGE_LIMIT_OVERHEAD_BURST)
        edge_h2_session_end(session, NGHTTP2_ENHANCE_YOUR_CALM, "too much that asks for nothing");
}

void edge_h2_session_pinged(struct edge_h2_session *session)
{
    const uint64_t now_ns = session->h2->call_shared.now_ns;
    const uint64_t last_ns = session->ping_ns;
    const uint64_t interval_ns = session->h2->config.ping_interval_ns;
    if (interval_ns == EDGE_H2_NEVER)
        return;
    session->ping_ns = now_ns;
    if (session->sent) {
        session->sent = false;
        session->ping_strikes = 0;
        return;
    }
    const uint64_t times = session->streams == NULL ? EDGE_LIMIT_PING_IDLE : 1;
    if (last_ns != 0 && (now_ns - last_ns) / times < interval_ns &&
        ++session->ping_strikes > EDGE_LIMIT_PING_STRIKES)
        edge_h2_session_end(session, NGHTTP2_ENHANCE_YOUR_CALM, "too_many_pings");
}

// --- Times ---

// True if something that waits has made no progress for so long.
static bool is_stuck(struct edge_h2_watch *watch, bool waits, uint32_t progress, uint32_t now_s,
                     uint32_t limit_s)
{
    if (!waits) {
        watch->since_s = 0;
        return false;
    }
    if (watch->since_s == 0 || watch->progress != progress) {
        *watch = (struct edge_h2_watch){now_s, progress};
        return false;
    }
    return now_s - watch->since_s >= limit_s;
}

static bool is_without_window(const struct edge_h2_stream *stream)
{
    nghttp2_session *ng = stream->session->ng;
    return nghttp2_session_get_remote_window_size(ng) <= 0 ||
           nghttp2_session_get_stream_remote_window_size(ng, stream->id) <= 0;
}

// True if something was submitted.
static bool sweep_stream(struct edge_h2_stream *stream, uint32_t now_s)
{
    struct edge_call *call = &stream->call;
    if (stream->trailed)
        return false;
    if (call->method == NULL) { // else it would have been started, or refused
        if (!is_stuck(&stream->input, true, 0, now_s, EDGE_LIMIT_HEADERS_S))
            return false;
        edge_h2_session_end(stream->session, NGHTTP2_ENHANCE_YOUR_CALM,
                            "a header block took too long");
        return true;
    }
    bool replies_wait = stream->responded && !stream->deferred && is_without_window(stream);
    uint32_t sent = call->replies + (uint32_t)(call->queue_at / EDGE_LIMIT_WINDOW_BYTES);
    if (is_stuck(&stream->output, replies_wait, sent, now_s, EDGE_LIMIT_WINDOW_S)) {
        edge_h2_send_reset(stream, NGHTTP2_CANCEL);
        return true;
    }
    bool request_waits =
        !call->ended && !call->half_closed &&
        (!call->method->client_streams || !edge_framing_at_boundary(&call->framing));
    // No message has so many parts that it looks like the next one.
    uint32_t received = call->requests * 65536 + call->framing.have / EDGE_LIMIT_REQUEST_BYTES;
    if (!is_stuck(&stream->input, request_waits, received, now_s, EDGE_LIMIT_REQUEST_S))
        return false;
    edge_call_end(call, EDGE_STATUS_DEADLINE_EXCEEDED, "the request did not come in %d s",
                  EDGE_LIMIT_REQUEST_S);
    edge_h2_send_advance(stream);
    return true;
}

static bool has_passed(uint64_t now_ns, uint64_t since_ns, uint64_t limit_ns)
{
    return now_ns > since_ns && now_ns - since_ns >= limit_ns;
}

// The client's first steps.
static bool sweep_opening(struct edge_h2_session *session, uint64_t now_ns)
{
    const char *text = NULL;
    if (!session->settings_came &&
        has_passed(now_ns, session->opened_ns, EDGE_LIMIT_OPENING_S * EDGE_NS_PER_S))
        text = "no SETTINGS";
    else if (!session->settings_acked &&
             has_passed(now_ns, session->opened_ns, EDGE_LIMIT_SETTINGS_S * EDGE_NS_PER_S))
        text = "SETTINGS are not acknowledged";
    if (text == NULL)
        return false;
    edge_h2_session_end(session, NGHTTP2_SETTINGS_TIMEOUT, text);
    return true;
}

static bool sweep_silence(struct edge_h2_session *session, uint64_t now_ns)
{
    const struct edge_h2_config *config = &session->h2->config;
    if (session->heard) {
        session->heard = false;
        session->asked = false;
        session->heard_ns = now_ns;
    }
    if (!session->asked && has_passed(now_ns, session->heard_ns, config->keepalive_ns)) {
        session->asked = true;
        session->asked_ns = now_ns;
        nghttp2_submit_ping(session->ng, NGHTTP2_FLAG_NONE, NULL);
        return true;
    }
    if (!session->asked || !has_passed(now_ns, session->asked_ns, config->keepalive_timeout_ns))
        return false;
    edge_h2_session_end(session, NGHTTP2_NO_ERROR, "keepalive PING is not answered");
    return true;
}

// The graceful end of a connection that is idle, or old.
static bool sweep_age(struct edge_h2_session *session, uint64_t now_ns)
{
    const struct edge_h2_config *config = &session->h2->config;
    int32_t latest = nghttp2_session_get_last_proc_stream_id(session->ng);
    if (session->streams != NULL || latest != session->idle_stream) {
        session->idle_stream = latest;
        session->idle_ns = now_ns;
    }
    bool old = has_passed(now_ns, session->opened_ns, session->max_age_ns);
    if (session->phase == EDGE_H2_RUNNING) {
        if (!old && !has_passed(now_ns, session->idle_ns, config->max_idle_ns))
            return false;
        edge_h2_session_shutdown(session, now_ns);
        return true;
    }
    if (session->phase == EDGE_H2_NOTICE_SENT &&
        has_passed(now_ns, session->notice_ns, EDGE_LIMIT_NOTICE_S * EDGE_NS_PER_S)) {
        edge_h2_session_shutdown_now(session);
        return true;
    }
    if (!old ||
        !has_passed(now_ns - session->max_age_ns, session->opened_ns, config->max_age_grace_ns))
        return false;
    edge_h2_session_end(session, NGHTTP2_NO_ERROR, "max_age");
    return true;
}

bool edge_h2_session_sweep(struct edge_h2_session *session, uint64_t now_ns)
{
    session->h2->call_shared.now_ns = now_ns;
    if (session->over)
        return false;
    bool submitted = sweep_opening(session, now_ns) || sweep_silence(session, now_ns) ||
                     sweep_age(session, now_ns);
    const uint32_t now_s = (uint32_t)(now_ns / EDGE_NS_PER_S) + 1; // 0: never
    for (struct edge_h2_stream *stream = session->streams; stream != NULL && !session->over;
         stream = stream->next)
        submitted = sweep_stream(stream, now_s) || submitted;
    return submitted;
}
