#include "cmocka_headers.h"

#include "base/clock.h"
#include "load/pacer.h"
#include "net/loop.h"

#define MS EDGE_NS_PER_MS

static void closed_loop_by_time(void **state)
{
    (void)state;
    struct edge_load_config config = {.warmup_ns = 10 * MS, .duration_ns = 20 * MS};
    struct edge_pacer pacer;
    bool counted;
    edge_pacer_init(&pacer, &config, 0, 1, 100 * MS);
    assert_true(edge_pacer_ready(&pacer, 100 * MS));
    assert_int_equal(edge_pacer_take(&pacer, 101 * MS, &counted), 101 * MS);
    assert_false(counted);
    assert_true(edge_pacer_ready(&pacer, 110 * MS));
    edge_pacer_take(&pacer, 110 * MS, &counted);
    assert_true(counted);
    assert_int_equal(edge_pacer_next(&pacer), 130 * MS);
    assert_false(edge_pacer_ready(&pacer, 130 * MS));
    assert_true(pacer.stopped);
    assert_int_equal(edge_pacer_next(&pacer), EDGE_LOOP_FOREVER);
    assert_int_equal(edge_pacer_due(&pacer), 1);
    assert_int_equal(edge_pacer_unsent(&pacer), 0);
}

static void idle_until_the_window_ends(void **state)
{
    (void)state;
    struct edge_load_config config = {.idle = true, .duration_ns = 20 * MS};
    struct edge_pacer pacer;
    edge_pacer_init(&pacer, &config, 0, 1, 100 * MS);
    assert_false(edge_pacer_ready(&pacer, 100 * MS));
    assert_false(pacer.stopped);
    assert_int_equal(edge_pacer_next(&pacer), 120 * MS);
    assert_false(edge_pacer_ready(&pacer, 120 * MS));
    assert_true(pacer.stopped);
    assert_int_equal(edge_pacer_due(&pacer), 0);
}

static void closed_loop_by_total(void **state)
{
    (void)state;
    struct edge_load_config config = {.warmup_ns = 10 * MS, .total = 5};
    struct edge_pacer pacer;
    bool counted;
    uint64_t sum = 0;
    for (uint64_t thread = 0; thread < 3; thread++) {
        edge_pacer_init(&pacer, &config, thread, 3, 0);
        assert_true(edge_pacer_ready(&pacer, 5 * MS)); // warm-up is not counted
        edge_pacer_take(&pacer, 5 * MS, &counted);
        while (edge_pacer_ready(&pacer, 10 * MS))
            edge_pacer_take(&pacer, 10 * MS, &counted);
        sum += edge_pacer_due(&pacer);
    }
    assert_int_equal(sum, 5);
    config.total = 1;
    edge_pacer_init(&pacer, &config, 1, 3, 0);
    assert_true(pacer.stopped); // nothing for this thread to do
}

static void open_loop_never_shifts(void **state)
{
    (void)state;
    struct edge_load_config config = {
        .rate = 1000, .warmup_ns = 2 * MS, .duration_ns = 8 * MS}; // due at 0, 1, ... 9 ms
    struct edge_pacer pacer;
    bool counted;
    edge_pacer_init(&pacer, &config, 0, 1, 0);
    assert_true(edge_pacer_ready(&pacer, 0));
    assert_int_equal(edge_pacer_take(&pacer, 0, &counted), 0);
    assert_false(counted);
    assert_false(edge_pacer_ready(&pacer, MS - 1));
    assert_int_equal(edge_pacer_next(&pacer), MS);
    // A stall of six milliseconds: all that was due comes at once, with its own due time.
    for (uint64_t i = 1; i <= 7; i++) {
        assert_true(edge_pacer_ready(&pacer, 7 * MS));
        assert_int_equal(edge_pacer_take(&pacer, 7 * MS, &counted), i * MS);
        assert_int_equal(counted, i >= 2);
    }
    assert_false(edge_pacer_ready(&pacer, 7 * MS));
    // 8 and 9 never start.
    assert_false(edge_pacer_ready(&pacer, 10 * MS));
    assert_int_equal(edge_pacer_due(&pacer), 8);
    assert_int_equal(edge_pacer_unsent(&pacer), 2);
    assert_int_equal(pacer.taken, 6);
}

static void open_loop_by_total(void **state)
{
    (void)state;
    struct edge_load_config config = {.rate = 1000, .warmup_ns = 2 * MS, .total = 3};
    struct edge_pacer pacer;
    bool counted;
    edge_pacer_init(&pacer, &config, 0, 1, 0);
    unsigned taken = 0;
    for (; edge_pacer_ready(&pacer, 100 * MS); taken++)
        edge_pacer_take(&pacer, 100 * MS, &counted);
    assert_int_equal(taken, 2 + 3);
    assert_int_equal(edge_pacer_due(&pacer), 3);
    assert_int_equal(edge_pacer_unsent(&pacer), 0);
}

static void stopped_early(void **state)
{
    (void)state;
    struct edge_load_config config = {.rate = 1000, .duration_ns = 100 * MS};
    struct edge_pacer pacer;
    bool counted;
    edge_pacer_init(&pacer, &config, 0, 1, 0);
    for (int i = 0; i < 4; i++)
        edge_pacer_take(&pacer, 3 * MS, &counted);
    edge_pacer_stop(&pacer, 10 * MS);
    assert_false(edge_pacer_ready(&pacer, 10 * MS));
    assert_int_equal(pacer.window_stop_ns, 10 * MS);
    assert_int_equal(edge_pacer_due(&pacer), 10);
    assert_int_equal(edge_pacer_unsent(&pacer), 6);
    edge_pacer_stop(&pacer, 50 * MS); // later: no change
    assert_int_equal(edge_pacer_due(&pacer), 10);

    // In warm-up: nothing was due.
    config.warmup_ns = 50 * MS;
    edge_pacer_init(&pacer, &config, 0, 1, 0);
    edge_pacer_stop(&pacer, 10 * MS);
    assert_int_equal(edge_pacer_due(&pacer), 0);
    assert_int_equal(edge_pacer_unsent(&pacer), 0);
}

// What stands in the histogram is what a walk over the unsent calls would have counted.
static void expect_unsent(const struct edge_pacer *pacer)
{
    struct edge_histogram found, expected;
    assert_int_equal(edge_histogram_init(&found), 0);
    assert_int_equal(edge_histogram_init(&expected), 0);
    uint64_t from = pacer->next > pacer->first ? pacer->next : pacer->first;
    for (uint64_t i = from; i < pacer->limit; i++)
        edge_histogram_record_bound(&expected,
                                    pacer->window_stop_ns - edge_schedule_due(&pacer->schedule, i));
    edge_pacer_record_unsent(pacer, &found);
    assert_int_equal(found.count, edge_pacer_unsent(pacer));
    assert_int_equal(found.count, expected.count);
    assert_int_equal(found.censored, expected.censored);
    assert_int_equal(found.clamped, expected.clamped);
    assert_int_equal(found.min, expected.min);
    assert_int_equal(found.max, expected.max);
    uint64_t off = found.sum > expected.sum ? found.sum - expected.sum : expected.sum - found.sum;
    assert_true(off <= found.count);
    assert_memory_equal(found.bins, expected.bins, EDGE_HISTOGRAM_BINS * sizeof(uint64_t));
    edge_histogram_free(&found);
    edge_histogram_free(&expected);
}

static void unsent_calls_waited_until_the_end(void **state)
{
    (void)state;
    struct edge_pacer pacer;
    bool counted;
    const struct {
        uint64_t rate, warmup_ns, duration_ns, taken;
    } cases[] = {
        {1000, 2 * MS, 8 * MS, 8},     {1000, 0, 100 * MS, 0},    {777, 10 * MS, 3000 * MS, 1},
        {1000000, MS, 50 * MS, 30000}, {333333, 0, 200 * MS, 17}, {1000000000, 0, MS, 5},
        {1000, 0, 10 * MS, 10},        {1, 0, 1200000 * MS, 1}, // waits above the last bin
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (uint64_t thread = 0; thread < 3; thread++) {
            struct edge_load_config config = {.rate = cases[i].rate,
                                              .warmup_ns = cases[i].warmup_ns,
                                              .duration_ns = cases[i].duration_ns};
            edge_pacer_init(&pacer, &config, thread, 3, 12345);
            for (uint64_t k = 0; k < cases[i].taken && pacer.next < pacer.limit; k++)
                edge_pacer_take(&pacer, pacer.next_due_ns, &counted);
            expect_unsent(&pacer);
        }
    }
    // Stopped early, by time or by number; and a closed loop, where none is ever unsent.
    struct edge_load_config config = {.rate = 1000, .total = 100};
    edge_pacer_init(&pacer, &config, 0, 1, 0);
    edge_pacer_stop(&pacer, 50 * MS);
    assert_int_equal(edge_pacer_unsent(&pacer), 50);
    expect_unsent(&pacer);
    config.rate = 0;
    edge_pacer_init(&pacer, &config, 0, 1, 0);
    expect_unsent(&pacer);
}

// A load of 1e9 calls per second over an hour leaves 3.6e12: counted without a walk.
static void unsent_calls_without_number(void **state)
{
    (void)state;
    struct edge_pacer pacer;
    struct edge_histogram response;
    struct edge_load_config config = {.rate = EDGE_SCHEDULE_RATE_MAX,
                                      .duration_ns = 3600 * EDGE_NS_PER_S};
    assert_int_equal(edge_histogram_init(&response), 0);
    edge_pacer_init(&pacer, &config, 0, 1, 0);
    edge_pacer_record_unsent(&pacer, &response);
    assert_int_equal(response.count, UINT64_C(3600000000000));
    assert_int_equal(response.max, config.duration_ns);
    uint64_t median = edge_histogram_percentile(&response, 25);
    assert_true(median >= 900 * EDGE_NS_PER_S && median < 901 * EDGE_NS_PER_S);
    edge_histogram_free(&response);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_loop_by_time),
        cmocka_unit_test(idle_until_the_window_ends),
        cmocka_unit_test(closed_loop_by_total),
        cmocka_unit_test(open_loop_never_shifts),
        cmocka_unit_test(open_loop_by_total),
        cmocka_unit_test(stopped_early),
        cmocka_unit_test(unsent_calls_waited_until_the_end),
        cmocka_unit_test(unsent_calls_without_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
