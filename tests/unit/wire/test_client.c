#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wire/client.h"

#define RING 8u

// ---- an owner that writes down what it is told ----

struct record {
    struct edge_client_stream stream;
};

struct owner {
    struct edge_client client;
    struct record ring[RING];
    char log[4096];
    uint32_t data_stream; // whose data the log ends with; 0: nobody's
    bool close_at_end;
};

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

static void owner_init_windows(struct owner *owner, uint32_t stream_window, uint32_t window)
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

static void owner_init(struct owner *owner)
{
    owner_init_windows(owner, 0, 0);
}

// ---- bytes of a server ----

struct bytes {
    uint8_t at[40000];
    size_t len;
};

static void put_frame(struct bytes *bytes, enum edge_frame_type type, unsigned flags,
                      uint32_t stream, const void *payload, size_t len)
{
    bytes->len += edge_frame_write(bytes->at + bytes->len, (uint32_t)len, type, flags, stream);
    if (len > 0)
        memcpy(bytes->at + bytes->len, payload, len);
    bytes->len += len;
}

static void put_settings(struct bytes *bytes, const struct edge_setting *settings, size_t count)
{
    bytes->len += edge_frame_settings(bytes->at + bytes->len, settings, count);
}

static void put_u32(struct bytes *bytes, enum edge_frame_type type, uint32_t stream, uint32_t value)
{
    uint8_t payload[4];
    edge_put_u32(payload, value);
    put_frame(bytes, type, 0, stream, payload, 4);
}

static const uint8_t status_200[] = {0x88};
static const uint8_t trailer_block[] = {0x00, 1, 't', 1, 'v'};

static void put_headers(struct bytes *bytes, uint32_t stream)
{
    put_frame(bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, stream, status_200, 1);
}

static void put_trailers(struct bytes *bytes, uint32_t stream)
{
    put_frame(bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, stream,
              trailer_block, sizeof(trailer_block));
}

static int receive(struct owner *owner, const struct bytes *bytes)
{
    return edge_client_receive(&owner->client, bytes->at, bytes->len);
}

// A connection on which SETTINGS came and `streams` streams are open, their requests ended.
static void open_streams(struct owner *owner, unsigned streams)
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

// What the client sends next: types of its frames.
static void expect_sent(struct owner *owner, const char *expected)
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

// ---- tests ----

static void starts_with_preface(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    assert_false(edge_client_can_open(&owner.client));
    assert_null(edge_client_open(&owner.client));
    expect_sent(&owner, "PREFACE SETTINGS/0 WINDOW_UPDATE/0:16711681 ");
    expect_sent(&owner, "");
    edge_client_free(&owner.client);
    edge_client_free(&owner.client);
}

// Everything a server may say, in one run of bytes.
static void put_conversation(struct bytes *bytes)
{
    const struct edge_setting settings[] = {{EDGE_SETTING_MAX_CONCURRENT_STREAMS, 100}, {99, 1}};
    put_settings(bytes, settings, 2);
    bytes->len += edge_frame_settings_ack(bytes->at + bytes->len);
    put_headers(bytes, 1);
    put_frame(bytes, EDGE_FRAME_DATA, 0, 1, "hello", 5);
    // Stream 3: padded and with priority; its block in three frames.
    const uint8_t part_1[] = {4, 0, 0, 0, 0, 16, 0x88, 0x00, 0, 0, 0, 0};
    put_frame(bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_PADDED | EDGE_FLAG_PRIORITY, 3, part_1,
              sizeof(part_1));
    put_frame(bytes, EDGE_FRAME_CONTINUATION, 0, 3, "", 0);
    put_frame(bytes, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, 3, "\1t\1v", 4);
    put_frame(bytes, EDGE_FRAME_PING, 0, 0, "12345678", 8);
    put_frame(bytes, EDGE_FRAME_DATA, EDGE_FLAG_PADDED, 3, "\3abc\0\0\0", 7);
    put_frame(bytes, EDGE_FRAME_DATA, 0, 1, " world", 6);
    put_frame(bytes, EDGE_FRAME_PRIORITY, 0, 1, "\0\0\0\0\1", 5);
    put_frame(bytes, 0xbe, 0xff, 77, "grease", 6);
    put_trailers(bytes, 1);
    put_frame(bytes, EDGE_FRAME_DATA, EDGE_FLAG_PADDED | EDGE_FLAG_END_STREAM, 3, "\2\0\0", 3);
    put_u32(bytes, EDGE_FRAME_WINDOW_UPDATE, 0, 10);
    put_headers(bytes, 5);
    put_frame(bytes, EDGE_FRAME_DATA, EDGE_FLAG_END_STREAM, 5, "", 0);
    put_u32(bytes, EDGE_FRAME_RST_STREAM, 7, EDGE_H2_REFUSED_STREAM);
    const uint8_t goaway[] = {0, 0, 0, 7, 0, 0, 0, 11, 'b', 'y', 'e'};
    put_frame(bytes, EDGE_FRAME_GOAWAY, 0, 0, goaway, sizeof(goaway));
}

static const char conversation_log[] = "headers 1 :status=200\n"
                                       "data 1 [hello]\n"
                                       "headers 3 :status=200 t=v\n"
                                       "data 3 [abc]\n"
                                       "data 1 [ world]\n"
                                       "headers 1 t=v\n"
                                       "end 1\n"
                                       "end 3\n"
                                       "window\n"
                                       "headers 5 :status=200\n"
                                       "end 5\n"
                                       "reset 7 REFUSED_STREAM\n"
                                       "goaway 7 ENHANCE_YOUR_CALM bye\n";

// Feeds the conversation in up to three pieces, split at a and b.
static void converse(size_t a, size_t b)
{
    static struct bytes bytes;
    bytes.len = 0;
    put_conversation(&bytes);
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 4);
    const size_t cuts[] = {0, a, b, bytes.len};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            edge_client_receive(&owner.client, bytes.at + cuts[i], cuts[i + 1] - cuts[i]), 0);
    const char *log = owner.log + strlen("settings\n"); // the conversation's own
    assert_string_equal(log, conversation_log);
    assert_int_equal(owner.client.in_flight, 0);
    assert_int_equal(owner.client.max_streams, 100);
    assert_int_equal(owner.client.send_window, EDGE_WINDOW_DEFAULT + 10);
    assert_true(owner.client.going_away);
    assert_false(edge_client_can_open(&owner.client));
    expect_sent(&owner, "PREFACE SETTINGS/0 WINDOW_UPDATE/0:16711681 SETTINGS/0:ack SETTINGS/0:ack "
                        "PING/0:ack ");
    edge_client_free(&owner.client);
}

static void split_at_every_position(void **state)
{
    (void)state;
    static struct bytes bytes;
    bytes.len = 0;
    put_conversation(&bytes);
    converse(0, 0);
    for (size_t a = 0; a < bytes.len; a++) {
        converse(a, a + 1);
        converse(a / 2, a);
    }
}

static void byte_by_byte(void **state)
{
    (void)state;
    static struct bytes bytes;
    bytes.len = 0;
    put_conversation(&bytes);
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 4);
    for (size_t i = 0; i < bytes.len; i++)
        assert_int_equal(edge_client_receive(&owner.client, bytes.at + i, 1), 0);
    assert_string_equal(owner.log + strlen("settings\n"), conversation_log);
    edge_client_free(&owner.client);
}

static void honours_max_concurrent_streams(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    struct bytes bytes = {.len = 0};
    const struct edge_setting one = {EDGE_SETTING_MAX_CONCURRENT_STREAMS, 1};
    put_settings(&bytes, &one, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    struct edge_client_stream *stream = edge_client_open(&owner.client);
    assert_non_null(stream);
    assert_null(edge_client_open(&owner.client));
    edge_client_close(&owner.client, stream, EDGE_H2_CANCEL);
    assert_non_null(edge_client_open(&owner.client));
    edge_client_free(&owner.client);
}

static void skips_busy_records_and_ends_of_ids(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, RING);
    assert_null(edge_client_open(&owner.client)); // every record is in use
    // Only the record of stream 5 is free: its next id is 5 + 2 * RING * k.
    edge_client_close(&owner.client, edge_client_stream(&owner.client, 5), EDGE_H2_CANCEL);
    struct edge_client_stream *stream = edge_client_open(&owner.client);
    assert_non_null(stream);
    assert_int_equal(stream->id % (2 * RING), 5);
    assert_true(stream->id > 2 * RING);
    assert_null(edge_client_stream(&owner.client, 5));

    edge_client_close(&owner.client, edge_client_stream(&owner.client, 15), EDGE_H2_CANCEL);
    owner.client.next_id = EDGE_STREAM_ID_MAX;
    assert_false(edge_client_exhausted(&owner.client));
    assert_non_null(edge_client_open(&owner.client));
    assert_true(edge_client_exhausted(&owner.client));
    assert_false(edge_client_can_open(&owner.client));
    edge_client_free(&owner.client);
}

static void send_windows(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 0);
    struct edge_client *client = &owner.client;
    struct edge_client_stream *stream = edge_client_open(client);
    assert_int_equal(edge_client_room(client, stream), EDGE_FRAME_MAX_DEFAULT);
    struct edge_buffer out = {0};
    uint8_t *at = edge_client_data(client, stream, &out, 1000, false);
    memset(at, 'x', 1000);
    assert_int_equal(out.len, 1009);
    assert_int_equal(client->send_window, EDGE_WINDOW_DEFAULT - 1000);
    assert_int_equal(stream->send_window, EDGE_WINDOW_DEFAULT - 1000);

    // A smaller initial window makes the stream's negative (section 6.9.2).
    struct bytes bytes = {.len = 0};
    struct edge_setting tiny[] = {{EDGE_SETTING_INITIAL_WINDOW_SIZE, 1},
                                  {EDGE_SETTING_MAX_FRAME_SIZE, 20000}};
    put_settings(&bytes, tiny, 2);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_int_equal(stream->send_window, 1 - 1000);
    assert_int_equal(edge_client_room(client, stream), 0);
    assert_int_equal(edge_client_open(client)->send_window, 1);
    bytes.len = 0;
    put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, stream->id, 1001);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_int_equal(edge_client_room(client, stream), 2);
    edge_client_data(client, stream, &out, 2, true);
    assert_int_equal(edge_client_room(client, stream), 0);
    assert_true(stream->sent_end);

    bytes.len = 0;
    put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, 0, 1u << 20);
    put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, stream->id, 1u << 20);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_int_equal(edge_client_room(client, stream), 20000); // the new MAX_FRAME_SIZE
    edge_buffer_free(&out);
    edge_client_free(client);
}

static void gives_windows_back_at_half(void **state)
{
    (void)state;
    struct owner owner;
    owner_init_windows(&owner, 1000, EDGE_WINDOW_DEFAULT);
    open_streams(&owner, 1);
    expect_sent(&owner, "PREFACE SETTINGS/0 SETTINGS/0:ack ");
    static const uint8_t zeros[16384];
    struct bytes bytes = {.len = 0};
    put_headers(&bytes, 1);
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 499);
    assert_int_equal(receive(&owner, &bytes), 0);
    expect_sent(&owner, "");
    bytes.len = 0;
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    expect_sent(&owner, "WINDOW_UPDATE/1:500 ");
    bytes.len = 0;
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 1001);
    assert_int_equal(receive(&owner, &bytes), EDGE_ERR_PROTOCOL);
    expect_sent(&owner, "GOAWAY/0:FLOW_CONTROL_ERROR ");
    edge_client_free(&owner.client);
}

// Bytes of streams that are gone count against the connection's window all the same.
static void counts_data_of_closed_streams(void **state)
{
    (void)state;
    struct owner owner;
    owner_init_windows(&owner, 0, EDGE_WINDOW_DEFAULT);
    open_streams(&owner, 1);
    struct bytes bytes = {.len = 0};
    put_headers(&bytes, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    edge_client_close(&owner.client, edge_client_stream(&owner.client, 1), EDGE_H2_CANCEL);
    expect_sent(&owner, "PREFACE SETTINGS/0 SETTINGS/0:ack RST_STREAM/1:CANCEL ");
    static const uint8_t zeros[16384];
    bytes.len = 0;
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 16384);
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 16384);
    put_trailers(&bytes, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    expect_sent(&owner, "WINDOW_UPDATE/0:32768 ");
    edge_client_free(&owner.client);
}

static void early_end_resets_the_request(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 0);
    struct edge_buffer out = {0};
    struct edge_client_stream *stream = edge_client_open(&owner.client);
    edge_client_headers(&owner.client, stream, &out, status_200, 1, false);
    struct bytes bytes = {.len = 0};
    put_trailers(&bytes, 1); // trailers-only, before our body was sent
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_string_equal(owner.log, "headers 1 t=v\nend 1\n");
    expect_sent(&owner, "PREFACE SETTINGS/0 WINDOW_UPDATE/0:16711681 SETTINGS/0:ack "
                        "RST_STREAM/1:CANCEL ");
    edge_buffer_free(&out);
    edge_client_free(&owner.client);
}

// ---- what a server must not do ----

static void expect_failure(const char *name, bool with_settings, const struct bytes *bytes,
                           const char *code)
{
    struct owner owner;
    owner_init(&owner);
    if (with_settings)
        open_streams(&owner, 2);
    expect_sent(&owner, with_settings
                            ? "PREFACE SETTINGS/0 WINDOW_UPDATE/0:16711681 SETTINGS/0:ack "
                            : "PREFACE SETTINGS/0 WINDOW_UPDATE/0:16711681 ");
    int error = receive(&owner, bytes);
    if (error != EDGE_ERR_PROTOCOL)
        fail_msg("%s: expected a protocol error, found %d", name, error);
    assert_non_null(owner.client.failure);
    struct edge_buffer out = {0};
    assert_int_equal(edge_client_flush(&owner.client, &out), 0);
    // GOAWAY is the last frame.
    assert_true(out.len >= 17);
    const char *found = edge_h2_error_name(edge_get_u32(edge_buffer_tail(&out) - 4));
    if (strcmp(found, code) != 0)
        fail_msg("%s: expected %s, found %s", name, code, found);
    edge_buffer_free(&out);
    edge_client_free(&owner.client);
}

#define EXPECT_FAILURE(with_settings, code, put)                                                   \
    do {                                                                                           \
        static struct bytes bytes;                                                                 \
        bytes.len = 0;                                                                             \
        put;                                                                                       \
        expect_failure(#put, with_settings, &bytes, code);                                         \
    } while (0)

static void broken_servers(void **state)
{
    (void)state;
    static const uint8_t zeros[20000];
    EXPECT_FAILURE(false, "PROTOCOL_ERROR",
                   (memcpy(bytes.at, "HTTP/1.1 400 Bad Request\r\n", 26), bytes.len = 26));
    EXPECT_FAILURE(false, "PROTOCOL_ERROR", put_headers(&bytes, 1));
    EXPECT_FAILURE(false, "PROTOCOL_ERROR", bytes.len = edge_frame_settings_ack(bytes.at));
    EXPECT_FAILURE(true, "FRAME_SIZE_ERROR",
                   put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, zeros, 16385));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, "a", 1));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_frame(&bytes, EDGE_FRAME_DATA, 0, 0, "a", 1));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_headers(&bytes, 0));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_headers(&bytes, 2));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_headers(&bytes, 5));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR",
                   put_u32(&bytes, EDGE_FRAME_RST_STREAM, 5, EDGE_H2_CANCEL));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR",
                   put_u32(&bytes, EDGE_FRAME_RST_STREAM, 0, EDGE_H2_CANCEL));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, 0, 0));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, 5, 1));
    EXPECT_FAILURE(true, "FLOW_CONTROL_ERROR",
                   put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, 0, 0x7fffffff));
    EXPECT_FAILURE(true, "FLOW_CONTROL_ERROR",
                   put_u32(&bytes, EDGE_FRAME_WINDOW_UPDATE, 1, 0x7fffffff));
    EXPECT_FAILURE(true, "FRAME_SIZE_ERROR",
                   put_frame(&bytes, EDGE_FRAME_WINDOW_UPDATE, 0, 0, zeros, 3));
    EXPECT_FAILURE(true, "FRAME_SIZE_ERROR",
                   put_frame(&bytes, EDGE_FRAME_RST_STREAM, 0, 1, zeros, 5));
    EXPECT_FAILURE(true, "FRAME_SIZE_ERROR", put_frame(&bytes, EDGE_FRAME_PING, 0, 0, zeros, 7));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_frame(&bytes, EDGE_FRAME_PING, 0, 1, zeros, 8));
    EXPECT_FAILURE(true, "FRAME_SIZE_ERROR",
                   put_frame(&bytes, EDGE_FRAME_SETTINGS, 0, 0, zeros, 5));
    EXPECT_FAILURE(true, "FRAME_SIZE_ERROR",
                   put_frame(&bytes, EDGE_FRAME_SETTINGS, EDGE_FLAG_ACK, 0, zeros, 6));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_frame(&bytes, EDGE_FRAME_SETTINGS, 0, 1, zeros, 0));
    EXPECT_FAILURE(true, "FRAME_SIZE_ERROR", put_frame(&bytes, EDGE_FRAME_GOAWAY, 0, 0, zeros, 7));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_frame(&bytes, EDGE_FRAME_GOAWAY, 0, 1, zeros, 8));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR",
                   put_frame(&bytes, EDGE_FRAME_PUSH_PROMISE, EDGE_FLAG_END_HEADERS, 1, zeros, 5));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR",
                   put_frame(&bytes, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, 1, "\x88", 1));
    EXPECT_FAILURE(true, "COMPRESSION_ERROR",
                   put_frame(&bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 1, "\xff", 1));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR",
                   put_frame(&bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_PADDED,
                             1, "\2\x88", 2));
    EXPECT_FAILURE(
        true, "FRAME_SIZE_ERROR",
        put_frame(&bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_PADDED, 1, "", 0));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR",
                   (put_headers(&bytes, 1),
                    put_frame(&bytes, EDGE_FRAME_DATA, EDGE_FLAG_PADDED, 1, "\3ab", 3)));
    EXPECT_FAILURE(
        true, "FRAME_SIZE_ERROR",
        (put_headers(&bytes, 1), put_frame(&bytes, EDGE_FRAME_DATA, EDGE_FLAG_PADDED, 1, "", 0)));
    // Another frame between HEADERS and its CONTINUATION.
    EXPECT_FAILURE(true, "PROTOCOL_ERROR",
                   (put_frame(&bytes, EDGE_FRAME_HEADERS, 0, 1, "\x88", 1),
                    put_frame(&bytes, EDGE_FRAME_PING, 0, 0, zeros, 8)));
    EXPECT_FAILURE(true, "PROTOCOL_ERROR",
                   (put_frame(&bytes, EDGE_FRAME_HEADERS, 0, 1, "\x88", 1),
                    put_frame(&bytes, EDGE_FRAME_CONTINUATION, 0, 3, "\x88", 1)));
    // After the end of the stream.
    EXPECT_FAILURE(true, "STREAM_CLOSED",
                   (put_headers(&bytes, 1), put_trailers(&bytes, 1),
                    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, "late", 4)));
    EXPECT_FAILURE(true, "STREAM_CLOSED", (put_trailers(&bytes, 1), put_trailers(&bytes, 1)));
}

static void broken_settings(void **state)
{
    (void)state;
    struct edge_setting setting;
    setting = (struct edge_setting){EDGE_SETTING_ENABLE_PUSH, 1};
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_settings(&bytes, &setting, 1));
    setting = (struct edge_setting){EDGE_SETTING_MAX_FRAME_SIZE, 16383};
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_settings(&bytes, &setting, 1));
    setting = (struct edge_setting){EDGE_SETTING_MAX_FRAME_SIZE, 1u << 24};
    EXPECT_FAILURE(true, "PROTOCOL_ERROR", put_settings(&bytes, &setting, 1));
    setting = (struct edge_setting){EDGE_SETTING_INITIAL_WINDOW_SIZE, 0x80000000u};
    EXPECT_FAILURE(true, "FLOW_CONTROL_ERROR", put_settings(&bytes, &setting, 1));
}

static void floods(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 1);
    struct bytes ping = {.len = 0};
    put_frame(&ping, EDGE_FRAME_PING, 0, 0, "12345678", 8);
    int error = 0;
    for (int i = 0; i < 10000 && error == 0; i++)
        error = receive(&owner, &ping);
    assert_int_equal(error, EDGE_ERR_PROTOCOL);
    assert_true(owner.client.answers <= 65536 + 17);
    assert_true(owner.client.control.len <= 65536 + 200); // the preface, and GOAWAY
    edge_client_free(&owner.client);

    owner_init(&owner);
    open_streams(&owner, 1);
    struct bytes more = {.len = 0};
    put_frame(&more, EDGE_FRAME_HEADERS, 0, 1, "\x88", 1);
    assert_int_equal(receive(&owner, &more), 0);
    static const uint8_t zeros[1000];
    more.len = 0;
    put_frame(&more, EDGE_FRAME_CONTINUATION, 0, 1, zeros, sizeof(zeros));
    error = 0;
    for (int i = 0; i < 1000 && error == 0; i++)
        error = receive(&owner, &more);
    assert_int_equal(error, EDGE_ERR_PROTOCOL);
    assert_true(owner.client.block.len <= 65536);
    edge_client_free(&owner.client);
}

// Calls given up by the thousand: the resets are ours, and no fault of the peer.
static void resets_are_no_flood(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 0);
    for (int i = 0; i < 10000; i++) {
        struct edge_client_stream *stream = edge_client_open(&owner.client);
        assert_non_null(stream);
        edge_client_close(&owner.client, stream, EDGE_H2_CANCEL);
    }
    struct bytes ping = {.len = 0};
    put_frame(&ping, EDGE_FRAME_PING, 0, 0, "12345678", 8);
    assert_int_equal(receive(&owner, &ping), 0);
    assert_null(owner.client.failure);
    struct edge_buffer out = {0};
    assert_int_equal(edge_client_flush(&owner.client, &out), 0);
    assert_true(out.len > 10000 * 13);
    assert_int_equal(owner.client.answers, 0);
    edge_buffer_free(&out);
    edge_client_free(&owner.client);
}

// Reduced and raised again before our next block: the peer's table was emptied in between.
static void remembers_the_smallest_table(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 0);
    struct bytes bytes = {.len = 0};
    struct edge_setting sizes[] = {{EDGE_SETTING_HEADER_TABLE_SIZE, 65536},
                                   {EDGE_SETTING_HEADER_TABLE_SIZE, 65536}};
    put_settings(&bytes, sizes, 2);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_int_equal(owner.client.header_table, EDGE_HPACK_TABLE_DEFAULT);
    sizes[0].value = 100;
    bytes.len = 0;
    put_settings(&bytes, sizes, 2);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_int_equal(owner.client.header_table, 100);
    edge_client_free(&owner.client);
}

static void goaway_twice(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 2);
    struct bytes bytes = {.len = 0};
    const uint8_t first[] = {0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    const uint8_t second[] = {0, 0, 0, 1, 0, 0, 0, 0};
    put_frame(&bytes, EDGE_FRAME_GOAWAY, 0, 0, first, sizeof(first));
    put_frame(&bytes, EDGE_FRAME_GOAWAY, 0, 0, second, sizeof(second));
    put_trailers(&bytes, 1);
    assert_int_equal(receive(&owner, &bytes), 0);
    assert_string_equal(owner.log, "goaway 2147483647 NO_ERROR \ngoaway 1 NO_ERROR \n"
                                   "headers 1 t=v\nend 1\n");
    assert_null(edge_client_open(&owner.client));
    edge_client_free(&owner.client);
}

static void frames_of_no_length(void **state)
{
    (void)state;
    struct owner owner;
    owner_init(&owner);
    open_streams(&owner, 2);
    struct bytes bytes = {.len = 0};
    put_frame(&bytes, EDGE_FRAME_SETTINGS, 0, 0, NULL, 0);
    put_frame(&bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 1, NULL, 0);
    put_frame(&bytes, EDGE_FRAME_DATA, 0, 1, NULL, 0);
    put_frame(&bytes, EDGE_FRAME_HEADERS, EDGE_FLAG_END_STREAM, 3, NULL, 0);
    put_frame(&bytes, EDGE_FRAME_CONTINUATION, 0, 3, NULL, 0);
    put_frame(&bytes, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, 3, NULL, 0);
    put_frame(&bytes, EDGE_FRAME_DATA, EDGE_FLAG_END_STREAM, 1, NULL, 0);
    for (size_t i = 0; i < bytes.len; i++)
        assert_int_equal(edge_client_receive(&owner.client, bytes.at + i, 1), 0);
    assert_string_equal(owner.log, "settings\nheaders 1\nheaders 3\nend 3\nend 1\n");
    edge_client_free(&owner.client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_with_preface),
        cmocka_unit_test(split_at_every_position),
        cmocka_unit_test(byte_by_byte),
        cmocka_unit_test(honours_max_concurrent_streams),
        cmocka_unit_test(skips_busy_records_and_ends_of_ids),
        cmocka_unit_test(send_windows),
        cmocka_unit_test(gives_windows_back_at_half),
        cmocka_unit_test(counts_data_of_closed_streams),
        cmocka_unit_test(early_end_resets_the_request),
        cmocka_unit_test(broken_servers),
        cmocka_unit_test(broken_settings),
        cmocka_unit_test(floods),
        cmocka_unit_test(resets_are_no_flood),
        cmocka_unit_test(remembers_the_smallest_table),
        cmocka_unit_test(goaway_twice),
        cmocka_unit_test(frames_of_no_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
