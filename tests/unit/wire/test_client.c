#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "wire/client_peer.h"

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
        cmocka_unit_test(starts_with_preface), cmocka_unit_test(split_at_every_position),
        cmocka_unit_test(byte_by_byte),        cmocka_unit_test(remembers_the_smallest_table),
        cmocka_unit_test(goaway_twice),        cmocka_unit_test(frames_of_no_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
