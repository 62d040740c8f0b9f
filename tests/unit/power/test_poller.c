#include "cmocka_headers.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "power/poller.h"

static void open_cmd(struct edge_power *power, const char *command)
{
    struct edge_message message;
    struct edge_power_config config = {.name = "cmd", .argument = command, .scope = "wall"};
    if (edge_power_open(power, &config, &message) != 0)
        fail_msg("%s", message.text);
    assert_string_equal(power->scope, "wall");
}

static void what_a_command_prints_is_kept(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_power_poller *poller;
    struct edge_message message;
    struct edge_reading readings[4];
    open_cmd(&power, "echo 1.5; echo 2; echo 2.5; sleep 100");
    assert_int_equal(edge_power_poller_start(&poller, &power, &message), 0);
    size_t have = 0;
    while (have < 3) { // as long as it takes
        have += edge_power_poller_take(poller, readings + have, 3 - have);
        edge_clock_sleep_until(edge_clock_ns() + EDGE_NS_PER_MS);
    }
    assert_int_equal(readings[0].power_uw, 1500000);
    assert_int_equal(readings[2].power_uw, 2500000);
    assert_true(readings[0].t_ns <= readings[2].t_ns);
    assert_int_equal(edge_power_poller_failures(poller, &message), 0);
    edge_power_poller_stop(poller);
    edge_power_close(&power); // and with it the command that still sleeps
}

static void failures_are_counted_and_told(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_power_poller *poller;
    struct edge_message message;
    struct edge_reading reading;
    open_cmd(&power, "exit 3");
    assert_int_equal(edge_power_poller_start(&poller, &power, &message), 0);
    while (edge_power_poller_failures(poller, &message) == 0)
        edge_clock_sleep_until(edge_clock_ns() + EDGE_NS_PER_MS);
    assert_non_null(strstr(message.text, "cmd: the command exited with code 3"));
    assert_int_equal(edge_power_poller_take(poller, &reading, 1), 0);
    edge_power_poller_stop(poller);
    edge_power_poller_stop(NULL);
    edge_power_close(&power);
}

// A command such as `printf 5.2` ends without a newline: its reading is one, and not the beginning
// of the next start's.
static void a_last_line_needs_no_newline(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_reading reading;
    open_cmd(&power, "printf '1.5\\n5.2'");
    const uint64_t expected[] = {1500000, 5200000, 1500000, 5200000}; // it is started twice
    for (size_t i = 0; i < 4;) {
        int error = edge_power_read(&power, &reading, &message);
        if (error == -EAGAIN)
            continue;
        if (error < 0)
            fail_msg("%s", message.text);
        assert_int_equal(reading.power_uw, expected[i++]);
    }
    edge_power_close(&power);
}

static void half_a_line_of_a_command_that_failed_is_dropped(void **state)
{
    (void)state;
    struct edge_power power;
    struct edge_message message;
    struct edge_reading reading;
    open_cmd(&power, "printf 5.2; exit 3");
    for (unsigned failures = 0; failures < 2;) {
        int error = edge_power_read(&power, &reading, &message);
        assert_true(error < 0);
        failures += error != -EAGAIN;
        if (error != -EAGAIN)
            assert_non_null(strstr(message.text, "the command exited with code 3"));
    }
    edge_power_close(&power);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_command_prints_is_kept),
        cmocka_unit_test(a_last_line_needs_no_newline),
        cmocka_unit_test(half_a_line_of_a_command_that_failed_is_dropped),
        cmocka_unit_test(failures_are_counted_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
