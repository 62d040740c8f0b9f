#include "wire/client_internal.h"

#include <errno.h>

#include "base/error.h"

#define BLOCK_MAX 65536u // bytes of one header block, over all its CONTINUATIONs

static int queue_window_update(struct edge_client *client, uint32_t stream, uint32_t *unacked)
{
    uint8_t frame[EDGE_FRAME_HEADER + 4];
    size_t len = edge_frame_window_update(frame, stream, *unacked);
    *unacked = 0;
    return edge_client_queue(client, frame, len);
}

// A stream of ours that was never opened, or one of the peer's (section 5.1: idle).
static bool is_idle(const struct edge_client *client, uint32_t id)
{
    return id >= client->next_id || (id & 1) == 0;
}

// For frames of streams that are not held: an error if the peer had ended the stream itself
// (section 5.1, "closed"); what crosses a reset is ignored.
static int check_closed(struct edge_client *client, uint32_t id)
{
    struct edge_client_stream *stream = edge_client_record(client, id);
    if (stream->id == id && stream->got_end)
        return edge_client_fail(client, EDGE_H2_STREAM_CLOSED,
                                "a frame after the end of its stream");
    return 0;
}

// Counts DATA against both windows, padding included (section 6.9), and gives back at half.
static int count_data(struct edge_client *client, const struct edge_frame *frame,
                      struct edge_client_stream *stream)
{
    client->unacked += frame->len;
    if (client->unacked > client->config.window)
        return edge_client_fail(client, EDGE_H2_FLOW_CONTROL_ERROR,
                                "DATA beyond the connection's window");
    int error = 0;
    if (client->unacked >= client->config.window / 2)
        error = queue_window_update(client, 0, &client->unacked);
    if (stream == NULL || error < 0)
        return error;
    stream->unacked += frame->len;
    if (stream->unacked > client->config.stream_window)
        return edge_client_fail(client, EDGE_H2_FLOW_CONTROL_ERROR,
                                "DATA beyond the stream's window");
    if (stream->unacked >= (client->config.stream_window + 1) / 2 &&
        (frame->flags & EDGE_FLAG_END_STREAM) == 0)
        error = queue_window_update(client, frame->stream, &stream->unacked);
    return error;
}

static int begin_data(struct edge_client *client, const struct edge_frame *frame)
{
    if (frame->stream == 0 || is_idle(client, frame->stream))
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR,
                                "DATA on a stream that was not opened");
    bool padded = (frame->flags & EDGE_FLAG_PADDED) != 0;
    if (padded && frame->len == 0)
        return edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR, "DATA too short for its padding");
    struct edge_client_stream *stream = edge_client_stream(client, frame->stream);
    if (stream == NULL) {
        int error = check_closed(client, frame->stream);
        if (error < 0)
            return error;
    } else if (stream->got_end) {
        return edge_client_fail(client, EDGE_H2_STREAM_CLOSED, "DATA after the end of its stream");
    } else if (!stream->got_headers) {
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "DATA before HEADERS");
    }
    client->data = *frame;
    client->data_left = frame->len;
    client->data_pad = 0;
    client->data_state = padded ? EDGE_CLIENT_DATA_PAD_LENGTH : EDGE_CLIENT_DATA_CONTENT;
    return count_data(client, frame, stream);
}

static void give_data(struct edge_client *client, const struct edge_frame *frame,
                      const uint8_t *bytes, size_t len, bool last)
{
    struct edge_client_stream *stream = edge_client_stream(client, frame->stream);
    bool end = last && (frame->flags & EDGE_FLAG_END_STREAM) != 0;
    if (stream == NULL || (len == 0 && !end))
        return;
    stream->got_end = end;
    client->config.events->data(client->config.owner, stream, bytes, len, end);
}

// Takes what is there of a DATA frame's payload; returns the number of bytes used, or negative.
static int64_t take_data(struct edge_client *client, const uint8_t *bytes, size_t len)
{
    size_t used = 0;
    if (client->data_state == EDGE_CLIENT_DATA_PAD_LENGTH) {
        if (len == 0)
            return 0;
        client->data_pad = bytes[used++];
        if (client->data_pad > client->data_left - 1)
            return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR,
                                    "padding longer than its frame");
        client->data_left -= 1 + client->data_pad;
        client->data_state = EDGE_CLIENT_DATA_CONTENT;
    }
    if (client->data_state == EDGE_CLIENT_DATA_CONTENT) {
        uint32_t now = len - used < client->data_left ? (uint32_t)(len - used) : client->data_left;
        bool last = now == client->data_left;
        client->data_left -= now;
        give_data(client, &client->data, bytes + used, now, last);
        used += now;
        if (!last)
            return (int64_t)used;
        client->data_state = EDGE_CLIENT_DATA_PADDING;
    }
    uint32_t pad = len - used < client->data_pad ? (uint32_t)(len - used) : client->data_pad;
    client->data_pad -= pad;
    if (client->data_pad == 0)
        client->data_state = EDGE_CLIENT_DATA_NONE;
    return (int64_t)(used + pad);
}

static int on_block(struct edge_client *client, uint32_t id, uint8_t flags, const uint8_t *block,
                    size_t len)
{
    struct edge_client_stream *stream = edge_client_stream(client, id);
    enum edge_hpack_slot slot =
        stream != NULL && stream->got_headers ? EDGE_HPACK_TRAILERS : EDGE_HPACK_HEADERS;
    struct edge_fields *fields;
    // Also for a stream that is gone: the table must follow the peer's.
    int error = edge_hpack_decode(client->decoder, slot, block, len, &fields);
    if (error == -ENOMEM)
        return error;
    if (error == EDGE_ERR_LIMIT)
        return edge_client_fail(client, EDGE_H2_ENHANCE_YOUR_CALM,
                                "more header fields than we take");
    if (error < 0)
        return edge_client_fail(client, EDGE_H2_COMPRESSION_ERROR,
                                "a header block that does not decode");
    if (stream == NULL)
        return check_closed(client, id);
    if (stream->got_end)
        return edge_client_fail(client, EDGE_H2_STREAM_CLOSED,
                                "HEADERS after the end of its stream");
    stream->got_headers = true;
    stream->got_end = (flags & EDGE_FLAG_END_STREAM) != 0;
    client->config.events->headers(client->config.owner, stream, fields, stream->got_end);
    return 0;
}

static int on_headers(struct edge_client *client, const struct edge_frame *frame,
                      const uint8_t *payload)
{
    if (frame->stream == 0 || is_idle(client, frame->stream))
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR,
                                "HEADERS on a stream that was not opened");
    size_t at = 0, pad = 0;
    if (frame->flags & EDGE_FLAG_PADDED) {
        if (frame->len < 1)
            return edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR,
                                    "HEADERS too short for its padding");
        pad = payload[at++];
    }
    if (frame->flags & EDGE_FLAG_PRIORITY)
        at += 5;
    if (at + pad > frame->len)
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "padding longer than its frame");
    size_t len = frame->len - at - pad;
    if (frame->flags & EDGE_FLAG_END_HEADERS)
        return on_block(client, frame->stream, frame->flags, payload + at, len);
    client->block_stream = frame->stream;
    client->block_flags = frame->flags;
    // Room also for an empty block, so that it has an address.
    int error = edge_buffer_reserve(&client->block, len + 1);
    return error == 0 ? edge_buffer_append(&client->block, payload + at, len) : error;
}

static int on_continuation(struct edge_client *client, const struct edge_frame *frame,
                           const uint8_t *payload)
{
    if (client->block_stream == 0)
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "CONTINUATION without HEADERS");
    if (client->block.len + frame->len > BLOCK_MAX)
        return edge_client_fail(client, EDGE_H2_ENHANCE_YOUR_CALM,
                                "a header block longer than we take");
    int error = edge_buffer_append(&client->block, payload, frame->len);
    if (error < 0 || (frame->flags & EDGE_FLAG_END_HEADERS) == 0)
        return error;
    uint32_t id = client->block_stream;
    client->block_stream = 0;
    error = on_block(client, id, client->block_flags, edge_buffer_head(&client->block),
                     client->block.len);
    edge_buffer_consume(&client->block, client->block.len);
    return error;
}

static int set_initial_window(struct edge_client *client, uint32_t value)
{
    if (value > EDGE_WINDOW_MAX)
        return edge_client_fail(client, EDGE_H2_FLOW_CONTROL_ERROR,
                                "INITIAL_WINDOW_SIZE above 2^31-1");
    int64_t change = (int64_t)value - client->initial_window;
    client->initial_window = value;
    for (uint32_t i = 0; i < client->config.stream_count; i++) {
        struct edge_client_stream *stream = edge_client_record(client, i << 1);
        if (!stream->held)
            continue;
        int64_t window = stream->send_window + change;
        if (window > EDGE_WINDOW_MAX)
            return edge_client_fail(client, EDGE_H2_FLOW_CONTROL_ERROR, "a window above 2^31-1");
        stream->send_window = (int32_t)window;
    }
    return 0;
}

static int set(struct edge_client *client, struct edge_setting setting)
{
    switch (setting.id) {
    case EDGE_SETTING_HEADER_TABLE_SIZE:
        // RFC 7541 section 4.2: a size that was reduced and raised again before our next block had
        // emptied the table all the same.
        if (setting.value < client->header_table)
            client->header_table = setting.value;
        return 0;
    case EDGE_SETTING_ENABLE_PUSH:
        if (setting.value != 0)
            return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "ENABLE_PUSH from a server");
        return 0;
    case EDGE_SETTING_MAX_CONCURRENT_STREAMS:
        client->max_streams = setting.value;
        return 0;
    case EDGE_SETTING_INITIAL_WINDOW_SIZE:
        return set_initial_window(client, setting.value);
    case EDGE_SETTING_MAX_FRAME_SIZE:
        if (setting.value < EDGE_FRAME_MAX_DEFAULT || setting.value > EDGE_FRAME_MAX_LIMIT)
            return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "MAX_FRAME_SIZE out of range");
        client->max_frame = setting.value;
        return 0;
    default:
        return 0;
    }
}

static int on_settings(struct edge_client *client, const struct edge_frame *frame,
                       const uint8_t *payload)
{
    if (frame->stream != 0)
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "SETTINGS on a stream");
    if (frame->flags & EDGE_FLAG_ACK)
        return frame->len == 0 ? 0
                               : edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR,
                                                  "a SETTINGS ACK with contents");
    if (frame->len % 6 != 0)
        return edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR, "SETTINGS cut short");
    for (size_t i = 0; i < frame->len / 6; i++) {
        int error = set(client, edge_frame_setting(payload, i));
        if (error < 0)
            return error;
    }
    uint8_t ack[EDGE_FRAME_HEADER];
    int error = edge_client_queue(client, ack, edge_frame_settings_ack(ack));
    if (error < 0)
        return error;
    client->ready = true;
    client->config.events->settings(client->config.owner);
    return 0;
}

static int on_ping(struct edge_client *client, const struct edge_frame *frame,
                   const uint8_t *payload)
{
    if (frame->stream != 0)
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "PING on a stream");
    if (frame->len != 8)
        return edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR,
                                "a PING that is not 8 bytes long");
    if (frame->flags & EDGE_FLAG_ACK)
        return 0;
    uint8_t ack[EDGE_FRAME_HEADER + 8];
    return edge_client_queue(client, ack, edge_frame_ping(ack, payload, EDGE_FLAG_ACK));
}

static int on_goaway(struct edge_client *client, const struct edge_frame *frame,
                     const uint8_t *payload)
{
    if (frame->stream != 0)
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "GOAWAY on a stream");
    if (frame->len < 8)
        return edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR, "a GOAWAY cut short");
    client->going_away = true;
    client->config.events->goaway(client->config.owner, edge_get_u32(payload) & EDGE_STREAM_ID_MAX,
                                  edge_get_u32(payload + 4), (const char *)payload + 8,
                                  frame->len - 8);
    return 0;
}

static int on_window_update(struct edge_client *client, const struct edge_frame *frame,
                            const uint8_t *payload)
{
    if (frame->len != 4)
        return edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR,
                                "a WINDOW_UPDATE that is not 4 bytes long");
    uint32_t increment = edge_get_u32(payload) & EDGE_WINDOW_MAX;
    if (increment == 0)
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "a WINDOW_UPDATE of 0");
    if (frame->stream == 0) {
        client->send_window += increment;
        if (client->send_window > EDGE_WINDOW_MAX)
            return edge_client_fail(client, EDGE_H2_FLOW_CONTROL_ERROR, "a window above 2^31-1");
    } else {
        if (is_idle(client, frame->stream))
            return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR,
                                    "WINDOW_UPDATE on an idle stream");
        struct edge_client_stream *stream = edge_client_stream(client, frame->stream);
        if (stream == NULL)
            return 0;
        int64_t window = (int64_t)stream->send_window + increment;
        if (window > EDGE_WINDOW_MAX)
            return edge_client_fail(client, EDGE_H2_FLOW_CONTROL_ERROR, "a window above 2^31-1");
        stream->send_window = (int32_t)window;
    }
    client->config.events->window(client->config.owner);
    return 0;
}

static int on_rst_stream(struct edge_client *client, const struct edge_frame *frame,
                         const uint8_t *payload)
{
    if (frame->stream == 0 || is_idle(client, frame->stream))
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR,
                                "RST_STREAM on a stream that was not opened");
    if (frame->len != 4)
        return edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR,
                                "an RST_STREAM that is not 4 bytes long");
    struct edge_client_stream *stream = edge_client_stream(client, frame->stream);
    if (stream == NULL)
        return 0;
    stream->sent_end = stream->got_end = true; // it needs no reset from us
    client->config.events->reset(client->config.owner, stream, edge_get_u32(payload));
    return 0;
}

// A whole frame other than DATA.
static int on_frame(struct edge_client *client, const struct edge_frame *frame,
                    const uint8_t *payload)
{
    switch (frame->type) {
    case EDGE_FRAME_HEADERS:
        return on_headers(client, frame, payload);
    case EDGE_FRAME_CONTINUATION:
        return on_continuation(client, frame, payload);
    case EDGE_FRAME_RST_STREAM:
        return on_rst_stream(client, frame, payload);
    case EDGE_FRAME_SETTINGS:
        return on_settings(client, frame, payload);
    case EDGE_FRAME_PING:
        return on_ping(client, frame, payload);
    case EDGE_FRAME_GOAWAY:
        return on_goaway(client, frame, payload);
    case EDGE_FRAME_WINDOW_UPDATE:
        return on_window_update(client, frame, payload);
    case EDGE_FRAME_PUSH_PROMISE:
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR, "PUSH_PROMISE, though push is off");
    default: // PRIORITY means nothing to a client; unknown types are skipped (section 5.5)
        return 0;
    }
}

// What can be said about a frame from its header alone.
static int check_header(struct edge_client *client, const struct edge_frame *frame)
{
    if (!client->ready && (frame->type != EDGE_FRAME_SETTINGS || frame->flags & EDGE_FLAG_ACK))
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR,
                                "its first frame is not SETTINGS: no HTTP/2");
    if (frame->len > EDGE_FRAME_MAX_DEFAULT)
        return edge_client_fail(client, EDGE_H2_FRAME_SIZE_ERROR, "a frame above 16384 bytes");
    if (client->block_stream != 0 &&
        (frame->type != EDGE_FRAME_CONTINUATION || frame->stream != client->block_stream))
        return edge_client_fail(client, EDGE_H2_PROTOCOL_ERROR,
                                "a frame between HEADERS and CONTINUATION");
    return frame->type == EDGE_FRAME_DATA ? begin_data(client, frame) : 0;
}

// Goes on with a frame of which a part was kept. Returns the bytes used, or negative.
static int64_t take_partial(struct edge_client *client, const uint8_t *bytes, size_t len)
{
    struct edge_buffer *partial = &client->partial;
    size_t want = EDGE_FRAME_HEADER;
    if (partial->len >= EDGE_FRAME_HEADER)
        want += edge_frame_read(edge_buffer_head(partial)).len;
    size_t more = want - partial->len < len ? want - partial->len : len;
    int error = edge_buffer_append(partial, bytes, more);
    if (error < 0)
        return error;
    if (partial->len < EDGE_FRAME_HEADER)
        return (int64_t)more;
    struct edge_frame frame = edge_frame_read(edge_buffer_head(partial));
    if (want == EDGE_FRAME_HEADER) {
        error = check_header(client, &frame);
        if (error < 0)
            return error;
    }
    if (frame.type == EDGE_FRAME_DATA) {
        edge_buffer_consume(partial, partial->len);
        int64_t used = take_data(client, bytes + more, len - more);
        return used < 0 ? used : used + (int64_t)more;
    }
    if (partial->len == EDGE_FRAME_HEADER + frame.len) {
        error = on_frame(client, &frame, edge_buffer_head(partial) + EDGE_FRAME_HEADER);
        edge_buffer_consume(partial, partial->len);
    }
    return error < 0 ? error : (int64_t)more;
}

// Takes one frame from bytes that begin with its header, as far as they go.
static int64_t take_frame(struct edge_client *client, const uint8_t *bytes, size_t len)
{
    struct edge_frame frame = edge_frame_read(bytes);
    bool whole = len - EDGE_FRAME_HEADER >= frame.len;
    if (!whole && frame.type != EDGE_FRAME_DATA) {
        // Kept header and all: take_partial() goes on from there.
        int error = check_header(client, &frame);
        if (error == 0)
            error = edge_buffer_append(&client->partial, bytes, len);
        return error < 0 ? error : (int64_t)len;
    }
    int error = check_header(client, &frame);
    if (error < 0)
        return error;
    if (frame.type == EDGE_FRAME_DATA) {
        int64_t used = take_data(client, bytes + EDGE_FRAME_HEADER, len - EDGE_FRAME_HEADER);
        return used < 0 ? used : used + EDGE_FRAME_HEADER;
    }
    error = on_frame(client, &frame, bytes + EDGE_FRAME_HEADER);
    return error < 0 ? error : (int64_t)(EDGE_FRAME_HEADER + frame.len);
}

int edge_client_receive(struct edge_client *client, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        int64_t used;
        if (client->data_state != EDGE_CLIENT_DATA_NONE)
            used = take_data(client, bytes, len);
        else if (client->partial.len > 0 || len < EDGE_FRAME_HEADER)
            used = take_partial(client, bytes, len);
        else
            used = take_frame(client, bytes, len);
        if (used < 0)
            return (int)used;
        bytes += used;
        len -= (size_t)used;
    }
    return 0;
}
