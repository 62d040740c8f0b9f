#include "cmocka_headers.h"

#include <string.h>

#include "wire/frame.h"

static void header_round_trip(void **state)
{
    (void)state;
    const uint8_t expected[] = {0x01, 0x02, 0x03, 0x01, 0x05, 0x7f, 0xff, 0xff, 0xff};
    uint8_t bytes[EDGE_FRAME_HEADER];
    assert_int_equal(edge_frame_write(bytes, 0x010203, EDGE_FRAME_HEADERS,
                                      EDGE_FLAG_END_HEADERS | EDGE_FLAG_END_STREAM, 0x7fffffff),
                     EDGE_FRAME_HEADER);
    assert_memory_equal(bytes, expected, sizeof(expected));
    struct edge_frame frame = edge_frame_read(bytes);
    assert_int_equal(frame.len, 0x010203);
    assert_int_equal(frame.type, EDGE_FRAME_HEADERS);
    assert_int_equal(frame.flags, 5);
    assert_int_equal(frame.stream, 0x7fffffff);
}

static void reserved_bit_is_dropped(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0, 0, 0, 0, 0, 0x80, 0, 0, 3};
    assert_int_equal(edge_frame_read(bytes).stream, 3);
}

static void settings(void **state)
{
    (void)state;
    const uint8_t expected[] = {0, 0, 12, 4, 0, 0,   0, 0, 0, //
                                0, 2, 0,  0, 0, 0,            //
                                0, 4, 0,  1, 0, 0xff};
    const struct edge_setting list[] = {{EDGE_SETTING_ENABLE_PUSH, 0},
                                        {EDGE_SETTING_INITIAL_WINDOW_SIZE, 0x000100ff}};
    uint8_t bytes[64];
    assert_int_equal(edge_frame_settings(bytes, list, 2), sizeof(expected));
    assert_memory_equal(bytes, expected, sizeof(expected));
    struct edge_setting second = edge_frame_setting(bytes + EDGE_FRAME_HEADER, 1);
    assert_int_equal(second.id, EDGE_SETTING_INITIAL_WINDOW_SIZE);
    assert_int_equal(second.value, 0x000100ff);
    const uint8_t ack[] = {0, 0, 0, 4, 1, 0, 0, 0, 0};
    assert_int_equal(edge_frame_settings_ack(bytes), sizeof(ack));
    assert_memory_equal(bytes, ack, sizeof(ack));
}

static void small_frames(void **state)
{
    (void)state;
    uint8_t bytes[64];
    const uint8_t ping[] = {0, 0, 8, 6, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(edge_frame_ping(bytes, ping + 9, EDGE_FLAG_ACK), sizeof(ping));
    assert_memory_equal(bytes, ping, sizeof(ping));
    const uint8_t reset[] = {0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 8};
    assert_int_equal(edge_frame_rst_stream(bytes, 5, EDGE_H2_CANCEL), sizeof(reset));
    assert_memory_equal(bytes, reset, sizeof(reset));
    const uint8_t update[] = {0, 0, 4, 8, 0, 0, 0, 0, 7, 0, 1, 0, 0};
    assert_int_equal(edge_frame_window_update(bytes, 7, 65536), sizeof(update));
    assert_memory_equal(bytes, update, sizeof(update));
    const uint8_t goaway[] = {0, 0, 10, 7, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 11, 'h', 'i'};
    assert_int_equal(edge_frame_goaway(bytes, 9, EDGE_H2_ENHANCE_YOUR_CALM, "hi", 2),
                     sizeof(goaway));
    assert_memory_equal(bytes, goaway, sizeof(goaway));
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(edge_frame_name(EDGE_FRAME_CONTINUATION), "CONTINUATION");
    assert_string_equal(edge_frame_name(10), "unknown");
    assert_string_equal(edge_h2_error_name(EDGE_H2_HTTP_1_1_REQUIRED), "HTTP_1_1_REQUIRED");
    assert_string_equal(edge_h2_error_name(EDGE_H2_ERRORS), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_round_trip),
        cmocka_unit_test(reserved_bit_is_dropped),
        cmocka_unit_test(settings),
        cmocka_unit_test(small_frames),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
