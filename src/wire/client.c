#include "wire/client_internal.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

#define STREAM_WINDOW_DEFAULT (4u << 20)
#define WINDOW_WANTED         (16u << 20)
#define FIELD_TEXT_MAX        65536u
#define CONTROL_MAX           65536u // a peer that makes us answer faster than it reads

int edge_client_fail(struct edge_client *client, uint32_t code, const char *why)
{
    uint8_t frame[EDGE_FRAME_HEADER + 8];
    client->failure = why;
    size_t len = edge_frame_goaway(frame, 0, code, NULL, 0);
    int error = edge_buffer_append(&client->control, frame, len);
    return error < 0 ? error : EDGE_ERR_PROTOCOL;
}

int edge_client_queue(struct edge_client *client, const uint8_t *frame, size_t len)
{
    client->answers += len;
    if (client->answers > CONTROL_MAX)
        return edge_client_fail(client, EDGE_H2_ENHANCE_YOUR_CALM,
                                "more PING and SETTINGS than it reads");
    return edge_buffer_append(&client->control, frame, len);
}

int edge_client_init(struct edge_client *client, const struct edge_client_config *config)
{
    *client = (struct edge_client){
        .config = *config,
        .next_id = 1,
        .max_streams = UINT32_MAX, // section 6.5.2: no limit until the peer sets one
        .initial_window = EDGE_WINDOW_DEFAULT,
        .max_frame = EDGE_FRAME_MAX_DEFAULT,
        .header_table = EDGE_HPACK_TABLE_DEFAULT,
        .send_window = EDGE_WINDOW_DEFAULT,
    };
    if (client->config.stream_window == 0)
        client->config.stream_window = STREAM_WINDOW_DEFAULT;
    if (client->config.window == 0)
        client->config.window = WINDOW_WANTED;

    uint8_t start[EDGE_PREFACE_LEN + 64];
    const struct edge_setting settings[] = {
        {EDGE_SETTING_ENABLE_PUSH, 0},
        {EDGE_SETTING_INITIAL_WINDOW_SIZE, client->config.stream_window},
    };
    memcpy(start, EDGE_PREFACE, EDGE_PREFACE_LEN);
    size_t len = EDGE_PREFACE_LEN;
    len += edge_frame_settings(start + len, settings, 2);
    if (client->config.window > EDGE_WINDOW_DEFAULT)
        len +=
            edge_frame_window_update(start + len, 0, client->config.window - EDGE_WINDOW_DEFAULT);
    client->decoder = edge_hpack_decoder_new(FIELD_TEXT_MAX);
    if (client->decoder == NULL || edge_buffer_append(&client->control, start, len) < 0) {
        edge_client_free(client);
        return -ENOMEM;
    }
    return 0;
}

void edge_client_free(struct edge_client *client)
{
    edge_hpack_decoder_del(client->decoder);
    client->decoder = NULL;
    edge_buffer_free(&client->control);
    edge_buffer_free(&client->partial);
    edge_buffer_free(&client->block);
}

struct edge_client_stream *edge_client_stream(const struct edge_client *client, uint32_t id)
{
    struct edge_client_stream *stream = edge_client_record(client, id);
    return stream->id == id && stream->held ? stream : NULL;
}

struct edge_client_stream *edge_client_open(struct edge_client *client)
{
    for (uint32_t tries = 0; tries < client->config.stream_count; tries++) {
        if (!edge_client_can_open(client))
            return NULL;
        uint32_t id = client->next_id;
        struct edge_client_stream *stream = edge_client_record(client, id);
        client->next_id += 2;
        if (stream->held)
            continue;
        *stream = (struct edge_client_stream){
            .id = id, .send_window = (int32_t)client->initial_window, .held = true};
        client->in_flight++;
        return stream;
    }
    return NULL;
}

void edge_client_close(struct edge_client *client, struct edge_client_stream *stream, uint32_t code)
{
    if (!stream->held)
        return;
    stream->held = false;
    client->in_flight--;
    if (stream->sent_end && stream->got_end)
        return;
    // What still arrives for it is no mistake of the peer's, whatever it had sent before.
    stream->got_end = false;
    uint8_t frame[EDGE_FRAME_HEADER + 4];
    size_t len = edge_frame_rst_stream(frame, stream->id, code);
    // Our own doing, at most one per stream: no reason to call the peer a flood.
    if (edge_buffer_append(&client->control, frame, len) < 0)
        client->out_of_memory = true;
}

int edge_client_headers(struct edge_client *client, struct edge_client_stream *stream,
                        struct edge_buffer *out, const uint8_t *block, size_t len, bool end)
{
    (void)client;
    if (edge_buffer_reserve(out, EDGE_FRAME_HEADER + len) < 0)
        return -ENOMEM;
    uint8_t *at = edge_buffer_tail(out);
    edge_frame_write(at, (uint32_t)len, EDGE_FRAME_HEADERS,
                     EDGE_FLAG_END_HEADERS | (end ? EDGE_FLAG_END_STREAM : 0u), stream->id);
    memcpy(at + EDGE_FRAME_HEADER, block, len);
    out->len += EDGE_FRAME_HEADER + len;
    stream->sent_end = end;
    return 0;
}

uint8_t *edge_client_data(struct edge_client *client, struct edge_client_stream *stream,
                          struct edge_buffer *out, uint32_t len, bool end)
{
    if (edge_buffer_reserve(out, EDGE_FRAME_HEADER + len) < 0)
        return NULL;
    uint8_t *at = edge_buffer_tail(out);
    edge_frame_write(at, len, EDGE_FRAME_DATA, end ? EDGE_FLAG_END_STREAM : 0u, stream->id);
    out->len += EDGE_FRAME_HEADER + len;
    client->send_window -= len;
    stream->send_window -= (int32_t)len;
    stream->sent_end = end;
    return at + EDGE_FRAME_HEADER;
}

int edge_client_ping(struct edge_client *client)
{
    static const uint8_t data[8] = {0};
    uint8_t frame[EDGE_FRAME_HEADER + 8];
    size_t len = edge_frame_ping(frame, data, 0);
    return edge_buffer_append(&client->control, frame, len);
}

int edge_client_flush(struct edge_client *client, struct edge_buffer *out)
{
    if (client->out_of_memory)
        return -ENOMEM;
    if (client->control.len == 0)
        return 0;
    int error = edge_buffer_append(out, edge_buffer_head(&client->control), client->control.len);
    if (error < 0)
        return error;
    edge_buffer_consume(&client->control, client->control.len);
    client->answers = 0;
    return 0;
}
