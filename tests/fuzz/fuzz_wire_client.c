// A server's bytes into the client connection, in pieces whose sizes the input chooses too.
// Whatever it says, the client must survive, keep its counts, and never answer without bound.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/client.h"

#define RING 8u

struct owner {
    struct edge_client client;
    struct edge_client_stream ring[RING];
    struct edge_buffer out;
    size_t data_bytes;
};

static void check(int condition)
{
    if (!condition)
        abort();
}

static void open_stream(struct owner *owner)
{
    struct edge_client_stream *stream = edge_client_open(&owner->client);
    if (stream == NULL)
        return;
    check(edge_client_headers(&owner->client, stream, &owner->out, (const uint8_t *)"\x83", 1,
                              false) == 0);
    uint32_t room = edge_client_room(&owner->client, stream);
    uint32_t len = room < 10 ? room : 10;
    uint8_t *at = edge_client_data(&owner->client, stream, &owner->out, len, (stream->id & 2) != 0);
    check(at != NULL);
    memset(at, 0, len);
}

static void close_stream(struct owner *owner, struct edge_client_stream *stream)
{
    check(stream->held);
    edge_client_close(&owner->client, stream, EDGE_H2_CANCEL);
    open_stream(owner);
}

static void on_headers(void *self, struct edge_client_stream *stream, struct edge_fields *fields,
                       bool end)
{
    struct owner *owner = self;
    size_t len;
    check(fields->count <= EDGE_FIELDS_MAX);
    for (uint32_t i = 0; i < fields->count; i++)
        owner->data_bytes += fields->list[i].value_len > 0 ? (uint8_t)fields->list[i].value[0] : 0;
    edge_fields_find(fields, "grpc-status", &len);
    if (end)
        close_stream(owner, stream);
}

static void on_data(void *self, struct edge_client_stream *stream, const uint8_t *bytes, size_t len,
                    bool end)
{
    struct owner *owner = self;
    check(len <= EDGE_FRAME_MAX_DEFAULT);
    for (size_t i = 0; i < len; i++)
        owner->data_bytes += bytes[i];
    if (end)
        close_stream(owner, stream);
}

static void on_reset(void *self, struct edge_client_stream *stream, uint32_t code)
{
    (void)code;
    close_stream(self, stream);
}

static void on_goaway(void *self, uint32_t last, uint32_t code, const char *debug, size_t debug_len)
{
    struct owner *owner = self;
    (void)code;
    for (size_t i = 0; i < debug_len; i++)
        owner->data_bytes += (uint8_t)debug[i];
    for (uint32_t i = 0; i < RING; i++) {
        if (owner->ring[i].held && owner->ring[i].id > last)
            close_stream(owner, &owner->ring[i]);
    }
}

static void on_settings(void *self)
{
    for (unsigned i = 0; i < RING / 2; i++)
        open_stream(self);
}

static void on_window(void *self)
{
    struct owner *owner = self;
    check(owner->client.send_window <= (int64_t)EDGE_WINDOW_MAX);
}

static const struct edge_client_events events = {
    on_headers, on_data, on_reset, on_goaway, on_settings, on_window,
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < 1)
        return 0;
    static struct owner owner;
    memset(&owner, 0, sizeof(owner));
    struct edge_client_config config = {
        .events = &events,
        .owner = &owner,
        .streams = owner.ring,
        .stream_size = sizeof(owner.ring[0]),
        .stream_count = RING,
        .stream_window = 40000,
        .window = EDGE_WINDOW_DEFAULT,
    };
    check(edge_client_init(&owner.client, &config) == 0);
    size_t piece = bytes[0] == 0 ? len : bytes[0]; // how much each read brings
    int error = 0;
    for (size_t at = 1; at < len && error == 0; at += piece) {
        size_t now = len - at < piece ? len - at : piece;
        error = edge_client_receive(&owner.client, bytes + at, now);
        check(edge_client_flush(&owner.client, &owner.out) == 0);
        edge_buffer_consume(&owner.out, owner.out.len);
    }
    check(error == 0 || owner.client.failure != NULL);
    uint32_t held = 0;
    for (uint32_t i = 0; i < RING; i++)
        held += owner.ring[i].held;
    check(held == owner.client.in_flight);
    edge_client_free(&owner.client);
    edge_buffer_free(&owner.out);
    return 0;
}
