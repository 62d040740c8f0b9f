#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/null/null.h"

// A conversation: what the client sends, what the server answered.
struct talk {
    struct edge_null null;
    struct edge_buffer in;
    struct edge_buffer out;
};

static void add_bytes(struct talk *talk, const void *bytes, size_t len)
{
    assert_int_equal(edge_buffer_append(&talk->in, bytes, len), 0);
}

static void add_frame(struct talk *talk, enum edge_frame_type type, unsigned flags, uint32_t stream,
                      const void *payload, size_t len)
{
    uint8_t header[EDGE_FRAME_HEADER];
    edge_frame_write(header, (uint32_t)len, type, flags, stream);
    add_bytes(talk, header, sizeof(header));
    add_bytes(talk, payload, len);
}

static void add_setting(struct talk *talk, uint16_t id, uint32_t value)
{
    uint8_t frame[EDGE_FRAME_HEADER + 6];
    add_bytes(talk, frame, edge_frame_settings(frame, &(struct edge_setting){id, value}, 1));
}

static void add_window_update(struct talk *talk, uint32_t stream, uint32_t increment)
{
    uint8_t frame[EDGE_FRAME_HEADER + 4];
    add_bytes(talk, frame, edge_frame_window_update(frame, stream, increment));
}

static void greet(struct talk *talk)
{
    add_bytes(talk, EDGE_PREFACE, EDGE_PREFACE_LEN);
    add_setting(talk, EDGE_SETTING_INITIAL_WINDOW_SIZE, EDGE_WINDOW_MAX);
}

// Sends what was added, `step` bytes at a time; stops at an error and returns it.
static int send_in_steps(struct talk *talk, size_t step)
{
    int error = 0;
    while (error == 0 && talk->in.len > 0) {
        size_t len = talk->in.len < step ? talk->in.len : step;
        // A copy of just that many bytes: reading beyond is seen by AddressSanitizer.
        uint8_t *piece = malloc(len);
        assert_non_null(piece);
        memcpy(piece, edge_buffer_head(&talk->in), len);
        edge_buffer_consume(&talk->in, len);
        error = edge_null_receive(&talk->null, piece, len, &talk->out);
        free(piece);
    }
    return error;
}

static int send_all(struct talk *talk)
{
    return send_in_steps(talk, SIZE_MAX);
}

// Takes the next frame of the answer and checks its type, flags and stream. Its payload.
static const uint8_t *expect(struct talk *talk, enum edge_frame_type type, unsigned flags,
                             uint32_t stream, size_t *len)
{
    assert_true(talk->out.len >= EDGE_FRAME_HEADER);
    const uint8_t *bytes = edge_buffer_head(&talk->out);
    struct edge_frame frame = edge_frame_read(bytes);
    assert_true(talk->out.len >= EDGE_FRAME_HEADER + frame.len);
    assert_int_equal(frame.type, type);
    assert_int_equal(frame.flags, flags);
    assert_int_equal(frame.stream, stream);
    *len = frame.len;
    edge_buffer_consume(&talk->out, EDGE_FRAME_HEADER + frame.len);
    return bytes + EDGE_FRAME_HEADER;
}

static void expect_greeting(struct talk *talk, uint32_t window)
{
    size_t len;
    const uint8_t *settings = expect(talk, EDGE_FRAME_SETTINGS, 0, 0, &len);
    assert_int_equal(len, 6);
    assert_int_equal(edge_frame_setting(settings, 0).id, EDGE_SETTING_INITIAL_WINDOW_SIZE);
    assert_int_equal(edge_frame_setting(settings, 0).value, window);
    const uint8_t *update = expect(talk, EDGE_FRAME_WINDOW_UPDATE, 0, 0, &len);
    assert_int_equal(edge_get_u32(update), EDGE_WINDOW_MAX - EDGE_WINDOW_DEFAULT);
    expect(talk, EDGE_FRAME_SETTINGS, EDGE_FLAG_ACK, 0, &len);
}

static void expect_response(struct talk *talk, uint32_t stream)
{
    static const uint8_t block[] = "\x88\x0f\x10\x10"
                                   "application/grpc";
    size_t len;
    const uint8_t *bytes = expect(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, stream, &len);
    assert_int_equal(len, sizeof(block) - 1);
    assert_memory_equal(bytes, block, len);
}

static void expect_data(struct talk *talk, uint32_t stream, const char *text)
{
    size_t len;
    const uint8_t *bytes = expect(talk, EDGE_FRAME_DATA, 0, stream, &len);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(bytes, text, len);
}

static void expect_trailers(struct talk *talk, uint32_t stream)
{
    static const uint8_t block[] = "\x00\x0bgrpc-status\x01"
                                   "0";
    size_t len;
    const uint8_t *bytes = expect(talk, EDGE_FRAME_HEADERS,
                                  EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, stream, &len);
    assert_int_equal(len, sizeof(block) - 1);
    assert_memory_equal(bytes, block, len);
}

static void expect_nothing_more(struct talk *talk)
{
    assert_int_equal(talk->out.len, 0);
}

// A GOAWAY that ends the answer, with words in which `why` stands.
static void expect_goaway(struct talk *talk, uint32_t code, const char *why)
{
    size_t len;
    const uint8_t *bytes = expect(talk, EDGE_FRAME_GOAWAY, 0, 0, &len);
    assert_true(len > 8);
    assert_int_equal(edge_get_u32(bytes + 4), code);
    assert_non_null(memmem(bytes + 8, len - 8, why, strlen(why)));
    expect_nothing_more(talk);
}

static int open_talk(void **state)
{
    *state = calloc(1, sizeof(struct talk));
    return *state == NULL;
}

static int close_talk(void **state)
{
    struct talk *talk = *state;
    edge_buffer_free(&talk->in);
    edge_buffer_free(&talk->out);
    free(talk);
    return 0;
}

static void add_call(struct talk *talk, uint32_t stream, const char *text)
{
    add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, stream, "\x83", 1);
    add_frame(talk, EDGE_FRAME_DATA, EDGE_FLAG_END_STREAM, stream, text, strlen(text));
}

static void test_echoes_calls_however_they_are_cut(void **state)
{
    static const size_t steps[] = {1, 2, 7, 9, 10, 33, SIZE_MAX};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct talk *talk = *state;
        talk->null = (struct edge_null){0};
        greet(talk);
        add_call(talk, 1, "one");
        add_call(talk, 5, "");
        add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, 7, "", 0);
        assert_int_equal(send_in_steps(talk, steps[i]), 0);
        expect_greeting(talk, EDGE_NULL_WINDOW);
        expect_response(talk, 1);
        expect_data(talk, 1, "one");
        expect_trailers(talk, 1);
        expect_response(talk, 5);
        expect_trailers(talk, 5);
        expect_response(talk, 7);
        expect_trailers(talk, 7);
        expect_nothing_more(talk);
    }
}

static void test_streams_interleave(void **state)
{
    struct talk *talk = *state;
    greet(talk);
    add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 1, "", 0);
    add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 3, "", 0);
    add_frame(talk, EDGE_FRAME_DATA, 0, 3, "c", 1);
    add_frame(talk, EDGE_FRAME_DATA, 0, 1, "a", 1);
    // Trailers end a stream as END_STREAM on DATA does.
    add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, 1, "", 0);
    add_frame(talk, EDGE_FRAME_DATA, EDGE_FLAG_END_STREAM, 3, "d", 1);
    assert_int_equal(send_all(talk), 0);
    expect_greeting(talk, EDGE_NULL_WINDOW);
    expect_response(talk, 1);
    expect_response(talk, 3);
    expect_data(talk, 3, "c");
    expect_data(talk, 1, "a");
    expect_trailers(talk, 1);
    expect_data(talk, 3, "d");
    expect_trailers(talk, 3);
    expect_nothing_more(talk);
}

static void test_padding_and_continuation(void **state)
{
    struct talk *talk = *state;
    greet(talk);
    add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_PADDED | EDGE_FLAG_PRIORITY, 1,
              "\x02"
              "prio\xff\x83\0\0",
              9);
    add_frame(talk, EDGE_FRAME_CONTINUATION, 0, 1, "", 0);
    add_frame(talk, EDGE_FRAME_CONTINUATION, EDGE_FLAG_END_HEADERS, 1, "\x84", 1);
    add_frame(talk, EDGE_FRAME_DATA, EDGE_FLAG_PADDED | EDGE_FLAG_END_STREAM, 1, "\x03hey\0\0\0",
              7);
    assert_int_equal(send_all(talk), 0);
    expect_greeting(talk, EDGE_NULL_WINDOW);
    expect_response(talk, 1);
    expect_data(talk, 1, "hey");
    expect_trailers(talk, 1);
    expect_nothing_more(talk);
}

static void test_acks_and_ignores(void **state)
{
    struct talk *talk = *state;
    size_t len;
    greet(talk);
    add_frame(talk, EDGE_FRAME_SETTINGS, EDGE_FLAG_ACK, 0, "", 0);
    add_frame(talk, EDGE_FRAME_PING, 0, 0, "12345678", 8);
    add_frame(talk, EDGE_FRAME_PING, EDGE_FLAG_ACK, 0, "87654321", 8);
    add_setting(talk, EDGE_SETTING_HEADER_TABLE_SIZE, 0);
    add_frame(talk, (enum edge_frame_type)0x77, 0xff, 9, "whatever", 8);
    add_frame(talk, EDGE_FRAME_PRIORITY, 0, 1, "12345", 5);
    add_frame(talk, EDGE_FRAME_RST_STREAM, 0, 1, "\0\0\0\x08", 4);
    add_window_update(talk, 0, 1000);
    add_window_update(talk, 1, 1000);
    assert_int_equal(send_all(talk), 0);
    expect_greeting(talk, EDGE_NULL_WINDOW);
    assert_memory_equal(expect(talk, EDGE_FRAME_PING, EDGE_FLAG_ACK, 0, &len), "12345678", 8);
    expect(talk, EDGE_FRAME_SETTINGS, EDGE_FLAG_ACK, 0, &len);
    expect_nothing_more(talk);
}

// The peer is told no larger a stream window than its own: replies always fit.
static void test_window_follows_the_peers(void **state)
{
    struct talk *talk = *state;
    add_bytes(talk, EDGE_PREFACE, EDGE_PREFACE_LEN);
    add_setting(talk, EDGE_SETTING_INITIAL_WINDOW_SIZE, 70000);
    assert_int_equal(send_all(talk), 0);
    expect_greeting(talk, 70000);
    add_setting(talk, EDGE_SETTING_INITIAL_WINDOW_SIZE, 69999);
    assert_int_equal(send_all(talk), EDGE_ERR_PROTOCOL);
    expect_goaway(talk, EDGE_H2_INTERNAL_ERROR, "INITIAL_WINDOW_SIZE is too small");
}

static void test_connection_window(void **state)
{
    static const uint8_t zeros[EDGE_FRAME_MAX_DEFAULT];
    struct talk *talk = *state;
    greet(talk);
    assert_int_equal(send_all(talk), 0);
    talk->out.len = 0;
    add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 1, "", 0);
    for (int i = 0; i < 3; i++)
        add_frame(talk, EDGE_FRAME_DATA, 0, 1, zeros, sizeof(zeros));
    add_frame(talk, EDGE_FRAME_DATA, 0, 1, zeros, EDGE_WINDOW_DEFAULT - 3 * sizeof(zeros));
    assert_int_equal(send_all(talk), 0);
    talk->out.len = 0;
    add_window_update(talk, 0, 1);
    add_frame(talk, EDGE_FRAME_DATA, 0, 1, "a", 1);
    assert_int_equal(send_all(talk), 0);
    expect_data(talk, 1, "a");
    add_frame(talk, EDGE_FRAME_DATA, 0, 1, "b", 1);
    assert_int_equal(send_all(talk), EDGE_ERR_PROTOCOL);
    expect_goaway(talk, EDGE_H2_INTERNAL_ERROR, "window is used up");
}

// The window given to the peer is topped up before half of it is gone; who overruns it is told.
static void test_receive_window(void **state)
{
    struct talk *talk = *state;
    size_t len;
    greet(talk);
    assert_int_equal(send_all(talk), 0);
    talk->out.len = 0;
    talk->null.receive_window = EDGE_WINDOW_MAX / 2 + 3;
    add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 1, "", 0);
    add_frame(talk, EDGE_FRAME_DATA, 0, 1, "ab", 2);
    add_frame(talk, EDGE_FRAME_DATA, EDGE_FLAG_PADDED, 1, "\0", 1);
    assert_int_equal(send_all(talk), 0);
    expect_response(talk, 1);
    expect_data(talk, 1, "ab");
    const uint8_t *update = expect(talk, EDGE_FRAME_WINDOW_UPDATE, 0, 0, &len);
    assert_int_equal(edge_get_u32(update), EDGE_WINDOW_MAX - EDGE_WINDOW_MAX / 2);
    expect_nothing_more(talk);
    talk->null.receive_window = 1;
    add_frame(talk, EDGE_FRAME_DATA, 0, 1, "cd", 2);
    assert_int_equal(send_all(talk), EDGE_ERR_PROTOCOL);
    expect_goaway(talk, EDGE_H2_FLOW_CONTROL_ERROR, "beyond the connection's window");
}

// One broken frame after a good greeting, and the GOAWAY that it earns.
static void test_garbage_gets_goaway(void **state)
{
    static const struct {
        enum edge_frame_type type;
        unsigned flags;
        uint32_t stream;
        uint32_t len;
        const char *payload;
        const char *why;
        uint32_t code;
    } cases[] = {
        {EDGE_FRAME_DATA, 0, 0, 1, "x", "not open", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_DATA, 0, 3, 1, "x", "not open", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_DATA, EDGE_FLAG_PADDED, 1, 0, "", "padding", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_DATA, EDGE_FLAG_PADDED, 1, 1, "\x01", "padding", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_HEADERS, 0, 0, 0, "", "stream of the server's", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_HEADERS, 0, 2, 0, "", "stream of the server's", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_HEADERS, 0, 1, 0, "", "without END_STREAM", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_HEADERS, EDGE_FLAG_PADDED, 3, 1, "\x01", "padding", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_HEADERS, EDGE_FLAG_PRIORITY, 3, 4, "1234", "padding", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_CONTINUATION, 0, 1, 0, "", "no header block", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_CONTINUATION, 0, 0, 0, "", "no header block", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_SETTINGS, 0, 1, 0, "", "on a stream", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_SETTINGS, 0, 0, 5, "12345", "wrong length", EDGE_H2_FRAME_SIZE_ERROR},
        {EDGE_FRAME_SETTINGS, EDGE_FLAG_ACK, 0, 6, "123456", "length", EDGE_H2_FRAME_SIZE_ERROR},
        {EDGE_FRAME_SETTINGS, 0, 0, 6, "\0\x05\0\0\x3f\xff", "MAX_FRAME", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_SETTINGS, 0, 0, 6, "\0\x04\x80\0\0\0", "2^31", EDGE_H2_FLOW_CONTROL_ERROR},
        {EDGE_FRAME_WINDOW_UPDATE, 0, 0, 4, "\0\0\0\0", "by 0", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_WINDOW_UPDATE, 0, 0, 4, "\x7f\xff\xff\xff", "2^31", EDGE_H2_FLOW_CONTROL_ERROR},
        {EDGE_FRAME_WINDOW_UPDATE, 0, 0, 3, "123", "length", EDGE_H2_FRAME_SIZE_ERROR},
        {EDGE_FRAME_PING, 0, 1, 8, "12345678", "on a stream", EDGE_H2_PROTOCOL_ERROR},
        {EDGE_FRAME_PING, 0, 0, 7, "1234567", "length", EDGE_H2_FRAME_SIZE_ERROR},
        {EDGE_FRAME_PRIORITY, 0, 1, 4, "1234", "length", EDGE_H2_FRAME_SIZE_ERROR},
        {EDGE_FRAME_RST_STREAM, 0, 1, 3, "123", "length", EDGE_H2_FRAME_SIZE_ERROR},
        {EDGE_FRAME_GOAWAY, 0, 0, 7, "1234567", "length", EDGE_H2_FRAME_SIZE_ERROR},
        {EDGE_FRAME_PUSH_PROMISE, 0, 1, 4, "1234", "from a client", EDGE_H2_PROTOCOL_ERROR},
    };
    struct talk *talk = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        talk->null = (struct edge_null){0};
        greet(talk);
        add_frame(talk, EDGE_FRAME_HEADERS, EDGE_FLAG_END_HEADERS, 1, "", 0);
        assert_int_equal(send_all(talk), 0);
        talk->out.len = 0;
        add_frame(talk, cases[i].type, cases[i].flags, cases[i].stream, cases[i].payload,
                  cases[i].len);
        assert_int_equal(send_all(talk), EDGE_ERR_PROTOCOL);
        expect_goaway(talk, cases[i].code, cases[i].why);
        // What comes after GOAWAY is not read.
        assert_int_equal(edge_null_receive(&talk->null, (const uint8_t *)"x", 1, &talk->out), 0);
        expect_nothing_more(talk);
    }
}

static void test_wrong_beginnings(void **state)
{
    struct talk *talk = *state;
    add_bytes(talk, "GET / HTTP/1.1\r\n", 16);
    assert_int_equal(send_in_steps(talk, 1), EDGE_ERR_PROTOCOL);
    expect_goaway(talk, EDGE_H2_PROTOCOL_ERROR, "not HTTP/2");

    talk->null = (struct edge_null){0};
    edge_buffer_consume(&talk->in, talk->in.len);
    add_bytes(talk, EDGE_PREFACE, EDGE_PREFACE_LEN);
    add_frame(talk, EDGE_FRAME_PING, 0, 0, "12345678", 8);
    assert_int_equal(send_all(talk), EDGE_ERR_PROTOCOL);
    expect_goaway(talk, EDGE_H2_PROTOCOL_ERROR, "must be SETTINGS");

    talk->null = (struct edge_null){0};
    add_bytes(talk, EDGE_PREFACE, EDGE_PREFACE_LEN);
    add_setting(talk, EDGE_SETTING_INITIAL_WINDOW_SIZE, 65534);
    assert_int_equal(send_all(talk), EDGE_ERR_PROTOCOL);
    expect_goaway(talk, EDGE_H2_INTERNAL_ERROR, "too small");
}

static void test_large_frame(void **state)
{
    struct talk *talk = *state;
    uint8_t header[EDGE_FRAME_HEADER];
    greet(talk);
    assert_int_equal(send_all(talk), 0);
    talk->out.len = 0;
    edge_frame_write(header, EDGE_FRAME_MAX_DEFAULT + 1, EDGE_FRAME_DATA, 0, 1);
    add_bytes(talk, header, sizeof(header));
    assert_int_equal(send_in_steps(talk, 4), EDGE_ERR_PROTOCOL);
    expect_goaway(talk, EDGE_H2_FRAME_SIZE_ERROR, "above 16384");
}

static void test_endless_header_block(void **state)
{
    struct talk *talk = *state;
    greet(talk);
    add_frame(talk, EDGE_FRAME_HEADERS, 0, 1, "", 0);
    for (unsigned i = 0; i < EDGE_NULL_HEADER_MAX / EDGE_FRAME_HEADER + 1; i++)
        add_frame(talk, EDGE_FRAME_CONTINUATION, 0, 1, "", 0);
    assert_int_equal(send_all(talk), EDGE_ERR_PROTOCOL);
    expect_greeting(talk, EDGE_NULL_WINDOW);
    expect_goaway(talk, EDGE_H2_ENHANCE_YOUR_CALM, "header block");
}

static void test_shutdown(void **state)
{
    struct talk *talk = *state;
    greet(talk);
    add_call(talk, 9, "x");
    assert_int_equal(send_all(talk), 0);
    talk->out.len = 0;
    assert_int_equal(edge_null_shutdown(&talk->null, &talk->out), 0);
    assert_int_equal(edge_get_u32(edge_buffer_head(&talk->out) + EDGE_FRAME_HEADER), 9);
    expect_goaway(talk, EDGE_H2_NO_ERROR, "going down");
    assert_int_equal(edge_null_shutdown(&talk->null, &talk->out), 0);
    expect_nothing_more(talk);
}

#define TALK_TEST(function) cmocka_unit_test_setup_teardown(function, open_talk, close_talk)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TALK_TEST(test_echoes_calls_however_they_are_cut),
        TALK_TEST(test_streams_interleave),
        TALK_TEST(test_padding_and_continuation),
        TALK_TEST(test_acks_and_ignores),
        TALK_TEST(test_window_follows_the_peers),
        TALK_TEST(test_connection_window),
        TALK_TEST(test_receive_window),
        TALK_TEST(test_garbage_gets_goaway),
        TALK_TEST(test_wrong_beginnings),
        TALK_TEST(test_large_frame),
        TALK_TEST(test_endless_header_block),
        TALK_TEST(test_shutdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
