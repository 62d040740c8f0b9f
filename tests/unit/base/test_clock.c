#include "cmocka_headers.h"

#include "base/clock.h"

static void never_goes_back(void **state)
{
    (void)state;
    uint64_t last = edge_clock_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = edge_clock_ns();
        assert_true(now >= last);
        last = now;
    }
}

static void sleeps_until(void **state)
{
    (void)state;
    uint64_t due = edge_clock_ns() + EDGE_NS_PER_MS;
    assert_int_equal(edge_clock_sleep_until(due), 0);
    assert_true(edge_clock_ns() >= due);
    assert_int_equal(edge_clock_sleep_until(0), 0);
}

static void writes_utc(void **state)
{
    (void)state;
    char text[24];
    edge_clock_utc(UINT64_C(1780000000) * EDGE_NS_PER_S, text);
    assert_string_equal(text, "2026-05-28T20:26:40Z");
}

static void counts_cpu_time_of_the_thread(void **state)
{
    (void)state;
    uint64_t before = edge_clock_thread_cpu_ns();
    volatile uint64_t work = 0;
    while (edge_clock_thread_cpu_ns() == before)
        work = work + 1;
    assert_true(edge_clock_thread_cpu_ns() > before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_goes_back),
        cmocka_unit_test(sleeps_until),
        cmocka_unit_test(writes_utc),
        cmocka_unit_test(counts_cpu_time_of_the_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
