#include "grpc/h2_peer.h"

#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The service ---

unsigned peer_calls_closed;

static void closed(struct edge_call *call)
{
    (void)call;
    peer_calls_closed++;
}

static void echo(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    uint8_t *out = edge_call_reply(call, len);
    if (out == NULL) // over a limit
        return;
    memcpy(out, bytes, len);
    edge_call_reply_end(call, len);
}

static void collect(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    (void)call;
    (void)bytes;
    (void)len;
}

static void collect_end(struct edge_call *call)
{
    const uint8_t count = (uint8_t)call->requests;
    echo(call, &count, 1);
    edge_call_end(call, EDGE_STATUS_OK, NULL);
}

static void repeat(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    assert_int_equal(len, 4);
    memcpy(call->state, bytes, len);
}

static void stay_open(struct edge_call *call)
{
    (void)call;
}

static void repeat_produce(struct edge_call *call)
{
    uint32_t *left = call->state;
    for (; *left > 0 && !edge_call_full(call); (*left)--) {
        memset(edge_call_reply(call, 100), 'r', 100);
        edge_call_reply_end(call, 100);
    }
    if (*left == 0)
        edge_call_end(call, EDGE_STATUS_OK, NULL);
}

static void answer_fail(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    edge_call_end(call, EDGE_STATUS_INVALID_ARGUMENT, "%.*s", (int)len, (const char *)bytes);
}

const struct edge_method peer_methods[] = {
    {.path = UNARY, .message = echo, .closed = closed},
    {.path = BIDI,
     .client_streams = true,
     .server_streams = true,
     .message = echo,
     .closed = closed},
    {.path = COLLECT, .client_streams = true, .message = collect, .half_close = collect_end},
    {.path = REPEAT,
     .server_streams = true,
     .state_size = 4,
     .message = repeat,
     .half_close = stay_open,
     .produce = repeat_produce,
     .closed = closed},
    {.path = HANG, .message = collect, .half_close = stay_open, .closed = closed},
    {.path = FAIL, .message = answer_fail},
    {.path = PAGE,
     .client_streams = true,
     .server_streams = true,
     .any_request = true,
     .message = collect,
     .half_close = collect_end},
    {.path = NULL},
};
const struct edge_method *const peer_tables[] = {peer_methods, NULL};

// --- Bytes for the server ---

static void append(struct peer *peer, const void *bytes, size_t len)
{
    assert_int_equal(edge_buffer_append(&peer->in, bytes, len), 0);
}

void peer_frame(struct peer *peer, uint8_t type, uint8_t flags, uint32_t id, const void *payload,
                size_t len)
{
    const uint8_t header[9] = {
        (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len,       type,       flags,
        (uint8_t)(id >> 24),  (uint8_t)(id >> 16), (uint8_t)(id >> 8), (uint8_t)id};
    append(peer, header, sizeof(header));
    append(peer, payload, len);
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

void peer_setting(struct peer *peer, uint16_t id, uint32_t value)
{
    uint8_t payload[6] = {(uint8_t)(id >> 8), (uint8_t)id};
    put32(payload + 2, value);
    peer_frame(peer, SETTINGS, 0, 0, payload, sizeof(payload));
}

void peer_window(struct peer *peer, uint32_t id, uint32_t more)
{
    uint8_t payload[4];
    put32(payload, more);
    peer_frame(peer, WINDOW, 0, id, payload, sizeof(payload));
}

void peer_reset(struct peer *peer, uint32_t id, uint32_t code)
{
    uint8_t payload[4];
    put32(payload, code);
    peer_frame(peer, RST, 0, id, payload, sizeof(payload));
}

size_t peer_block(struct peer *peer, uint8_t *block, size_t cap, const char *const *fields)
{
    nghttp2_nv list[64];
    size_t count = 0;
    for (; *fields != NULL; fields += 2) {
        assert_true(count < 64);
        list[count++] =
            (nghttp2_nv){(uint8_t *)(uintptr_t)fields[0], (uint8_t *)(uintptr_t)fields[1],
                         strlen(fields[0]), strlen(fields[1]), NGHTTP2_NV_FLAG_NONE};
    }
    ssize_t len = nghttp2_hd_deflate_hd(peer->deflater, block, cap, list, count);
    assert_true(len >= 0);
    return (size_t)len;
}

void peer_request(struct peer *peer, uint32_t id, uint8_t flags, const char *path, const char *name,
                  const char *value)
{
    const char *fields[] = {":method", "POST",       ":scheme", "http",         ":path",
                            path,      ":authority", "test",    "content-type", "application/grpc",
                            "te",      "trailers",   name,      value,          NULL};
    for (size_t i = 0; name != NULL && i < 12; i += 2) {
        if (strcmp(fields[i], name) != 0)
            continue;
        fields[i + 1] = value;
        fields[12] = NULL;
        if (value == NULL) // left out: te takes its place
            for (size_t k = i; k < 12; k++)
                fields[k] = fields[k + 2];
        break;
    }
    uint8_t block[4096];
    size_t len = peer_block(peer, block, sizeof(block), fields);
    peer_frame(peer, HEADERS, flags | END_HEADERS, id, block, len);
}

void peer_message(struct peer *peer, uint32_t id, uint8_t flags, const void *bytes, size_t len)
{
    uint8_t *framed = malloc(5 + len);
    edge_framing_prefix(framed, (uint32_t)len);
    if (len > 0)
        memcpy(framed + 5, bytes, len);
    peer_frame(peer, DATA, flags, id, framed, 5 + len);
    free(framed);
}

// --- The server's bytes ---

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

struct seen *peer_seen(struct peer *peer, uint32_t id)
{
    return &peer->streams[id / 2 % PEER_STREAMS];
}

static void copy(char *to, size_t cap, const nghttp2_nv *field)
{
    assert_true(field->valuelen < cap);
    assert_string_equal(to, ""); // no field may come twice
    if (field->valuelen > 0)
        memcpy(to, field->value, field->valuelen);
    to[field->valuelen] = '\0';
}

static void take_field(struct seen *seen, const nghttp2_nv *field)
{
    const struct {
        const char *name;
        char *to;
        size_t cap;
    } rows[] = {
        {":status", seen->http_status, sizeof(seen->http_status)},
        {"content-type", seen->content_type, sizeof(seen->content_type)},
        {"grpc-status", seen->grpc_status, sizeof(seen->grpc_status)},
        {"grpc-message", seen->grpc_message, sizeof(seen->grpc_message)},
        {"grpc-encoding", seen->grpc_encoding, sizeof(seen->grpc_encoding)},
        {"grpc-accept-encoding", seen->grpc_encodings, sizeof(seen->grpc_encodings)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strlen(rows[i].name) == field->namelen &&
            memcmp(rows[i].name, field->name, field->namelen) == 0) {
            copy(rows[i].to, rows[i].cap, field);
            return;
        }
    }
    assert_true(field->namelen > 2 && memcmp(field->name, "x-", 2) == 0);
    size_t len = strlen(seen->metadata);
    snprintf(seen->metadata + len, sizeof(seen->metadata) - len, "%.*s: %.*s\n",
             (int)field->namelen, (const char *)field->name, (int)field->valuelen,
             (const char *)field->value);
}

static void take_headers(struct peer *peer, struct seen *seen, const uint8_t *block, size_t len)
{
    int flags = 0;
    seen->headers++;
    for (;;) {
        nghttp2_nv field;
        ssize_t used = nghttp2_hd_inflate_hd2(peer->inflater, &field, &flags, block, len, 1);
        assert_true(used >= 0);
        block += used;
        len -= (size_t)used;
        if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0)
            take_field(seen, &field);
        if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0)
            break;
    }
    nghttp2_hd_inflate_end_headers(peer->inflater);
}

static void take_connection_frame(struct peer *peer, uint8_t type, uint8_t flags,
                                  const uint8_t *payload)
{
    if (type == SETTINGS) {
        if ((flags & ACK) != 0)
            peer->settings_acks++;
        else
            peer->settings++;
    } else if (type == PING) {
        if ((flags & ACK) != 0)
            peer->ping_acks++;
        else
            peer->pings++;
    } else if (type == GOAWAY) {
        peer->goaways++;
        peer->goaway_last = (int32_t)get32(payload);
        peer->goaway_code = get32(payload + 4);
    } else if (type == WINDOW) {
        peer->credit += get32(payload);
    }
}

static void take_frame(struct peer *peer, uint8_t type, uint8_t flags, uint32_t id,
                       const uint8_t *payload, size_t len)
{
    size_t at = strlen(peer->order);
    if (at + 1 < sizeof(peer->order))
        peer->order[at] = "DH?RS?PGWC"[type];
    if (id == 0) {
        take_connection_frame(peer, type, flags, payload);
        return;
    }
    struct seen *seen = peer_seen(peer, id);
    if (type == RST) {
        seen->reset = true;
        seen->reset_after_end = seen->ended;
        seen->reset_code = get32(payload);
        return;
    }
    if (type == WINDOW) {
        seen->credit += get32(payload);
        return;
    }
    assert_false(seen->ended);
    assert_false(seen->reset);
    if (type == HEADERS) {
        assert_true(flags & END_HEADERS);
        take_headers(peer, seen, payload, len);
    } else {
        assert_int_equal(type, DATA);
        seen->data_frames++;
        assert_int_equal(edge_buffer_append(&seen->data, payload, len), 0);
    }
    seen->ended = (flags & END_STREAM) != 0;
}

static void take_output(struct peer *peer)
{
    const uint8_t *at = edge_buffer_head(&peer->out);
    size_t left = peer->out.len;
    while (left > 0) {
        assert_true(left >= 9);
        size_t len = get32(at) >> 8;
        assert_true(left >= 9 + len);
        take_frame(peer, at[3], at[4], get32(at + 5), at + 9, len);
        at += 9 + len;
        left -= 9 + len;
    }
    peer->out.start = peer->out.len = 0;
}

void peer_pump_pieces(struct peer *peer, size_t piece)
{
    peer->error = 0;
    while (peer->in.len > 0 && peer->error == 0) {
        size_t len = piece == 0 || piece > peer->in.len ? peer->in.len : piece;
        // A copy of the exact size, so that a sanitizer sees a read beyond it.
        uint8_t *bytes = malloc(len);
        memcpy(bytes, edge_buffer_head(&peer->in), len);
        peer->error = edge_h2_session_receive(peer->session, bytes, len, peer->now_ns);
        free(bytes);
        edge_buffer_consume(&peer->in, len);
    }
    size_t filled;
    do {
        assert_int_equal(edge_h2_session_fill(peer->session, &peer->out, peer->high), 0);
        filled = peer->out.len;
        take_output(peer);
    } while (filled > 0);
}

void peer_pump(struct peer *peer)
{
    peer_pump_pieces(peer, 0);
}

void peer_open(struct peer *peer, const struct edge_h2_config *config)
{
    *peer = (struct peer){.high = 65536, .now_ns = 1000};
    struct edge_h2_config copy = *config;
    copy.pool = &peer->pool;
    if (copy.tables == NULL)
        copy.tables = peer_tables;
    assert_int_equal(edge_h2_new(&copy, &peer->h2), 0);
    assert_int_equal(edge_h2_session_new(peer->h2, peer->now_ns, &peer->session), 0);
    assert_int_equal(nghttp2_hd_deflate_new(&peer->deflater, 4096), 0);
    assert_int_equal(nghttp2_hd_inflate_new(&peer->inflater), 0);
    append(peer, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    peer_frame(peer, SETTINGS, 0, 0, NULL, 0);
}

void peer_close(struct peer *peer)
{
    edge_h2_session_del(peer->session);
    edge_h2_del(peer->h2);
    nghttp2_hd_deflate_del(peer->deflater);
    nghttp2_hd_inflate_del(peer->inflater);
    edge_buffer_free(&peer->in);
    edge_buffer_free(&peer->out);
    for (size_t i = 0; i < PEER_STREAMS; i++)
        edge_buffer_free(&peer->streams[i].data);
    edge_pool_free(&peer->pool);
}

void peer_assert_status(struct peer *peer, uint32_t id, const char *grpc_status)
{
    struct seen *seen = peer_seen(peer, id);
    assert_true(seen->ended);
    assert_string_equal(seen->grpc_status, grpc_status);
    if (strcmp(grpc_status, "0") == 0)
        assert_string_equal(seen->grpc_message, "");
}
