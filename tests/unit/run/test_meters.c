// Sources of the host; those of a board need an agent: tests/e2e/test_power.py.
#include "cmocka_headers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/meters.h"

static struct edge_message message;

static void lists_are_checked(void **state)
{
    (void)state;
    static const char *const good[] = {
        "auto",  "none", "pmic", "hwmon:ina219,tasmota:plug:8080", "csv:a.csv,cmd:echo 1,2,3",
        "fnirsi"};
    static const struct {
        const char *list, *words;
    } bad[] = {
        {"watts", "expected auto, none, hwmon"},
        {"", "NAME[:ARGUMENT]"},
        {"csv", "expected csv:FILE"},
        {"pmic,,rapl", "NAME[:ARGUMENT]"},
        {"csv:", "expected csv:FILE"},
        {"pmic,none", "\"none\""},
        {"pmic,pmic,pmic,pmic,pmic", "at most 4"},
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(edge_meters_check(good[i], &message), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(edge_meters_check(bad[i].list, &message), EDGE_ERR_USAGE);
        if (!strstr(message.text, bad[i].words))
            fail_msg("%s: %s", bad[i].list, message.text);
    }
}

static void none_is_none(void **state)
{
    (void)state;
    struct edge_meters meters;
    assert_int_equal(edge_meters_open(&meters, "none", NULL, NULL, &message), 0);
    assert_int_equal(meters.count, 0);
    assert_string_equal(meters.why, "--power none");
    assert_true(edge_meters_reach(&meters, edge_clock_ns()));
    edge_meters_free(&meters);
}

// 2 W rising by 1 W a second, in a file that holds the future already.
static void a_file_of_readings_is_integrated(void **state)
{
    (void)state;
    char path[] = "/tmp/edge_meters_XXXXXX", list[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    uint64_t wall_ns = edge_clock_wall_ns(), now_ns = edge_clock_ns();
    for (uint64_t i = 0; i < 20; i++)
        dprintf(fd, "%llu.%09llu,%llu\n",
                (unsigned long long)((wall_ns + i * EDGE_NS_PER_S) / EDGE_NS_PER_S),
                (unsigned long long)(wall_ns % EDGE_NS_PER_S), (unsigned long long)(2 + i));
    close(fd);
    struct edge_meters meters;
    snprintf(list, sizeof(list), "csv:%s", path);
    assert_int_equal(edge_meters_open(&meters, list, "wall", NULL, &message), 0);
    assert_int_equal(meters.count, 1);
    assert_string_equal(meters.at[0].facts.scope, "wall");
    assert_true(meters.at[0].facts.interval_ns == EDGE_UNMEASURED); // as the lines have it
    assert_int_equal(edge_meters_poll(&meters, true, &message), 0);
    while (meters.at[0].count < 20) { // as long as it takes
        edge_clock_sleep_until(edge_clock_ns() + EDGE_NS_PER_MS);
        edge_meters_collect(&meters);
    }
    assert_true(edge_meters_reach(&meters, now_ns + 18 * EDGE_NS_PER_S));
    assert_int_equal(edge_meters_poll(&meters, false, &message), 0);
    struct edge_energy energy;
    assert_int_equal(edge_meters_integrate(&meters, 0, now_ns + 3 * EDGE_NS_PER_S,
                                           now_ns + 13 * EDGE_NS_PER_S, &energy),
                     0);
    double joule = (double)energy.energy_uj / 1e6; // 10 s x 10 W; the clocks are read one by one
    assert_true(joule > 99.9 && joule < 100.1);
    edge_meters_free(&meters);
    edge_meters_free(&meters);
    unlink(path);
}

static void what_cannot_be_opened_is_told(void **state)
{
    (void)state;
    struct edge_meters meters;
    assert_int_equal(edge_meters_open(&meters, "csv:/none/such", NULL, NULL, &message), -2);
    assert_non_null(strstr(message.text, "csv: cannot read /none/such"));
    assert_int_equal(meters.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_checked),
        cmocka_unit_test(none_is_none),
        cmocka_unit_test(a_file_of_readings_is_integrated),
        cmocka_unit_test(what_cannot_be_opened_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
