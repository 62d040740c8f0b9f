#include "cmocka_headers.h"

#include <math.h>

#include "base/clock.h"
#include "load/schedule.h"

static struct edge_shape constant(uint64_t rate)
{
    struct edge_shape shape;
    struct edge_shape_config config = {.start = rate};
    assert_int_equal(edge_shape_init(&shape, &config, 0, "load", NULL), 0);
    return shape;
}

// Skipping is walking, in one step.
static void skip_is_many_times_next(void **state)
{
    (void)state;
    static const uint64_t rates[] = {1, 7, 1000, 333333};
    for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
        struct edge_shape shape = constant(rates[r]);
        for (uint64_t thread = 0; thread < 3; thread++) {
            struct edge_schedule walked, skipped;
            edge_schedule_init(&walked, &shape, 1000, thread, 3);
            skipped = walked;
            for (uint64_t step = 1; step < 60; step++) {
                uint64_t until_ns = 1000 + step * step * 1234567;
                uint64_t last_ns = 5, last_walked_ns = 5, count = 0;
                for (; walked.due_ns < until_ns && count < 40; count++) {
                    last_walked_ns = walked.due_ns;
                    edge_schedule_next(&walked);
                }
                assert_int_equal(edge_schedule_skip(&skipped, until_ns, 40, &last_ns), count);
                assert_int_equal(last_ns, last_walked_ns);
                assert_int_equal(skipped.due_ns, walked.due_ns);
            }
        }
        edge_shape_free(&shape);
    }
}

// Over whole seconds all threads together have exactly the rate, evenly spread.
static void threads_share_one_schedule(void **state)
{
    (void)state;
    struct edge_shape shape = constant(1001);
    for (uint64_t threads = 1; threads <= 5; threads++) {
        uint64_t sum = 0, last_ns;
        for (uint64_t thread = 0; thread < threads; thread++) {
            struct edge_schedule schedule;
            edge_schedule_init(&schedule, &shape, 0, thread, threads);
            assert_int_equal(schedule.due_ns, thread * EDGE_NS_PER_S / 1001);
            uint64_t share =
                edge_schedule_skip(&schedule, 10 * EDGE_NS_PER_S, UINT64_MAX, &last_ns);
            assert_true(share >= 10010 / threads && share <= 10010 / threads + 1);
            sum += share;
        }
        assert_int_equal(sum, 10010);
    }
    edge_shape_free(&shape);
}

// Mean and standard deviation of exponential gaps are the same, and a gap above the mean has the
// probability 1/e. The seed is fixed: this is arithmetic, not luck.
static void poisson_gaps_are_exponential(void **state)
{
    (void)state;
    const int draws = 200000;
    struct edge_shape shape = constant(1000);
    for (uint64_t thread = 0; thread < 2; thread++) {
        struct edge_schedule schedule;
        edge_schedule_init(&schedule, &shape, 0, thread, 2);
        edge_schedule_randomize(&schedule, 42);
        double sum = 0, squares = 0;
        unsigned above = 0;
        for (int i = 0; i < draws; i++) {
            uint64_t before_ns = schedule.due_ns;
            edge_schedule_next(&schedule);
            double gap = (double)(schedule.due_ns - before_ns);
            sum += gap;
            squares += gap * gap;
            above += gap > 2e6;
        }
        double mean = sum / draws;
        assert_true(fabs(mean / 2e6 - 1) < 0.01); // half of 1000 per second
        assert_true(fabs(sqrt(squares / draws - mean * mean) / mean - 1) < 0.02);
        assert_true(fabs((double)above / draws - exp(-1)) < 0.005);
    }
    edge_shape_free(&shape);
}

static void the_seed_makes_the_schedule(void **state)
{
    (void)state;
    struct edge_shape shape = constant(1000);
    struct edge_schedule a, b, other, thread;
    edge_schedule_init(&a, &shape, 0, 0, 2);
    edge_schedule_init(&thread, &shape, 0, 1, 2);
    b = other = a;
    edge_schedule_randomize(&a, 1);
    edge_schedule_randomize(&b, 1);
    edge_schedule_randomize(&other, 2);
    edge_schedule_randomize(&thread, 1);
    unsigned same_other = 0, same_thread = 0;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(a.due_ns, b.due_ns);
        same_other += a.due_ns == other.due_ns;
        same_thread += a.due_ns == thread.due_ns;
        edge_schedule_next(&a);
        edge_schedule_next(&b);
        edge_schedule_next(&other);
        edge_schedule_next(&thread);
    }
    assert_true(same_other < 5 && same_thread < 5);
    edge_shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skip_is_many_times_next),
        cmocka_unit_test(threads_share_one_schedule),
        cmocka_unit_test(poisson_gaps_are_exponential),
        cmocka_unit_test(the_seed_makes_the_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
