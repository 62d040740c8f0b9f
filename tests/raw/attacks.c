// Attacks: what one connection sends, again and again, until the server has had enough.
#include <string.h>

#include "cases.h"

#define PORTION 32768u // bytes to send per round, about
#define STREAMS 90u    // that are open at once, where there must not be too many

static uint32_t next_stream(struct raw *raw)
{
    uint32_t stream = raw->next_stream;
    raw->next_stream += 2;
    return stream;
}

static void rapid_reset(struct raw *raw)
{
    while (raw->out.len < PORTION) {
        uint32_t stream = next_stream(raw);
        raw_request(raw, stream, 0, NULL);
        raw_reset(raw, stream, EDGE_H2_CANCEL);
    }
}

static void reset_replies(struct raw *raw)
{
    while (raw->out.len < PORTION) {
        uint32_t stream = next_stream(raw);
        raw_request(raw, stream, 0, RAW_MANY);
        raw_message(raw, stream, EDGE_FLAG_END_STREAM, raw_hello_1000, sizeof(raw_hello_1000));
        raw_reset(raw, stream, EDGE_H2_CANCEL);
    }
}

static void continuation_flood(struct raw *raw)
{
    if (raw->next_stream == 1)
        raw_frame(raw, EDGE_FRAME_HEADERS, 0, next_stream(raw), "\x83", 1);
    while (raw->out.len < PORTION)
        raw_frame(raw, EDGE_FRAME_CONTINUATION, 0, 1, "\x10\1x\1y", 5);
}

static void settings_flood(struct raw *raw)
{
    while (raw->out.len < PORTION)
        raw_frame(raw, EDGE_FRAME_SETTINGS, 0, 0, NULL, 0);
}

static void settings_churn(struct raw *raw)
{
    if (raw->next_stream == 1)
        for (unsigned i = 0; i < STREAMS; i++)
            raw_request(raw, next_stream(raw), 0, NULL);
    for (uint32_t i = 0; raw->out.len < PORTION; i++)
        raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, i % 2 == 0 ? 1 : 65535);
}

static void ping_flood(struct raw *raw)
{
    while (raw->out.len < PORTION)
        raw_ping(raw);
}

static void deaf_ping_flood(struct raw *raw)
{
    raw->deaf = true;
    ping_flood(raw);
}

// As many as may be open at once, and more only when those were reset: without that, the limit of
// streams ends it first.
static bool room_for_streams(const struct raw *raw)
{
    return raw->settings > 0 && raw->next_stream / 2 < raw->resets + STREAMS;
}

static void made_you_reset(struct raw *raw)
{
    while (room_for_streams(raw)) {
        uint32_t stream = next_stream(raw);
        raw_request(raw, stream, 0, NULL);
        raw_window(raw, stream, EDGE_WINDOW_MAX);
    }
}

static void reset_flood(struct raw *raw)
{
    while (room_for_streams(raw))
        raw_request(raw, next_stream(raw), EDGE_FLAG_END_STREAM, "connection: close");
}

static void empty_data(struct raw *raw)
{
    if (raw->next_stream == 1)
        raw_request(raw, next_stream(raw), 0, NULL);
    while (raw->out.len < PORTION)
        raw_frame(raw, EDGE_FRAME_DATA, 0, 1, NULL, 0);
}

static void window_crumbs(struct raw *raw)
{
    if (raw->next_stream == 1) {
        raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 1);
        raw_request(raw, next_stream(raw), 0, NULL);
    }
    while (raw->out.len < PORTION)
        raw_window(raw, 1, 1);
}

static void unknown_frames(struct raw *raw)
{
    while (raw->out.len < PORTION)
        raw_frame(raw, 0x42, 0, 0, NULL, 0);
}

static void priority_flood(struct raw *raw)
{
    for (uint32_t i = 1; raw->out.len < PORTION; i += 2)
        raw_frame(raw, EDGE_FRAME_PRIORITY, 0, i, "\0\0\0\0\1", 5);
}

// One large field goes into the table, then each reference to it costs a byte here and 4 KiB there.
static void hpack_bomb(struct raw *raw)
{
    struct edge_buffer block = {0};
    static char field[4000];
    memset(field, 'x', sizeof(field));
    field[sizeof(field) - 1] = '\0';
    edge_hpack_encode(&block, EDGE_HPACK_INSERT, "x-bomb", field, NULL);
    while (block.len < 16000)
        edge_hpack_encode_index(&block, EDGE_HPACK_STATIC + 1);
    raw_frame(raw, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM,
              next_stream(raw), edge_buffer_head(&block), block.len);
    edge_buffer_free(&block);
}

static void many_fields(struct raw *raw)
{
    struct edge_buffer block = {0};
    while (block.len < 16000)
        edge_hpack_encode(&block, EDGE_HPACK_STATELESS, "x", "", NULL);
    raw_frame(raw, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM,
              next_stream(raw), edge_buffer_head(&block), block.len);
    edge_buffer_free(&block);
}

// Asks for many replies on every stream, with no window for them.
static void zero_window(struct raw *raw)
{
    if (raw->next_stream > 1)
        return;
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 0);
    for (unsigned i = 0; i < STREAMS; i++) {
        uint32_t stream = next_stream(raw);
        raw_request(raw, stream, 0, RAW_MANY);
        raw_message(raw, stream, EDGE_FLAG_END_STREAM, raw_hello_1000, sizeof(raw_hello_1000));
    }
}

static void slow_read(struct raw *raw)
{
    if (raw->next_stream == 1)
        zero_window(raw);
    for (uint32_t stream = 1; stream < raw->next_stream; stream += 2)
        raw_window(raw, stream, 1);
}

// HTTP/2's windows are wide open, TCP's is shut.
static void internal_buffering(struct raw *raw)
{
    raw->deaf = true;
    while (raw->next_stream / 2 < STREAMS) {
        uint32_t stream = next_stream(raw);
        raw_request(raw, stream, 0, RAW_MANY);
        raw_message(raw, stream, EDGE_FLAG_END_STREAM, raw_hello_1000, sizeof(raw_hello_1000));
    }
}

// Each request is large and never whole: as many bytes on each stream as its first window takes.
static void half_messages(struct raw *raw)
{
    static const uint8_t bytes[16000] = {0, 0, 0x3f, 0xff, 0xff};
    const uint64_t each = 60 * sizeof(bytes);
    if (raw->settings == 0)
        return;
    while (raw->out.len < PORTION && raw->sent_data < STREAMS * each) {
        uint64_t of_stream = raw->sent_data % each;
        if (raw->credit - raw->sent_data < sizeof(bytes))
            return;
        if (of_stream == 0)
            raw_request(raw, next_stream(raw), 0, NULL);
        raw_frame(raw, EDGE_FRAME_DATA, 0, raw->next_stream - 2, bytes, sizeof(bytes));
    }
}

static void too_many_streams(struct raw *raw)
{
    while (raw->out.len < PORTION)
        raw_request(raw, next_stream(raw), 0, NULL);
}

static void data_crumbs(struct raw *raw)
{
    if (raw->settings == 0)
        return;
    if (raw->next_stream == 1) {
        raw_request(raw, next_stream(raw), 0, NULL);
        raw_frame(raw, EDGE_FRAME_DATA, 0, 1, "\0\0\x3f\xff\xff", 5);
    }
    for (size_t room = raw_room(raw, 1, (size_t)raw->sent_data); raw->out.len < PORTION && room > 0;
         room--)
        raw_frame(raw, EDGE_FRAME_DATA, 0, 1, "x", 1);
}

static void bad_preface(struct raw *raw)
{
    raw_put(raw, "PRI * HTTP/1.0\r\n\r\nSM\r\n\r\n", 24);
}

static void http1(struct raw *raw)
{
    static const char request[] = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
    raw_put(raw, request, sizeof(request) - 1);
}

static void tls_hello(struct raw *raw)
{
    static const uint8_t hello[512] = {0x16, 3, 1, 1, 251, 1, 0, 1, 247, 3, 3};
    raw_put(raw, hello, sizeof(hello));
}

// What it did not read of the flood makes the server's kernel answer with a TCP reset, and that may
// overtake the GOAWAY.
#define THROWN_OUT(code) "GOAWAY " code ", closed | closed"

const struct raw_attack raw_attacks[] = {
    {"rapid reset", "CVE-2023-44487", THROWN_OUT("INTERNAL_ERROR"), rapid_reset, false},
    {"reset of long replies", "CVE-2023-44487", THROWN_OUT("INTERNAL_ERROR"), reset_replies, false},
    {"MadeYouReset", "CVE-2025-8671", THROWN_OUT("ENHANCE_YOUR_CALM"), made_you_reset, false},
    {"reset flood", "CVE-2019-9514", THROWN_OUT("ENHANCE_YOUR_CALM"), reset_flood, false},
    {"CONTINUATION flood", "CVE-2024-28182",
     "GOAWAY ENHANCE_YOUR_CALM, closed | " THROWN_OUT("INTERNAL_ERROR"), continuation_flood, false},
    {"SETTINGS flood", "CVE-2019-9515", THROWN_OUT("ENHANCE_YOUR_CALM"), settings_flood, false},
    {"INITIAL_WINDOW_SIZE churn", "grpc-server.md, 3.3", THROWN_OUT("ENHANCE_YOUR_CALM"),
     settings_churn, false},
    {"PING flood", "CVE-2019-9512", THROWN_OUT("ENHANCE_YOUR_CALM"), ping_flood, false},
    {"PING flood, ACKs not read", "CVE-2019-9512",
     "GOAWAY ENHANCE_YOUR_CALM, closed | closed | open", deaf_ping_flood, false},
    {"empty DATA flood", "CVE-2019-9518", THROWN_OUT("ENHANCE_YOUR_CALM"), empty_data, false},
    {"WINDOW_UPDATE crumbs", "CVE-2019-9511", THROWN_OUT("ENHANCE_YOUR_CALM"), window_crumbs,
     false},
    {"PRIORITY flood", "CVE-2019-9513", THROWN_OUT("ENHANCE_YOUR_CALM"), priority_flood, false},
    {"flood of unknown frames", "RFC 9113, 5.5", THROWN_OUT("ENHANCE_YOUR_CALM"), unknown_frames,
     false},
    {"HPACK bomb", "CVE-2016-6581", THROWN_OUT("ENHANCE_YOUR_CALM"), hpack_bomb, false},
    {"thousands of empty fields", "CVE-2019-9516", THROWN_OUT("ENHANCE_YOUR_CALM"), many_fields,
     false},
    {"too many streams", "nghttp2#687", THROWN_OUT("PROTOCOL_ERROR"), too_many_streams, false},
    {"zero window", "CVE-2019-9511", "open", zero_window, false},
    {"slow read", "CVE-2019-9517", THROWN_OUT("ENHANCE_YOUR_CALM"), slow_read, false},
    {"internal data buffering", "CVE-2019-9517", "open", internal_buffering, false},
    {"half messages", "slow body", "open", half_messages, false},
    {"DATA of one byte", "CVE-2019-9511", THROWN_OUT("ENHANCE_YOUR_CALM"), data_crumbs, false},
    {"a bad preface", "nodejs/http2#142", THROWN_OUT("PROTOCOL_ERROR"), bad_preface, true},
    {"HTTP/1.1", "RFC 9113, 3.4", THROWN_OUT("PROTOCOL_ERROR"), http1, true},
    {"TLS on the plaintext port", "RFC 9113, 3.4", THROWN_OUT("PROTOCOL_ERROR"), tls_hello, true},
};
const size_t raw_attacks_count = sizeof(raw_attacks) / sizeof(raw_attacks[0]);
