// Frames that break RFC 9113, one each. What a server answers with a connection error costs the
// peer its connection; the others are what MadeYouReset (CVE-2025-8671) is made of.
#include <string.h>

#include "cases.h"

#define OK "200, grpc-status 0, 1 message"

static void data_on_stream_0(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_DATA, 0, 0, "x", 1);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void headers_on_stream_0(struct raw *raw)
{
    raw_request(raw, 0, EDGE_FLAG_END_STREAM, NULL);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void even_stream(struct raw *raw)
{
    raw_call(raw, 2, NULL);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void data_on_idle_stream(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_DATA, 0, 9, "x", 1);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void frame_too_large(struct raw *raw)
{
    static const uint8_t bytes[EDGE_FRAME_MAX_DEFAULT + 1];
    raw_request(raw, 1, 0, NULL);
    raw_frame(raw, EDGE_FRAME_DATA, 0, 1, bytes, sizeof(bytes));
    raw_check_connection(raw, "GOAWAY FRAME_SIZE_ERROR, closed");
}

static void padding_beyond_frame(struct raw *raw)
{
    raw_request(raw, 1, 0, NULL);
    raw_frame(raw, EDGE_FRAME_DATA, EDGE_FLAG_PADDED, 1, "\xff", 1);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void continuation_alone(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, 1, NULL, 0);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void ping_in_block(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_HEADERS, 0, 1, "\x83", 1);
    raw_ping(raw);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void broken_block(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 1, "\xff\xff\xff\xff\xff\xff", 6);
    raw_check_connection(raw, "GOAWAY COMPRESSION_ERROR, closed");
}

static void ping_of_7(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_PING, 0, 0, "1234567", 7);
    raw_check_connection(raw, "GOAWAY FRAME_SIZE_ERROR, closed");
}

static void settings_of_5(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_SETTINGS, 0, 0, "12345", 5);
    raw_check_connection(raw, "GOAWAY FRAME_SIZE_ERROR, closed");
}

static void settings_window(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, EDGE_WINDOW_MAX + 1);
    raw_check_connection(raw, "GOAWAY FLOW_CONTROL_ERROR, closed");
}

static void settings_frame(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_MAX_FRAME_SIZE, 1);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void push_promise(struct raw *raw)
{
    raw_frame(raw, EDGE_FRAME_PUSH_PROMISE, EDGE_FLAG_END_HEADERS, 1, "\0\0\0\2\x83", 5);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void connection_window_overflow(struct raw *raw)
{
    raw_window(raw, 0, EDGE_WINDOW_MAX);
    raw_check_connection(raw, "GOAWAY FLOW_CONTROL_ERROR, closed");
}

static void connection_window_0(struct raw *raw)
{
    raw_window(raw, 0, 0);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

// The replies are not taken, so the stream gets no more window; it is overrun all the same.
static void beyond_window(struct raw *raw)
{
    RAW_WAIT(raw, raw->settings > 0)
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 0);
    raw_request(raw, 1, 0, ":path: /helloworld.Greeter/SayHelloBidi");
    for (uint32_t sent = 0; sent <= 2 * raw->initial_window; sent += sizeof(raw_hello) + 5)
        raw_message(raw, 1, 0, raw_hello, sizeof(raw_hello));
    raw_check_answer(raw, 1, "200, reset FLOW_CONTROL_ERROR");
}

static void unknown_frame(struct raw *raw)
{
    raw_frame(raw, 0x42, 0xff, 0, "what?", 5);
    raw_frame(raw, 0x42, 0xff, 1, "what?", 5);
    raw_call(raw, 1, NULL);
    raw_check_answer(raw, 1, OK);
}

static void unknown_setting(struct raw *raw)
{
    raw_setting(raw, 0x4242, 1);
    raw_call(raw, 1, NULL);
    raw_check_answer(raw, 1, OK);
}

static void reserved_bit(struct raw *raw)
{
    raw_call(raw, 1, NULL);
    raw_check_answer(raw, 1, OK);
    raw_call(raw, 0x80000003u, NULL);
    raw_check_answer(raw, 3, OK);
}

static void call_on_used_stream(struct raw *raw)
{
    raw_call(raw, 5, NULL);
    raw_check_answer(raw, 5, OK);
    raw_call(raw, 3, NULL); // nghttp2 ignores it, on purpose
    raw_sync(raw);
    raw_check(raw, raw_answer(raw, 3)->messages == 0, "a stream id below an earlier one is served");
}

// --- What MadeYouReset uses: the server answers a stream error with a reset of its own ---

static void window_of_stream_0(struct raw *raw)
{
    raw_request(raw, 1, 0, NULL);
    raw_window(raw, 1, 0);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

static void window_of_stream_overflows(struct raw *raw)
{
    raw_request(raw, 1, 0, NULL);
    raw_window(raw, 1, EDGE_WINDOW_MAX);
    raw_check_answer(raw, 1, "reset FLOW_CONTROL_ERROR");
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, OK);
}

static void priority_of_4(struct raw *raw)
{
    raw_request(raw, 1, 0, NULL);
    raw_frame(raw, EDGE_FRAME_PRIORITY, 0, 1, "1234", 4);
    raw_check_connection(raw, "GOAWAY FRAME_SIZE_ERROR, closed");
}

static void headers_after_end(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 0); // the stream stays half-closed
    raw_call(raw, 1, NULL);
    raw_request(raw, 1, EDGE_FLAG_END_STREAM, NULL);
    raw_check_connection(raw, "GOAWAY STREAM_CLOSED, closed");
}

static void data_after_end(struct raw *raw)
{
    raw_setting(raw, EDGE_SETTING_INITIAL_WINDOW_SIZE, 0);
    raw_call(raw, 1, NULL);
    raw_frame(raw, EDGE_FRAME_DATA, 0, 1, "x", 1);
    raw_check_connection(raw, "GOAWAY STREAM_CLOSED, closed");
}

static void malformed_trailers(struct raw *raw)
{
    struct edge_buffer block = {0};
    raw_block(&block, "-:method\n-:scheme\n-:authority\n-content-type\n-te");
    raw_request(raw, 1, 0, NULL);
    raw_frame(raw, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, 1,
              edge_buffer_head(&block), block.len);
    edge_buffer_free(&block);
    raw_check_answer(raw, 1, "reset PROTOCOL_ERROR");
    raw_call(raw, 3, NULL);
    raw_check_answer(raw, 3, OK);
}

// --- Other protocols ---

static void http1(struct raw *raw)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: raw.test\r\n\r\n";
    raw_connect(raw);
    raw_put(raw, request, sizeof(request) - 1);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed | closed");
}

static void tls_hello(struct raw *raw)
{
    static const uint8_t hello[64] = {0x16, 3, 1, 0, 59, 1, 0, 0, 55, 3, 3};
    raw_connect(raw);
    raw_put(raw, hello, sizeof(hello));
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed | closed");
}

static void noise(struct raw *raw)
{
    uint8_t bytes[1000];
    uint32_t state = 12345;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        state = state * 1103515245u + 12345u;
        bytes[i] = (uint8_t)(state >> 16);
    }
    raw_connect(raw);
    raw_put(raw, bytes, sizeof(bytes));
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed | closed");
}

static void no_settings(struct raw *raw)
{
    raw_connect(raw);
    raw_put(raw, EDGE_PREFACE, EDGE_PREFACE_LEN);
    raw_ping(raw);
    raw_check_connection(raw, "GOAWAY PROTOCOL_ERROR, closed");
}

const struct raw_case raw_frames[] = {
    {"DATA on stream 0", "RFC 9113, 6.1", "GOAWAY(PROTOCOL_ERROR)", data_on_stream_0},
    {"HEADERS on stream 0", "RFC 9113, 6.2", "GOAWAY(PROTOCOL_ERROR)", headers_on_stream_0},
    {"HEADERS on stream 2", "RFC 9113, 5.1.1", "GOAWAY(PROTOCOL_ERROR)", even_stream},
    {"DATA on an idle stream", "RFC 9113, 5.1", "GOAWAY(PROTOCOL_ERROR)", data_on_idle_stream},
    {"a frame above MAX_FRAME_SIZE", "RFC 9113, 4.2", "GOAWAY(FRAME_SIZE_ERROR)", frame_too_large},
    {"more padding than frame", "RFC 9113, 6.1", "GOAWAY(PROTOCOL_ERROR)", padding_beyond_frame},
    {"CONTINUATION alone", "RFC 9113, 6.10", "GOAWAY(PROTOCOL_ERROR)", continuation_alone},
    {"PING inside a header block", "RFC 9113, 6.10", "GOAWAY(PROTOCOL_ERROR)", ping_in_block},
    {"a header block that does not decode", "RFC 9113, 4.3", "GOAWAY(COMPRESSION_ERROR)",
     broken_block},
    {"PING of 7 bytes", "RFC 9113, 6.7", "GOAWAY(FRAME_SIZE_ERROR)", ping_of_7},
    {"SETTINGS of 5 bytes", "RFC 9113, 6.5", "GOAWAY(FRAME_SIZE_ERROR)", settings_of_5},
    {"INITIAL_WINDOW_SIZE of 2^31", "RFC 9113, 6.5.2", "GOAWAY(FLOW_CONTROL_ERROR)",
     settings_window},
    {"MAX_FRAME_SIZE of 1", "RFC 9113, 6.5.2", "GOAWAY(PROTOCOL_ERROR)", settings_frame},
    {"PUSH_PROMISE from a client", "RFC 9113, 8.4", "GOAWAY(PROTOCOL_ERROR)", push_promise},
    {"the connection's window above 2^31 - 1", "RFC 9113, 6.9.1", "GOAWAY(FLOW_CONTROL_ERROR)",
     connection_window_overflow},
    {"WINDOW_UPDATE of 0 for the connection", "RFC 9113, 6.9", "GOAWAY(PROTOCOL_ERROR)",
     connection_window_0},
    {"DATA beyond the window", "RFC 9113, 6.9", "RST_STREAM(FLOW_CONTROL_ERROR)", beyond_window},
    {"frames of an unknown type", "RFC 9113, 5.5", "are ignored", unknown_frame},
    {"an unknown setting", "RFC 9113, 6.5.2", "is ignored", unknown_setting},
    {"the reserved bit of a stream id", "RFC 9113, 4.1", "is ignored", reserved_bit},
    {"HEADERS below the latest stream", "nghttp2#1300", "are ignored", call_on_used_stream},
    {"WINDOW_UPDATE of 0 for a stream", "MadeYouReset, CVE-2025-8671", "GOAWAY(PROTOCOL_ERROR)",
     window_of_stream_0},
    {"a stream's window above 2^31 - 1", "MadeYouReset, CVE-2025-8671",
     "RST_STREAM(FLOW_CONTROL_ERROR)", window_of_stream_overflows},
    {"PRIORITY of 4 bytes", "MadeYouReset, CVE-2025-8671", "GOAWAY(FRAME_SIZE_ERROR)",
     priority_of_4},
    {"HEADERS after END_STREAM", "MadeYouReset, CVE-2025-8671", "GOAWAY(STREAM_CLOSED)",
     headers_after_end},
    {"DATA after END_STREAM", "MadeYouReset, CVE-2025-8671", "GOAWAY(STREAM_CLOSED)",
     data_after_end},
    {"malformed trailers", "MadeYouReset, CVE-2025-8671", "RST_STREAM(PROTOCOL_ERROR)",
     malformed_trailers},
    {"HTTP/1.1 on the port", "RFC 9113, 3.4", "closed", http1},
    {"TLS on the plaintext port", "RFC 9113, 3.4", "closed", tls_hello},
    {"noise", "RFC 9113, 3.4", "closed", noise},
    {"PING before SETTINGS", "RFC 9113, 3.4", "GOAWAY(PROTOCOL_ERROR)", no_settings},
};
const size_t raw_frames_count = sizeof(raw_frames) / sizeof(raw_frames[0]);
