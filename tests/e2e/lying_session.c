#include "lying_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define STREAM_CRUMB     7   // bytes per stream WINDOW_UPDATE when dribbling
#define CONNECTION_CRUMB 200 // ... and for the connection

int liar_init(struct liar *liar, struct liar_shared *shared)
{
    *liar = (struct liar){
        .shared = shared,
        .last_accepted = EDGE_STREAM_ID_MAX,
        .window_setting = EDGE_WINDOW_DEFAULT,
        .window_in_force = EDGE_WINDOW_DEFAULT,
        .receive_window = EDGE_WINDOW_DEFAULT,
        .send_window = EDGE_WINDOW_DEFAULT,
    };
    return nghttp2_hd_inflate_new(&liar->inflater) == 0 ? 0 : -ENOMEM;
}

static void free_stream(struct liar_stream *stream)
{
    edge_buffer_free(&stream->bytes);
    free(stream);
}

void liar_free(struct liar *liar)
{
    while (liar->streams != NULL) {
        struct liar_stream *stream = liar->streams;
        liar->streams = stream->next;
        free_stream(stream);
    }
    nghttp2_hd_inflate_del(liar->inflater);
    liar->inflater = NULL;
    edge_buffer_free(&liar->in);
    edge_buffer_free(&liar->out);
    edge_buffer_free(&liar->block);
}

// A fixture has no use for going on without memory.
static uint8_t *room(struct edge_buffer *buffer, size_t len)
{
    if (edge_buffer_reserve(buffer, len) < 0)
        abort();
    return edge_buffer_tail(buffer);
}

static void put(struct edge_buffer *buffer, const void *bytes, size_t len)
{
    if (edge_buffer_append(buffer, bytes, len) < 0)
        abort();
}

void liar_frame(struct liar *liar, unsigned type, unsigned flags, uint32_t stream,
                const void *payload, size_t len)
{
    if (type == EDGE_FRAME_DATA)
        liar->send_window -= (int64_t)len;
    edge_frame_write(room(&liar->out, EDGE_FRAME_HEADER), (uint32_t)len, (enum edge_frame_type)type,
                     flags, stream);
    liar->out.len += EDGE_FRAME_HEADER;
    put(&liar->out, payload, len);
}

void liar_reset(struct liar *liar, uint32_t stream, uint32_t code)
{
    liar->out.len += edge_frame_rst_stream(room(&liar->out, 13), stream, code);
}

void liar_goaway(struct liar *liar, uint32_t last_stream, uint32_t code, const char *why)
{
    size_t len = strlen(why);
    liar->out.len += edge_frame_goaway(room(&liar->out, 17 + len), last_stream, code, why, len);
}

static void put_window_update(struct liar *liar, uint32_t stream, uint32_t increment)
{
    liar->out.len += edge_frame_window_update(room(&liar->out, 13), stream, increment);
}

// The client broke a rule.
static int fail(struct liar *liar, enum edge_h2_error code, const char *why)
{
    liar_goaway(liar, liar->last_stream, code, why);
    return EDGE_ERR_PROTOCOL;
}

static struct liar_stream *find_stream(struct liar *liar, uint32_t id)
{
    struct liar_stream *stream = liar->streams;
    while (stream != NULL && stream->id != id)
        stream = stream->next;
    return stream;
}

static unsigned open_stream(struct liar *liar, uint32_t id)
{
    struct liar_stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        abort();
    stream->id = id;
    stream->window = liar->window_in_force;
    unsigned count = 1;
    struct liar_stream **link = &liar->streams;
    for (; *link != NULL; link = &(*link)->next)
        count++;
    *link = stream;
    return count;
}

static void drop_stream(struct liar *liar, uint32_t id)
{
    struct liar_stream **link = &liar->streams;
    while (*link != NULL && (*link)->id != id)
        link = &(*link)->next;
    struct liar_stream *stream = *link;
    if (stream != NULL) {
        *link = stream->next;
        free_stream(stream);
    }
}

void liar_drop_above(struct liar *liar, uint32_t last_accepted)
{
    liar->last_accepted = last_accepted;
    struct liar_stream **link = &liar->streams;
    while (*link != NULL) {
        struct liar_stream *stream = *link;
        if (stream->id > last_accepted) {
            *link = stream->next;
            free_stream(stream);
        } else {
            link = &stream->next;
        }
    }
}

static void shift_windows(struct liar *liar, uint32_t window)
{
    for (struct liar_stream *stream = liar->streams; stream != NULL; stream = stream->next)
        stream->window += (int64_t)window - liar->window_in_force;
    liar->window_in_force = window;
}

// A larger window is in force as soon as the client may know of it, a smaller one from its ACK on.
void liar_set_window(struct liar *liar, uint32_t window)
{
    struct edge_setting setting = {EDGE_SETTING_INITIAL_WINDOW_SIZE, window};
    liar->out.len += edge_frame_settings(room(&liar->out, 15), &setting, 1);
    liar->settings_unacked = true;
    liar->window_setting = window;
    if (window > liar->window_in_force)
        shift_windows(liar, window);
}

static void greet(struct liar *liar)
{
    const struct edge_setting *settings = liar->shared->lie->settings;
    size_t count = 0;
    while (count < 2 && settings[count].id != 0) {
        if (settings[count].id == EDGE_SETTING_MAX_CONCURRENT_STREAMS)
            liar->max_streams = settings[count].value;
        if (settings[count].id == EDGE_SETTING_INITIAL_WINDOW_SIZE)
            liar->window_setting = settings[count].value;
        count++;
    }
    liar->out.len += edge_frame_settings(room(&liar->out, 21), settings, count);
    liar->settings_unacked = true;
    liar->greeted = true;
}

static int on_settings_ack(struct liar *liar)
{
    if (!liar->settings_unacked)
        return fail(liar, EDGE_H2_PROTOCOL_ERROR, "an ACK of SETTINGS not sent");
    liar->settings_unacked = false;
    shift_windows(liar, liar->window_setting);
    const struct edge_setting *settings = liar->shared->lie->settings;
    for (size_t i = 0; i < 2; i++) {
        if (settings[i].id == EDGE_SETTING_HEADER_TABLE_SIZE &&
            nghttp2_hd_inflate_change_table_size(liar->inflater, settings[i].value) != 0)
            return fail(liar, EDGE_H2_INTERNAL_ERROR, "the inflater does not take the table size");
    }
    return 0;
}

static int on_settings(struct liar *liar, struct edge_frame frame)
{
    if (frame.stream != 0 || frame.len % 6 != 0)
        return fail(liar, EDGE_H2_FRAME_SIZE_ERROR, "SETTINGS of a wrong length or stream");
    if ((frame.flags & EDGE_FLAG_ACK) != 0)
        return on_settings_ack(liar);
    if (!liar->greeted)
        greet(liar);
    liar->out.len += edge_frame_settings_ack(room(&liar->out, EDGE_FRAME_HEADER));
    return 0;
}

// Decodes a whole header block: the client's HPACK state must hold at every request.
static bool decodes(struct liar *liar, const uint8_t *block, size_t len)
{
    int flags = 0;
    while ((flags & NGHTTP2_HD_INFLATE_FINAL) == 0) {
        nghttp2_nv field;
        flags = 0;
        ssize_t used = nghttp2_hd_inflate_hd2(liar->inflater, &field, &flags, block, len, 1);
        if (used < 0)
            return false;
        block += used;
        len -= (size_t)used;
    }
    nghttp2_hd_inflate_end_headers(liar->inflater);
    return true;
}

static int on_block_end(struct liar *liar)
{
    uint32_t id = liar->block_stream;
    liar->block_stream = 0;
    bool ok = decodes(liar, edge_buffer_head(&liar->block), liar->block.len);
    liar->block.len = liar->block.start = 0;
    if (!ok)
        return fail(liar, EDGE_H2_COMPRESSION_ERROR, "the header block does not decode");
    if (id > liar->last_accepted)
        return 0;
    if (id > liar->last_stream) {
        liar->last_stream = id;
        unsigned count = open_stream(liar, id);
        if (liar->max_streams > 0 && count > liar->max_streams)
            return fail(liar, EDGE_H2_PROTOCOL_ERROR, "more streams than MAX_CONCURRENT_STREAMS");
    }
    struct liar_stream *stream = find_stream(liar, id);
    if (stream != NULL && liar->block_ends)
        stream->ended = true;
    return 0;
}

static int on_headers(struct liar *liar, struct edge_frame frame, const uint8_t *payload)
{
    if (frame.stream % 2 == 0 || (frame.flags & (EDGE_FLAG_PADDED | EDGE_FLAG_PRIORITY)) != 0)
        return fail(liar, EDGE_H2_PROTOCOL_ERROR, "HEADERS on an even stream, or padded");
    liar->block_stream = frame.stream;
    liar->block_ends = (frame.flags & EDGE_FLAG_END_STREAM) != 0;
    put(&liar->block, payload, frame.len);
    return (frame.flags & EDGE_FLAG_END_HEADERS) != 0 ? on_block_end(liar) : 0;
}

static int on_continuation(struct liar *liar, struct edge_frame frame, const uint8_t *payload)
{
    if (liar->block_stream == 0 || frame.stream != liar->block_stream)
        return fail(liar, EDGE_H2_PROTOCOL_ERROR, "CONTINUATION of no header block");
    put(&liar->block, payload, frame.len);
    return (frame.flags & EDGE_FLAG_END_HEADERS) != 0 ? on_block_end(liar) : 0;
}

static int on_data(struct liar *liar, struct edge_frame frame, const uint8_t *payload)
{
    liar->receive_window -= frame.len;
    if (liar->receive_window < 0)
        return fail(liar, EDGE_H2_FLOW_CONTROL_ERROR, "DATA beyond the connection's window");
    struct liar_stream *stream = find_stream(liar, frame.stream);
    if (stream == NULL)
        return frame.stream <= liar->last_stream || frame.stream > liar->last_accepted
                   ? 0 // answered early, or refused
                   : fail(liar, EDGE_H2_PROTOCOL_ERROR, "DATA on an idle stream");
    stream->window -= frame.len;
    if (stream->window < 0)
        return fail(liar, EDGE_H2_FLOW_CONTROL_ERROR, "DATA beyond the stream's window");
    if (stream->ended)
        return fail(liar, EDGE_H2_STREAM_CLOSED, "DATA after END_STREAM");
    put(&stream->bytes, payload, frame.len);
    stream->ended = (frame.flags & EDGE_FLAG_END_STREAM) != 0;
    return 0;
}

static int on_frame(struct liar *liar, struct edge_frame frame, const uint8_t *payload)
{
    if (liar->block_stream != 0 && frame.type != EDGE_FRAME_CONTINUATION)
        return fail(liar, EDGE_H2_PROTOCOL_ERROR, "a header block without its end");
    if (!liar->greeted && frame.type != EDGE_FRAME_SETTINGS)
        return fail(liar, EDGE_H2_PROTOCOL_ERROR, "the first frame must be SETTINGS");
    switch (frame.type) {
    case EDGE_FRAME_DATA:
        return on_data(liar, frame, payload);
    case EDGE_FRAME_HEADERS:
        return on_headers(liar, frame, payload);
    case EDGE_FRAME_CONTINUATION:
        return on_continuation(liar, frame, payload);
    case EDGE_FRAME_SETTINGS:
        return on_settings(liar, frame);
    case EDGE_FRAME_PING:
        if ((frame.flags & EDGE_FLAG_ACK) == 0 && frame.len == 8)
            liar->out.len += edge_frame_ping(room(&liar->out, 17), payload, EDGE_FLAG_ACK);
        return 0;
    case EDGE_FRAME_WINDOW_UPDATE:
        if (frame.stream == 0 && frame.len == 4)
            liar->send_window += edge_get_u32(payload) & EDGE_WINDOW_MAX;
        return 0;
    case EDGE_FRAME_RST_STREAM: // the client gave the call up, after a timeout
        drop_stream(liar, frame.stream);
        return 0;
    default:
        return 0;
    }
}

int liar_receive(struct liar *liar, const uint8_t *bytes, size_t len)
{
    put(&liar->in, bytes, len);
    if (!liar->preface_seen) {
        if (liar->in.len < EDGE_PREFACE_LEN)
            return 0;
        if (memcmp(edge_buffer_head(&liar->in), EDGE_PREFACE, EDGE_PREFACE_LEN) != 0)
            return fail(liar, EDGE_H2_PROTOCOL_ERROR, "this is not HTTP/2");
        edge_buffer_consume(&liar->in, EDGE_PREFACE_LEN);
        liar->preface_seen = true;
    }
    while (liar->in.len >= EDGE_FRAME_HEADER) {
        const uint8_t *head = edge_buffer_head(&liar->in);
        struct edge_frame frame = edge_frame_read(head);
        if (frame.len > EDGE_FRAME_MAX_DEFAULT)
            return fail(liar, EDGE_H2_FRAME_SIZE_ERROR, "a frame above 16384 bytes");
        if (liar->in.len < EDGE_FRAME_HEADER + frame.len)
            break;
        int error = on_frame(liar, frame, head + EDGE_FRAME_HEADER);
        if (error < 0)
            return error;
        edge_buffer_consume(&liar->in, EDGE_FRAME_HEADER + frame.len);
    }
    return 0;
}

// Gives windows back: all at once when half is gone, or by crumbs only when nothing is left.
static void top_up(struct liar *liar)
{
    bool dribble = liar->shared->lie->dribble;
    int64_t low = dribble ? CONNECTION_CRUMB : EDGE_WINDOW_DEFAULT / 2;
    if (liar->receive_window < low) {
        uint32_t more =
            dribble ? CONNECTION_CRUMB : (uint32_t)(EDGE_WINDOW_DEFAULT - liar->receive_window);
        put_window_update(liar, 0, more);
        liar->receive_window += more;
    }
    for (struct liar_stream *stream = liar->streams; stream != NULL; stream = stream->next) {
        low = dribble ? 1 : EDGE_WINDOW_DEFAULT / 2;
        while (!stream->ended && stream->window < low) {
            uint32_t more =
                dribble ? STREAM_CRUMB : (uint32_t)(EDGE_WINDOW_DEFAULT - stream->window);
            put_window_update(liar, stream->id, more);
            stream->window += more;
        }
    }
}

int liar_turn(struct liar *liar)
{
    const struct lie *lie = liar->shared->lie;
    if (lie->turn != NULL)
        lie->turn(liar);
    struct liar_stream **link = &liar->streams;
    while (*link != NULL && !liar->hangup) {
        struct liar_stream *stream = *link;
        // No reply is longer than three times its request and some headers.
        if (!stream->ended || liar->send_window < 3 * (int64_t)stream->bytes.len + 4096) {
            link = &stream->next;
            continue;
        }
        liar->requests++;
        lie->answer(liar, stream, ++liar->shared->requests);
        *link = stream->next;
        free_stream(stream);
    }
    top_up(liar);
    return liar->hangup ? EDGE_ERR_CLOSED : 0;
}
