#include "server/null/null.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "base/error.h"

// The most that one frame adds to the output beside an echo of itself: response and trailers, or
// SETTINGS, its ACK and a WINDOW_UPDATE, or a GOAWAY with words.
#define REPLY_MAX 256u

// :status 200 is entry 8 of HPACK's static table, content-type is 31 (literal without indexing:
// no dynamic table, so the bytes are the same for ever).
static const char response[] = "\0\0\x14\x01\x04\0\0\0\0" // HEADERS, 20 bytes, END_HEADERS
                               "\x88"                     // :status 200
                               "\x0f\x10\x10"
                               "application/grpc";
static const char trailers[] = "\0\0\x0f\x01\x05\0\0\0\0" // HEADERS, 15 bytes, with END_STREAM
                               "\0\x0b"
                               "grpc-status"
                               "\x01"
                               "0";

static void append(struct edge_buffer *out, const void *bytes, size_t len)
{
    memcpy(edge_buffer_tail(out), bytes, len);
    out->len += len;
}

// The room was reserved per frame.
static void append_canned(struct edge_buffer *out, const char *frame, size_t len, uint32_t stream)
{
    edge_put_u32((uint8_t *)memcpy(edge_buffer_tail(out), frame, len) + 5, stream);
    out->len += len;
}

// Appends a GOAWAY with words. Returns EDGE_ERR_PROTOCOL, so that a handler can end with it.
static int fail(struct edge_null *null, struct edge_buffer *out, enum edge_h2_error code,
                const char *why)
{
    out->len += edge_frame_goaway(edge_buffer_tail(out), null->last_stream, code, why, strlen(why));
    null->ended = true;
    return EDGE_ERR_PROTOCOL;
}

// Cuts the padding off a DATA or HEADERS payload (RFC 9113 section 6.1). False if there is more
// padding than payload.
static bool unpad(const struct edge_frame *frame, const uint8_t **payload, size_t *len)
{
    if ((frame->flags & EDGE_FLAG_PADDED) == 0)
        return true;
    if (*len == 0 || (*payload)[0] >= *len)
        return false;
    *len -= 1u + (*payload)[0];
    *payload += 1;
    return true;
}

static void top_up(struct edge_null *null, struct edge_buffer *out)
{
    if (null->receive_window > EDGE_WINDOW_MAX / 2)
        return;
    uint32_t increment = (uint32_t)(EDGE_WINDOW_MAX - null->receive_window);
    out->len += edge_frame_window_update(edge_buffer_tail(out), 0, increment);
    null->receive_window = EDGE_WINDOW_MAX;
}

static int on_data(struct edge_null *null, struct edge_frame frame, const uint8_t *payload,
                   struct edge_buffer *out)
{
    if (frame.stream > null->last_stream || frame.stream % 2 == 0)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "DATA on a stream that is not open");
    null->receive_window -= frame.len;
    if (null->receive_window < 0)
        return fail(null, out, EDGE_H2_FLOW_CONTROL_ERROR, "DATA beyond the connection's window");
    size_t len = frame.len;
    if (!unpad(&frame, &payload, &len))
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "padding longer than its DATA frame");
    if (len > 0) {
        null->send_window -= (int64_t)len;
        if (null->send_window < 0)
            return fail(null, out, EDGE_H2_INTERNAL_ERROR,
                        "the connection's window is used up, and this server does not queue: "
                        "give it a larger one");
        out->len += edge_frame_write(edge_buffer_tail(out), (uint32_t)len, EDGE_FRAME_DATA, 0,
                                     frame.stream);
        append(out, payload, len);
    }
    if ((frame.flags & EDGE_FLAG_END_STREAM) != 0)
        append_canned(out, trailers, sizeof(trailers) - 1, frame.stream);
    top_up(null, out);
    return 0;
}

// A header block is complete.
static void answer(bool opens, bool ends, uint32_t stream, struct edge_buffer *out)
{
    if (opens)
        append_canned(out, response, sizeof(response) - 1, stream);
    if (ends)
        append_canned(out, trailers, sizeof(trailers) - 1, stream);
}

static int on_headers(struct edge_null *null, struct edge_frame frame, const uint8_t *payload,
                      struct edge_buffer *out)
{
    size_t len = frame.len;
    bool ends = (frame.flags & EDGE_FLAG_END_STREAM) != 0;
    bool opens = frame.stream > null->last_stream;
    if (frame.stream % 2 == 0)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "HEADERS on a stream of the server's");
    if (!opens && !ends)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "a second HEADERS without END_STREAM");
    if (!unpad(&frame, &payload, &len) || ((frame.flags & EDGE_FLAG_PRIORITY) != 0 && len < 5))
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "padding longer than its HEADERS frame");
    if (opens)
        null->last_stream = frame.stream;
    if ((frame.flags & EDGE_FLAG_END_HEADERS) != 0) {
        answer(opens, ends, frame.stream, out);
    } else {
        null->header_stream = frame.stream;
        null->header_opens = opens;
        null->header_ends = ends;
        null->header_len = len;
    }
    return 0;
}

static int on_continuation(struct edge_null *null, struct edge_frame frame, struct edge_buffer *out)
{
    if (frame.stream == 0 || frame.stream != null->header_stream)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "CONTINUATION of no header block");
    // An empty frame counts too: or a flood of them would never end.
    null->header_len += frame.len + EDGE_FRAME_HEADER;
    if (null->header_len > EDGE_NULL_HEADER_MAX)
        return fail(null, out, EDGE_H2_ENHANCE_YOUR_CALM, "a header block above 64 KiB");
    if ((frame.flags & EDGE_FLAG_END_HEADERS) != 0) {
        null->header_stream = 0;
        answer(null->header_opens, null->header_ends, frame.stream, out);
    }
    return 0;
}

// The server's own preface: it can wait for the client's SETTINGS (RFC 9113 section 3.4), which
// say how large a window this server may give.
static void greet(struct edge_null *null, uint32_t peer_window, struct edge_buffer *out)
{
    null->stream_window = peer_window < EDGE_NULL_WINDOW ? peer_window : EDGE_NULL_WINDOW;
    struct edge_setting window = {EDGE_SETTING_INITIAL_WINDOW_SIZE, null->stream_window};
    out->len += edge_frame_settings(edge_buffer_tail(out), &window, 1);
    null->send_window = EDGE_WINDOW_DEFAULT;
    null->receive_window = EDGE_WINDOW_DEFAULT;
    null->greeted = true;
    top_up(null, out);
}

static int on_settings(struct edge_null *null, struct edge_frame frame, const uint8_t *payload,
                       struct edge_buffer *out)
{
    if (frame.stream != 0)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "SETTINGS on a stream");
    bool ack = (frame.flags & EDGE_FLAG_ACK) != 0;
    if (frame.len % 6 != 0 || (ack && frame.len != 0))
        return fail(null, out, EDGE_H2_FRAME_SIZE_ERROR, "SETTINGS of a wrong length");
    if (ack)
        return null->greeted
                   ? 0
                   : fail(null, out, EDGE_H2_PROTOCOL_ERROR, "an ACK of SETTINGS not sent");
    uint32_t window = null->greeted ? null->stream_window : EDGE_WINDOW_DEFAULT;
    for (size_t i = 0; i < frame.len / 6; i++) {
        struct edge_setting setting = edge_frame_setting(payload, i);
        if (setting.id == EDGE_SETTING_INITIAL_WINDOW_SIZE)
            window = setting.value;
        if (setting.id == EDGE_SETTING_MAX_FRAME_SIZE &&
            (setting.value < EDGE_FRAME_MAX_DEFAULT || setting.value > EDGE_FRAME_MAX_LIMIT))
            return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "MAX_FRAME_SIZE out of range");
    }
    if (window > EDGE_WINDOW_MAX)
        return fail(null, out, EDGE_H2_FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE above 2^31-1");
    // Before it knows of a smaller window, a peer may send as much as the default allows.
    uint32_t least = null->greeted ? null->stream_window : EDGE_WINDOW_DEFAULT;
    if (window < least)
        return fail(null, out, EDGE_H2_INTERNAL_ERROR,
                    "INITIAL_WINDOW_SIZE is too small for a server that does not queue: "
                    "leave it at 65535 or more");
    if (!null->greeted)
        greet(null, window, out);
    out->len += edge_frame_settings_ack(edge_buffer_tail(out));
    return 0;
}

static int on_window_update(struct edge_null *null, struct edge_frame frame, const uint8_t *payload,
                            struct edge_buffer *out)
{
    if (frame.len != 4)
        return fail(null, out, EDGE_H2_FRAME_SIZE_ERROR, "WINDOW_UPDATE of a wrong length");
    uint32_t increment = edge_get_u32(payload) & EDGE_WINDOW_MAX;
    if (increment == 0)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "WINDOW_UPDATE by 0");
    if (frame.stream != 0)
        return 0; // a stream's window never is the limit
    null->send_window += increment;
    if (null->send_window > EDGE_WINDOW_MAX)
        return fail(null, out, EDGE_H2_FLOW_CONTROL_ERROR, "WINDOW_UPDATE beyond 2^31-1");
    return 0;
}

static int on_ping(struct edge_null *null, struct edge_frame frame, const uint8_t *payload,
                   struct edge_buffer *out)
{
    if (frame.stream != 0)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "PING on a stream");
    if (frame.len != 8)
        return fail(null, out, EDGE_H2_FRAME_SIZE_ERROR, "PING of a wrong length");
    if ((frame.flags & EDGE_FLAG_ACK) == 0)
        out->len += edge_frame_ping(edge_buffer_tail(out), payload, EDGE_FLAG_ACK);
    return 0;
}

// Frames that ask for nothing: only their length is looked at.
static int on_ignored(struct edge_null *null, struct edge_frame frame, struct edge_buffer *out)
{
    bool wrong = (frame.type == EDGE_FRAME_PRIORITY && frame.len != 5) ||
                 (frame.type == EDGE_FRAME_RST_STREAM && frame.len != 4) ||
                 (frame.type == EDGE_FRAME_GOAWAY && frame.len < 8);
    return wrong ? fail(null, out, EDGE_H2_FRAME_SIZE_ERROR, "a frame of a wrong length") : 0;
}

// One whole frame.
static int on_frame(struct edge_null *null, struct edge_frame frame, const uint8_t *payload,
                    struct edge_buffer *out)
{
    if (null->header_stream != 0 && frame.type != EDGE_FRAME_CONTINUATION)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "a header block without its end");
    if (!null->greeted && frame.type != EDGE_FRAME_SETTINGS)
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "the first frame must be SETTINGS");
    switch (frame.type) {
    case EDGE_FRAME_DATA:
        return on_data(null, frame, payload, out);
    case EDGE_FRAME_HEADERS:
        return on_headers(null, frame, payload, out);
    case EDGE_FRAME_CONTINUATION:
        return on_continuation(null, frame, out);
    case EDGE_FRAME_SETTINGS:
        return on_settings(null, frame, payload, out);
    case EDGE_FRAME_WINDOW_UPDATE:
        return on_window_update(null, frame, payload, out);
    case EDGE_FRAME_PING:
        return on_ping(null, frame, payload, out);
    case EDGE_FRAME_PUSH_PROMISE:
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "PUSH_PROMISE from a client");
    default:
        return on_ignored(null, frame, out);
    }
}

// Takes one frame from `bytes` if it is whole. Returns its length, 0 if it is not, or negative.
static ssize_t take_frame(struct edge_null *null, const uint8_t *bytes, size_t len,
                          struct edge_buffer *out)
{
    if (len < EDGE_FRAME_HEADER)
        return 0;
    struct edge_frame frame = edge_frame_read(bytes);
    bool large = frame.len > EDGE_FRAME_MAX_DEFAULT;
    if (!large && len < EDGE_FRAME_HEADER + frame.len)
        return 0;
    size_t room = REPLY_MAX + (large ? 0 : frame.len);
    if (edge_buffer_room(out) < room && edge_buffer_reserve(out, room) < 0)
        return -ENOMEM;
    if (large)
        return fail(null, out, EDGE_H2_FRAME_SIZE_ERROR, "a frame above 16384 bytes");
    int error = on_frame(null, frame, bytes + EDGE_FRAME_HEADER, out);
    return error < 0 ? error : (ssize_t)(EDGE_FRAME_HEADER + frame.len);
}

// Compares with the client's preface, which may come in pieces.
static int take_preface(struct edge_null *null, const uint8_t **bytes, size_t *len,
                        struct edge_buffer *out)
{
    size_t left = EDGE_PREFACE_LEN - null->preface_len;
    size_t count = *len < left ? *len : left;
    if (memcmp(&EDGE_PREFACE[null->preface_len], *bytes, count) != 0) {
        if (edge_buffer_reserve(out, REPLY_MAX) < 0)
            return -ENOMEM;
        return fail(null, out, EDGE_H2_PROTOCOL_ERROR, "this is not HTTP/2 with prior knowledge");
    }
    null->preface_len += count;
    *bytes += count;
    *len -= count;
    return 0;
}

// Completes the frame that an earlier read cut: first its header, then the rest.
static int take_partial(struct edge_null *null, const uint8_t **bytes, size_t *len,
                        struct edge_buffer *out)
{
    while (null->partial_len > 0 && *len > 0) {
        size_t want = EDGE_FRAME_HEADER;
        if (null->partial_len >= EDGE_FRAME_HEADER)
            want += edge_frame_read(null->partial).len;
        size_t left = want - null->partial_len;
        size_t count = *len < left ? *len : left;
        memcpy(null->partial + null->partial_len, *bytes, count);
        null->partial_len += count;
        *bytes += count;
        *len -= count;
        ssize_t used = take_frame(null, null->partial, null->partial_len, out);
        if (used < 0)
            return (int)used;
        if (used > 0)
            null->partial_len = 0;
    }
    return 0;
}

int edge_null_receive(struct edge_null *null, const uint8_t *bytes, size_t len,
                      struct edge_buffer *out)
{
    if (null->ended)
        return 0;
    int error = 0;
    if (null->preface_len < EDGE_PREFACE_LEN)
        error = take_preface(null, &bytes, &len, out);
    if (error == 0)
        error = take_partial(null, &bytes, &len, out);
    if (error < 0)
        return error;
    ssize_t used;
    while ((used = take_frame(null, bytes, len, out)) > 0) {
        bytes += used;
        len -= (size_t)used;
    }
    if (used < 0)
        return (int)used;
    if (len > 0) {
        memcpy(null->partial, bytes, len);
        null->partial_len = len;
    }
    return 0;
}

int edge_null_shutdown(struct edge_null *null, struct edge_buffer *out)
{
    if (null->ended)
        return 0;
    if (edge_buffer_reserve(out, REPLY_MAX) < 0)
        return -ENOMEM;
    fail(null, out, EDGE_H2_NO_ERROR, "the server is going down");
    return 0;
}
