#include "wire/client_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_headers.h"

#include "base/error.h"

// ---- an owner that writes down what it is told ----

static void note(struct owner *owner, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void note(struct owner *owner, const char *format, ...)
{
    size_t len = strlen(owner->log);
    va_list list;
    va_start(list, format);
    vsnprintf(owner->log + len, sizeof(owner->log) - len, format, list);
    va_end(list);
}

// Data comes in pieces of any size: the log joins them.
static void end_data(struct owner *owner)
{
    if (owner->data_stream != 0)
        note(owner, "]\n");
    owner->data_stream = 0;
}

static void finish(struct owner *owner, struct edge_client_stream *stream)
{
    note(owner, "end %u\n", stream->id);
    if (owner->close_at_end)
        edge_client_close(&owner->client, stream, EDGE_H2_CANCEL);
}

static void on_headers(void *self, struct edge_client_stream *stream, struct edge_fields *fields,
                       bool end)
{
    struct owner *owner = self;
    end_data(owner);
    note(owner, "headers %u", stream->id);
    for (uint32_t i = 0; i < fields->count; i++)
        note(owner, " %.*s=%.*s", (int)fields->list[i].name_len, fields->list[i].name,
             (int)fields->list[i].value_len, fields->list[i].value);
    note(owner, "\n");
    if (end)
        finish(owner, stream);
}

static void on_data(void *self, struct edge_client_stream *stream, const uint8_t *bytes, size_t len,
                    bool end)
{
    struct owner *owner = self;
    if (len > 0 && owner->data_stream != stream->id) {
        end_data(owner);
        note(owner, "data %u [", stream->id);
        owner->data_stream = stream->id;
    }
    if (len > 0)
        note(owner, "%.*s", (int)len, (const char *)bytes);
    if (end) {
        end_data(owner);
        finish(owner, stream);
    }
}

static void on_reset(void *self, struct edge_client_stream *stream, uint32_t code)
{
    struct owner *owner = self;
    end_data(owner);
    note(owner, "reset %u %s\n", stream->id, edge_h2_error_name(code));
    edge_client_close(&owner->client, stream, EDGE_H2_CANCEL);
}

static void on_goaway(void *self, uint32_t last, uint32_t code, const char *debug, size_t debug_len)
{
    struct owner *owner = self;
    end_data(owner);
    note(owner, "goaway %u %s %.*s\n", last, edge_h2_error_name(code), (int)debug_len, debug);
}

static void on_settings(void *self)
{
    struct owner *owner = self;
    end_data(owner);
    note(owner, "settings\n");
}

static void on_window(void *self)
{
    struct owner *owner = self;
    end_data(owner);
    note(owner, "window\n");
}

static const struct edge_client_events events = {
    on_headers, on_data, on_reset, on_goaway, on_settings, on_window,
};

void owner_init_windows(struct owner *owner, uint32_t stream_window, uint32_t window)
{
    memset(owner, 0, sizeof(*owner));
    owner->close_at_end = true;
    struct edge_client_config config = {
        .events = &events,
        .owner = owner,
        .streams = owner->ring,
        .stream_size = sizeof(owner->ring[0]),
        .stream_count = RING,
        .stream_window = stream_window,
        .window = window,
    };
    assert_int_equal(edge_client_init(&owner->client, &config), 0);
}

void owner_init(struct owner *owner)
{
    owner_init_windows(owner, 0, 0);
}

// ---- bytes of a server ----

void put_frame(struct bytes *bytes, enum edge_frame_type type, unsigned flags, uint32_t stream,
               const void *payload, size_t len)
{
    bytes->len += edge_frame_write(bytes->at + bytes->len, (uint32_t)len, type, flags, stream);
    if (len > 0)
        memcpy(bytes->at + bytes->len, payload, len);
    bytes->len += len;
}

void put_settings(struct bytes *bytes, const struct edge_setting *settings, size_t count)
{
    bytes->len += edge_frame_settings(bytes->at + bytes->len, settings, count);
}

void put_u32(struct bytes *bytes, enum edge_frame_type type, uint32_t stream, uint32_t value)
{
    uint8_t payload[4];
    edge_put_u32(payload, value);
    put_frame(bytes, type, 0, stream, payload, 4);
}

const uint8_t status_200[1] = {0x88};
static const uint8_t trailer_block[] = {0x00, 1, 't', 1, 'v'};

void put_headers(struct bytes *bytes, uint32_t stream)
{
    put_frame(bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, stream, status_200, 1);
}

void put_trailers(struct bytes *bytes, uint32_t stream)
{
    put_frame(bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, stream,
              trailer_block, sizeof(trailer_block));
}

int receive(struct owner *owner, const struct bytes *bytes)
{
    return edge_client_receive(&owner->client, bytes->at, bytes->len);
}

void open_streams(struct owner *owner, unsigned streams)
{
    struct bytes bytes = {.len = 0};
    put_settings(&bytes, NULL, 0);
    assert_int_equal(receive(owner, &bytes), 0);
    owner->log[0] = '\0';
    struct edge_buffer out = {0};
    for (unsigned i = 0; i < streams; i++) {
        struct edge_client_stream *stream = edge_client_open(&owner->client);
        assert_non_null(stream);
        assert_int_equal(edge_client_headers(&owner->client, stream, &out, status_200, 1, true), 0);
    }
    edge_buffer_free(&out);
}

void expect_sent(struct owner *owner, const char *expected)
{
    char text[512] = "";
    struct edge_buffer out = {0};
    assert_int_equal(edge_client_flush(&owner->client, &out), 0);
    size_t at = 0;
    const uint8_t *head = out.len > 0 ? edge_buffer_head(&out) : NULL;
    if (out.len >= EDGE_PREFACE_LEN && memcmp(head, EDGE_PREFACE, EDGE_PREFACE_LEN) == 0) {
        strcat(text, "PREFACE ");
        at = EDGE_PREFACE_LEN;
    }
    while (at < out.len) {
        struct edge_frame frame = edge_frame_read(head + at);
        const uint8_t *payload = head + at + EDGE_FRAME_HEADER;
        size_t len = strlen(text);
        snprintf(text + len, sizeof(text) - len, "%s/%u", edge_frame_name(frame.type),
                 frame.stream);
        len = strlen(text);
        if (frame.type == EDGE_FRAME_RST_STREAM)
            snprintf(text + len, sizeof(text) - len, ":%s",
                     edge_h2_error_name(edge_get_u32(payload)));
        else if (frame.type == EDGE_FRAME_GOAWAY)
            snprintf(text + len, sizeof(text) - len, ":%s",
                     edge_h2_error_name(edge_get_u32(payload + 4)));
        else if (frame.type == EDGE_FRAME_WINDOW_UPDATE)
            snprintf(text + len, sizeof(text) - len, ":%u", edge_get_u32(payload));
        else if (frame.flags & EDGE_FLAG_ACK)
            strcat(text, ":ack");
        strcat(text, " ");
        at += EDGE_FRAME_HEADER + frame.len;
    }
    assert_string_equal(text, expected);
    edge_buffer_free(&out);
}
