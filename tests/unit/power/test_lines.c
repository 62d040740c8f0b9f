#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "power/lines.h"

static struct edge_message message;
static struct edge_reading reading;

static int feed(struct edge_lines *lines, const char *text)
{
    message.text[0] = '\0';
    assert_int_equal(edge_buffer_append(&lines->input, text, strlen(text)), 0);
    return edge_lines_next(lines, &reading, &message);
}

static void watts_are_of_now(void **state)
{
    (void)state;
    struct edge_lines lines = {.timed = false};
    edge_lines_init(&lines);
    uint64_t before_ns = edge_clock_ns();
    assert_int_equal(feed(&lines, "# a comment\n\nwatts\n3.25\n"), 0);
    assert_int_equal(reading.power_uw, 3250000);
    assert_true(reading.t_ns >= before_ns && reading.t_ns <= edge_clock_ns());
    assert_int_equal(feed(&lines, "4"), -EAGAIN); // no whole line yet
    assert_int_equal(feed(&lines, ".5\r\n"), 0);
    assert_int_equal(reading.power_uw, 4500000);
    edge_lines_free(&lines);
    edge_lines_free(&lines);
}

static void times_are_of_the_wall_clock(void **state)
{
    (void)state;
    struct edge_lines lines = {.timed = true};
    edge_lines_init(&lines);
    lines.wall_ns = 1700000000000000000 - 5000000000; // then 1700000000 s is 5 s here
    assert_int_equal(feed(&lines, "time,watts\n1700000000.25,2\n1700000001;3\n1700000001 4\n"), 0);
    assert_true(reading.t_ns > 5249990000 && reading.t_ns < 5250010000);
    assert_int_equal(reading.power_uw, 2000000);
    assert_int_equal(edge_lines_next(&lines, &reading, &message), 0);
    assert_int_equal(reading.t_ns, 6000000000);
    assert_int_equal(edge_lines_next(&lines, &reading, &message), 0);
    assert_int_equal(reading.power_uw, 4000000);
    assert_int_equal(edge_lines_next(&lines, &reading, &message), -EAGAIN);
    edge_lines_free(&lines);
}

static void what_is_no_reading_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"1700000000,1,2", "1700000000", "1700000000,x",  "5,1",
                                      "1700000000,-1",  "nan,1",      "1700000000,1e9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct edge_lines lines = {.timed = true};
        char text[64];
        edge_lines_init(&lines);
        lines.wall_ns = 1600000000000000000;
        snprintf(text, sizeof text, "1700000000,1\n%s\n", bad[i]);
        assert_int_equal(feed(&lines, text), 0);
        assert_int_equal(edge_lines_next(&lines, &reading, &message), EDGE_ERR_FORMAT);
        edge_lines_free(&lines);
    }
    struct edge_lines lines = {.timed = true};
    edge_lines_init(&lines);
    lines.wall_ns = 0;
    assert_int_equal(feed(&lines, "20,1\n19,1\n"), 0);
    assert_int_equal(edge_lines_next(&lines, &reading, &message), EDGE_ERR_FORMAT);
    assert_non_null(strstr(message.text, "before"));
    edge_lines_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watts_are_of_now),
        cmocka_unit_test(times_are_of_the_wall_clock),
        cmocka_unit_test(what_is_no_reading_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
