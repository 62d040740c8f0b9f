// Clients that take their time. Played against short_server, whose times are a second or two; the
// same server with its real times is tests/unit/grpc/test_h2_sweep.c's, and scripts/attacks.sh's.
#include <string.h>

#include "base/clock.h"
#include "cases.h"

#define CRUMB_NS (100 * EDGE_NS_PER_MS)

// Lets time pass, and takes what comes meanwhile. False: the connection is closed.
static bool let_pass(struct raw *raw)
{
    uint64_t until_ns = raw->until_ns;
    uint64_t crumb_ns = edge_clock_ns() + CRUMB_NS;
    if (crumb_ns < until_ns)
        raw->until_ns = crumb_ns;
    RAW_WAIT(raw, false)
    raw->until_ns = until_ns;
    return !raw->closed && edge_clock_ns() < until_ns;
}

// Sends the bytes, one at a time, and begins again.
static void dribble(struct raw *raw, const void *bytes, size_t len)
{
    size_t at = 0;
    do {
        raw_put(raw, (const char *)bytes + at, 1);
        at = (at + 1) % len;
    } while (let_pass(raw));
}

static void silence(struct raw *raw)
{
    raw_connect(raw);
    raw_check_connection(raw, "GOAWAY SETTINGS_TIMEOUT, closed | closed");
}

static void slow_preface(struct raw *raw)
{
    raw_connect(raw);
    dribble(raw, EDGE_PREFACE, EDGE_PREFACE_LEN);
    raw_check_connection(raw, "GOAWAY SETTINGS_TIMEOUT, closed | closed");
}

static void preface_without_settings(struct raw *raw)
{
    raw_connect(raw);
    raw_put(raw, EDGE_PREFACE, EDGE_PREFACE_LEN);
    raw_check_connection(raw, "GOAWAY SETTINGS_TIMEOUT, closed");
}

static void settings_without_ack(struct raw *raw)
{
    raw_open(raw, false);
    raw_call(raw, 1, NULL);
    raw_check_connection(raw, "GOAWAY SETTINGS_TIMEOUT, closed");
}

static void headers_without_end(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_HEADERS, 0, 1, "\x83", 1);
    raw_check_connection(raw, "GOAWAY ENHANCE_YOUR_CALM, closed");
}

static void dribble_continuation(struct raw *raw, const void *fields, size_t len, const char *end)
{
    raw_frame(raw, EDGE_FRAME_HEADERS, 0, 1, "\x83", 1);
    do {
        raw_frame(raw, EDGE_FRAME_CONTINUATION, 0, 1, fields, len);
    } while (let_pass(raw));
    raw_check_connection(raw, end);
}

static void continuation_dribble(struct raw *raw)
{
    dribble_continuation(raw, "\0\1x\1y", 5, "GOAWAY ENHANCE_YOUR_CALM, closed");
}

// :path twice: the stream is reset at once, and the block goes on on a connection that is idle.
static void malformed_dribble(struct raw *raw)
{
    dribble_continuation(raw, "\x84", 1, "GOAWAY NO_ERROR, closed");
}

static void half_a_block(struct raw *raw)
{
    struct edge_buffer block = {0};
    uint8_t header[EDGE_FRAME_HEADER];
    raw_block(&block, NULL);
    edge_frame_write(header, (uint32_t)block.len, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 1);
    raw_put(raw, header, sizeof(header));
    raw_put(raw, edge_buffer_head(&block), block.len / 2);
    edge_buffer_free(&block);
    raw_check_connection(raw, "GOAWAY ENHANCE_YOUR_CALM, closed");
}

static void half_a_message(struct raw *raw)
{
    raw_request(raw, 1, 0, NULL);
    raw_frame(raw, EDGE_FRAME_DATA, 0, 1, "\0\0\0\0\7\x0a", 6);
    raw_check_answer(raw, 1, "200, grpc-status 4 | 200, grpc-status 4, reset NO_ERROR");
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, "200, grpc-status 0, 1 message");
}

static void body_dribble(struct raw *raw)
{
    raw_request(raw, 1, 0, NULL);
    raw_frame(raw, EDGE_FRAME_DATA, 0, 1, "\0\0\0\x3f\xff", 5);
    do {
        raw_frame(raw, EDGE_FRAME_DATA, 0, 1, "x", 1);
    } while (let_pass(raw) && !raw_answer(raw, 1)->ended);
    raw_check_answer(raw, 1, "200, grpc-status 4 | 200, grpc-status 4, reset NO_ERROR");
}

static void ask_for_replies(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 0);
    raw_request(raw, 1, 0, RAW_MANY);
    raw_message(raw, 1, EDGE_FLAG_END_STREAM, raw_hello_1000, sizeof(raw_hello_1000));
}

static void zero_window(struct raw *raw)
{
    ask_for_replies(raw);
    raw_check_answer(raw, 1, "200, reset CANCEL");
}

static void slow_read(struct raw *raw)
{
    ask_for_replies(raw);
    do {
        raw_window(raw, 1, 1);
    } while (let_pass(raw) && !raw_answer(raw, 1)->reset);
    raw_check_answer(raw, 1, "200, reset CANCEL | 200, 1 message, reset CANCEL");
}

// HTTP/2's windows are open, but nothing is read: the kernel's buffers fill.
static void deafness(struct raw *raw)
{
    static uint8_t name[5 + 60000 + 8] = {0,    0, 0,    0xea, 0x68, 0x0a, 0xe4,
                                          0xd4, 3, 0x0a, 0xe0, 0xd4, 3};
    memset(name + 13, 'n', sizeof(name) - 13);
    RAW_WAIT(raw, raw->settings > 0)
    raw->deaf = true;
    for (uint32_t stream = 1; stream < 180 && !raw->closed; stream += 2) {
        raw_request(raw, stream, 0, ":path: /helloworld.Greeter/SayHellos");
        for (size_t at = 0; at < sizeof(name); at += 12000) {
            size_t left = sizeof(name) - at;
            raw_frame(raw, EDGE_FRAME_DATA, left > 12000 ? 0 : EDGE_FLAG_END_STREAM, stream,
                      name + at, left > 12000 ? 12000 : left);
        }
        let_pass(raw);
    }
    raw_check_connection(raw, "closed");
}

static void idleness(struct raw *raw)
{
    raw_call(raw, 1, NULL);
    raw_check_answer(raw, 1, "200, grpc-status 0, 1 message");
    raw_check_connection(raw, "GOAWAY NO_ERROR, closed");
}

static void frame_dribble(struct raw *raw)
{
    static const uint8_t ping[EDGE_FRAME_HEADER + 8] = {0, 0, 8, EDGE_FRAME_PING};
    dribble(raw, ping, sizeof(ping));
    raw_check_connection(raw, "GOAWAY NO_ERROR, closed | GOAWAY ENHANCE_YOUR_CALM, closed");
}

const struct raw_case raw_slow[] = {
    {"no byte", "slowloris: before the preface", "closed", silence},
    {"a preface byte by byte", "slowloris: preface", "closed", slow_preface},
    {"a preface without SETTINGS", "slowloris: SETTINGS", "GOAWAY(SETTINGS_TIMEOUT)",
     preface_without_settings},
    {"SETTINGS without ACK", "RFC 9113, 6.5.3", "GOAWAY(SETTINGS_TIMEOUT)", settings_without_ack},
    {"HEADERS without their end", "slowloris: header block", "GOAWAY(ENHANCE_YOUR_CALM)",
     headers_without_end},
    {"CONTINUATION dribble", "slowloris: header block", "GOAWAY(ENHANCE_YOUR_CALM)",
     continuation_dribble},
    {"a malformed list in crumbs", "slowloris: header block",
     "RST_STREAM, then GOAWAY(NO_ERROR) as idle", malformed_dribble},
    {"half a HEADERS frame", "slowloris: header block", "GOAWAY(ENHANCE_YOUR_CALM)", half_a_block},
    {"half a message", "slowloris: body", "DEADLINE_EXCEEDED", half_a_message},
    {"a message byte by byte", "slowloris: body", "DEADLINE_EXCEEDED", body_dribble},
    {"zero window", "slow read", "RST_STREAM(CANCEL)", zero_window},
    {"a window of crumbs", "slow read, CVE-2019-9511", "RST_STREAM(CANCEL)", slow_read},
    {"a client that does not read", "CVE-2019-9517", "closed", deafness},
    {"a client without calls", "slowloris: idle", "GOAWAY(NO_ERROR), closed", idleness},
    {"PING byte by byte", "slowloris: any frame", "closed", frame_dribble},
};
const size_t raw_slow_count = sizeof(raw_slow) / sizeof(raw_slow[0]);
