#include "cmocka_headers.h"

#include "base/clock.h"
#include "load/schedule.h"

static const uint64_t rates[] = {1, 3, 7, 1000, 333333, 999999937, EDGE_SCHEDULE_RATE_MAX};
#define RATES (sizeof(rates) / sizeof(rates[0]))

// The definition itself, number / rate seconds, by long division: nine decimal digits.
static uint64_t due_by_definition(const struct edge_schedule *schedule, uint64_t index)
{
    uint64_t number = index * schedule->threads + schedule->thread;
    uint64_t ns = number / schedule->rate;
    uint64_t rest = number % schedule->rate;
    for (int digit = 0; digit < 9; digit++) {
        ns = ns * 10 + rest * 10 / schedule->rate;
        rest = rest * 10 % schedule->rate;
    }
    return schedule->start_ns + ns;
}

static void due_is_exact_over_long_runs(void **state)
{
    (void)state;
    for (size_t r = 0; r < RATES; r++) {
        struct edge_schedule schedule = {
            .start_ns = 123456789, .rate = rates[r], .threads = 3, .thread = 2};
        // To the end of the tenth year.
        uint64_t last = rates[r] * 86400 * 3650 / 3;
        for (uint64_t index = 0; index < 1000; index++)
            assert_int_equal(edge_schedule_due(&schedule, index),
                             due_by_definition(&schedule, index));
        for (uint64_t index = last; index > 0; index /= 3)
            assert_int_equal(edge_schedule_due(&schedule, index),
                             due_by_definition(&schedule, index));
    }
}

// count(t) is the number of indices whose due time lies before t.
static void count_is_due_turned_around(void **state)
{
    (void)state;
    for (size_t r = 0; r < RATES; r++) {
        for (uint64_t thread = 0; thread < 3; thread++) {
            struct edge_schedule schedule = {
                .start_ns = 1000, .rate = rates[r], .threads = 3, .thread = thread};
            for (uint64_t index = 0; index < 2000; index++) {
                uint64_t due_ns = edge_schedule_due(&schedule, index);
                assert_true(edge_schedule_count(&schedule, due_ns) <= index);
                assert_true(edge_schedule_count(&schedule, due_ns + 1) > index);
            }
            assert_int_equal(edge_schedule_count(&schedule, 0), 0);
            assert_int_equal(edge_schedule_count(&schedule, 1000), 0);
        }
    }
}

// Over whole seconds all threads together have exactly the rate, evenly spread.
static void threads_share_one_schedule(void **state)
{
    (void)state;
    for (uint64_t threads = 1; threads <= 5; threads++) {
        uint64_t sum = 0;
        for (uint64_t thread = 0; thread < threads; thread++) {
            struct edge_schedule schedule = {
                .start_ns = 0, .rate = 1001, .threads = threads, .thread = thread};
            uint64_t share = edge_schedule_count(&schedule, 10 * EDGE_NS_PER_S);
            assert_true(share >= 10010 / threads && share <= 10010 / threads + 1);
            sum += share;
            assert_int_equal(edge_schedule_due(&schedule, 0), thread * EDGE_NS_PER_S / 1001);
        }
        assert_int_equal(sum, 10010);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due_is_exact_over_long_runs),
        cmocka_unit_test(count_is_due_turned_around),
        cmocka_unit_test(threads_share_one_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
