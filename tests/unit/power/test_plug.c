// Answers of plugs, right and wrong. The same over HTTP: tests/e2e/test_power.py.
#include "cmocka_headers.h"

#include <string.h>

#include "power/plug.h"

static struct edge_message message;
static struct edge_reading reading;

static int parse(const struct edge_plug_dialect *dialect, const char *text)
{
    message.text[0] = '\0';
    reading = (struct edge_reading){0, EDGE_READING_NONE, EDGE_READING_NONE};
    return edge_plug_parse(dialect, text, strlen(text), &reading, &message);
}

static void each_dialect_gives_the_same_watts(void **state)
{
    (void)state;
    assert_int_equal(parse(&edge_plug_tasmota,
                           "{\"StatusSNS\":{\"Time\":\"2030-01-01T00:00:00\",\"ENERGY\":{\"Total\":"
                           "1.5,\"Power\":7,\"Voltage\":230,\"Current\":0.05}}}"),
                     0);
    assert_int_equal(reading.power_uw, 7000000);
    assert_int_equal(reading.energy_uj, 5400000000000);
    assert_int_equal(parse(&edge_plug_tasmota, "{\"StatusPWR\":{\"Power\":7.25}}"), 0);
    assert_int_equal(reading.power_uw, 7250000);
    assert_true(reading.energy_uj == EDGE_READING_NONE);
    assert_int_equal(parse(&edge_plug_shelly1, "{\"power\":7.21,\"is_valid\":true,\"timestamp\":1,"
                                               "\"counters\":[2.1,2.1,2.1],\"total\":90000}"),
                     0);
    assert_int_equal(reading.power_uw, 7210000);
    assert_int_equal(reading.energy_uj, 5400000000000); // watt-minutes
    assert_int_equal(parse(&edge_plug_shelly2,
                           "{\"id\":0,\"output\":true,\"apower\":7.2,\"voltage\":229.9,"
                           "\"aenergy\":{\"total\":1500.0,\"by_minute\":[1,2,3]}}"),
                     0);
    assert_int_equal(reading.power_uw, 7200000);
    assert_int_equal(reading.energy_uj, 5400000000000);
}

static void each_fault_is_told_apart(void **state)
{
    (void)state;
    static const struct {
        const struct edge_plug_dialect *dialect;
        const char *text;
        int error;
        const char *words;
    } cases[] = {
        {&edge_plug_tasmota, "not json", EDGE_ERR_FORMAT, "expected JSON"},
        {&edge_plug_tasmota, "", EDGE_ERR_FORMAT, "expected JSON"},
        {&edge_plug_tasmota, "[]", EDGE_ERR_FORMAT, "StatusSNS.ENERGY.Power in the answer"},
        {&edge_plug_tasmota, "{\"StatusSNS\":{\"Switch1\":\"OFF\"}}", EDGE_ERR_FORMAT, "none"},
        {&edge_plug_tasmota, "{\"StatusSNS\":{\"ENERGY\":{\"Power\":[6,7]}}}", EDGE_ERR_FORMAT,
         "one channel"},
        {&edge_plug_tasmota, "{\"StatusSNS\":{\"ENERGY\":{\"Power\":-7}}}", EDGE_ERR_LIMIT,
         "positive"},
        {&edge_plug_tasmota, "{\"StatusSNS\":{\"ENERGY\":{\"Power\":10800}}}", EDGE_ERR_LIMIT,
         "10800 W"},
        {&edge_plug_tasmota, "{\"StatusSNS\":{\"ENERGY\":{\"Power\":0}}}", EDGE_ERR_UNSUPPORTED,
         "below 5 W"},
        {&edge_plug_shelly1, "{\"power\":4.99,\"is_valid\":true}", EDGE_ERR_UNSUPPORTED, "4.99 W"},
        {&edge_plug_shelly1, "{\"power\":7,\"is_valid\":false}", EDGE_ERR_LIMIT, "not valid"},
        {&edge_plug_shelly2, "{\"id\":0,\"output\":true}", EDGE_ERR_FORMAT, "apower"},
        {&edge_plug_shelly2, "{\"apower\":null}", EDGE_ERR_FORMAT, "apower"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(parse(cases[i].dialect, cases[i].text), cases[i].error);
        if (!strstr(message.text, cases[i].words))
            fail_msg("%s: %s", cases[i].text, message.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_dialect_gives_the_same_watts),
        cmocka_unit_test(each_fault_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
