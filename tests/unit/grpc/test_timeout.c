#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "grpc/timeout.h"

static void every_unit_is_understood(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t ns;
    } rows[] = {
        {"1n", 1},
        {"0n", 0},
        {"5u", 5000},
        {"10m", 10000000},
        {"2S", UINT64_C(2000000000)},
        {"1M", UINT64_C(60000000000)},
        {"1H", UINT64_C(3600000000000)},
        {"00000001S", UINT64_C(1000000000)},
        {"99999999n", 99999999},
        {"99999999S", UINT64_C(99999999000000000)},
        // More nanoseconds than 64 bits hold: as good as never.
        {"99999999H", UINT64_MAX},
        {"5124095H", UINT64_C(5124095) * 3600 * 1000000000},
        {"5124096H", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t ns = 7;
        assert_int_equal(edge_timeout_parse(rows[i].text, strlen(rows[i].text), &ns), 0);
        assert_int_equal(ns, rows[i].ns);
    }
}

static void malformed_values_are_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {"",    "5",   "S",  "123456789S", "1x", "-1S",
                                       "+1S", "1 S", "1.", "1.5S",       "1s", "1SS",
                                       " 1S", "1S ", "1h", "0x1S"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t ns;
        assert_int_equal(edge_timeout_parse(rows[i], strlen(rows[i]), &ns), EDGE_ERR_FORMAT);
    }
}

static void format_keeps_eight_digits(void **state)
{
    (void)state;
    static const struct {
        uint64_t ns;
        const char *text;
    } rows[] = {
        {0, "0n"},
        {1, "1n"},
        {99999999, "99999999n"},
        {100000000, "100000u"},
        {UINT64_C(1000000000), "1000000u"},
        {UINT64_C(99999999999), "99999999u"},
        {UINT64_C(100000000000), "100000m"},
        {UINT64_MAX, "5124095H"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[EDGE_TIMEOUT_TEXT];
        assert_int_equal(edge_timeout_format(rows[i].ns, text), strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
        uint64_t ns;
        assert_int_equal(edge_timeout_parse(text, strlen(text), &ns), 0);
        assert_true(ns <= rows[i].ns);
    }
}

static void a_deadline_does_not_wrap(void **state)
{
    (void)state;
    assert_int_equal(edge_timeout_deadline(10, 5), 15);
    assert_int_equal(edge_timeout_deadline(10, UINT64_MAX), UINT64_MAX);
    assert_int_equal(edge_timeout_deadline(10, UINT64_MAX - 10), UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_is_understood),
        cmocka_unit_test(malformed_values_are_refused),
        cmocka_unit_test(format_keeps_eight_digits),
        cmocka_unit_test(a_deadline_does_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
