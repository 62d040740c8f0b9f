#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "wire/client_peer.h"

// What a server must not do.

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_servers),
        cmocka_unit_test(broken_settings),
        cmocka_unit_test(floods),
        cmocka_unit_test(resets_are_no_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
