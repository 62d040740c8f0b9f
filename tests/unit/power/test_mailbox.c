// The ioctl's buffer word by word, and the same answers from a fixture.
#include "cmocka_headers.h"

#include <errno.h>
#include <string.h>

#include "power/mailbox.h"

static uint32_t words[EDGE_MAILBOX_WORDS];

static void a_property_is_laid_out_in_words(void **state)
{
    (void)state;
    const uint32_t clock[2] = {EDGE_MAILBOX_CLOCK_ARM, 0};
    const uint32_t expected[] = {
        32,         // bytes of all that follows, this word included
        0,          // a request
        0x00030047, // the tag
        8,          // bytes of its value
        0,          // a request
        3,          0, 0,
    };
    assert_int_equal(edge_mailbox_encode_property(words, EDGE_MAILBOX_GET_CLOCK_MEASURED, clock, 2),
                     8);
    assert_memory_equal(words, expected, sizeof expected);
}

static void a_property_comes_back(void **state)
{
    (void)state;
    uint32_t value[2] = {0};
    const uint32_t reply[] = {32, 0x80000000, 0x00030047, 8, 0x80000008, 3, 600117184, 0};
    memcpy(words, reply, sizeof reply);
    assert_int_equal(edge_mailbox_decode_property(words, value, 2), 0);
    assert_int_equal(value[0], 3);
    assert_int_equal(value[1], 600117184);
    words[1] = 0x80000001; // the firmware could not parse it
    assert_int_equal(edge_mailbox_decode_property(words, value, 2), EDGE_ERR_PROTOCOL);
    words[1] = 0x80000000;
    words[4] = 8; // the tag was not answered
    assert_int_equal(edge_mailbox_decode_property(words, value, 2), EDGE_ERR_PROTOCOL);
    words[4] = 0x80000010; // there is more than was asked for
    assert_int_equal(edge_mailbox_decode_property(words, value, 2), EDGE_ERR_PROTOCOL);
}

static void a_gencmd_is_laid_out_in_words(void **state)
{
    (void)state;
    char text[32];
    assert_int_equal(edge_mailbox_encode_gencmd(words, "get_throttled"), 1031);
    const uint32_t head[] = {4124, 0, 0x00030080, 4096, 0, 0};
    assert_memory_equal(words, head, sizeof head);
    assert_string_equal((const char *)&words[6], "get_throttled");
    assert_int_equal(words[1030], 0); // the end tag
    assert_int_equal(edge_mailbox_decode_gencmd(words, text, sizeof text), EDGE_ERR_PROTOCOL);
    words[1] = 0x80000000;
    strcpy((char *)&words[6], "throttled=0x0");
    assert_int_equal(edge_mailbox_decode_gencmd(words, text, sizeof text), 0);
    assert_string_equal(text, "throttled=0x0");
    words[5] = 1;
    assert_int_equal(edge_mailbox_decode_gencmd(words, text, sizeof text), EDGE_ERR_FAILED);
}

static void a_fixture_answers(void **state)
{
    (void)state;
    struct edge_mailbox mailbox;
    struct edge_message message;
    uint32_t value;
    char text[64];
    assert_int_equal(edge_mailbox_open(&mailbox, EDGE_DATA_DIR "/boards/pi-4-throttled", &message),
                     0);
    assert_int_equal(edge_mailbox_throttled(&mailbox, &value), 0);
    assert_int_equal(value, 0x50005);
    assert_int_equal(edge_mailbox_measured_hz(&mailbox, &value), 0);
    assert_int_equal(value, 600117184);
    assert_int_equal(edge_mailbox_gencmd(&mailbox, "get_throttled", text, sizeof text), 0);
    assert_string_equal(text, "throttled=0x50005\n");
    assert_int_equal(edge_mailbox_gencmd(&mailbox, "get", text, sizeof text), EDGE_ERR_FAILED);
    edge_mailbox_close(&mailbox);
    edge_mailbox_close(&mailbox);
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    struct edge_mailbox mailbox;
    struct edge_message message;
    assert_int_equal(edge_mailbox_open(&mailbox, EDGE_DATA_DIR "/boards/n100", &message), -ENOENT);
    assert_non_null(strstr(message.text, "no firmware mailbox"));
    assert_int_equal(edge_mailbox_property(&mailbox, 1, words, 1), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_property_is_laid_out_in_words), cmocka_unit_test(a_property_comes_back),
        cmocka_unit_test(a_gencmd_is_laid_out_in_words),   cmocka_unit_test(a_fixture_answers),
        cmocka_unit_test(what_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
