#include "cmocka_headers.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/units.h"

static void counts(void **state)
{
    (void)state;
    uint64_t value;
    assert_int_equal(edge_parse_count("0", &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(edge_parse_count("10k", &value), 0);
    assert_int_equal(value, 10000);
    assert_int_equal(edge_parse_count("1.5M", &value), 0);
    assert_int_equal(value, 1500000);
    assert_int_equal(edge_parse_count("18446744073709551615", &value), 0);
    assert_true(value == UINT64_MAX);
}

static void counts_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   "-1", "+1",  " 1",  "1 ",  "k",    "1x",
                                      "1.", "0x", "1e3", "1.5", ".5k", "1..5k"};
    uint64_t value;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(edge_parse_count(bad[i], &value), EDGE_ERR_FORMAT);
    assert_int_equal(edge_parse_count("18446744073709551616", &value), EDGE_ERR_LIMIT);
    assert_int_equal(edge_parse_count("18446744073709551615k", &value), EDGE_ERR_LIMIT);
}

static void bytes(void **state)
{
    (void)state;
    uint64_t value;
    assert_int_equal(edge_parse_bytes("512m", &value), 0);
    assert_int_equal(value, 512 << 20);
    assert_int_equal(edge_parse_bytes("4MiB", &value), 0);
    assert_int_equal(value, 4 << 20);
    assert_int_equal(edge_parse_bytes("0.5k", &value), EDGE_ERR_FORMAT); // 1024 is no decimal
    assert_int_equal(edge_parse_bytes("5q", &value), EDGE_ERR_FORMAT);
}

static void durations(void **state)
{
    (void)state;
    uint64_t value;
    assert_int_equal(edge_parse_duration("20s", &value), 0);
    assert_true(value == 20 * EDGE_NS_PER_S);
    assert_int_equal(edge_parse_duration("1.5s", &value), 0);
    assert_true(value == 1500 * EDGE_NS_PER_MS);
    assert_int_equal(edge_parse_duration("2m", &value), 0);
    assert_true(value == 120 * EDGE_NS_PER_S);
    assert_int_equal(edge_parse_duration("0", &value), 0);
    assert_true(value == 0);
    assert_int_equal(edge_parse_duration("5", &value), EDGE_ERR_FORMAT); // of what?
    assert_int_equal(edge_parse_duration("0.1ns", &value), EDGE_ERR_FORMAT);
    assert_int_equal(edge_parse_duration("9999999999h", &value), EDGE_ERR_LIMIT);
}

static void formats_read_back(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 999, 1000, 1500000, 20000000000, 1023, 1024, 1 << 20};
    char text[32];
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        uint64_t value;
        assert_int_equal(
            edge_parse_duration(edge_format_duration(values[i], text, sizeof(text)), &value), 0);
        assert_true(value == values[i]);
        assert_int_equal(edge_parse_bytes(edge_format_bytes(values[i], text, sizeof(text)), &value),
                         0);
        assert_true(value == values[i]);
    }
    assert_string_equal(edge_format_duration(20 * EDGE_NS_PER_S, text, sizeof(text)), "20s");
    assert_string_equal(edge_format_bytes(512 << 20, text, sizeof(text)), "512m");
}

static void latencies(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(edge_format_latency(812, text, sizeof(text)), "812 ns");
    assert_string_equal(edge_format_latency(31304000, text, sizeof(text)), "31.30 ms");
    assert_string_equal(edge_format_latency(1.2041e9, text, sizeof(text)), "1.204 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),    cmocka_unit_test(counts_refused),
        cmocka_unit_test(bytes),     cmocka_unit_test(durations),
        cmocka_unit_test(latencies), cmocka_unit_test(formats_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
