#include "cmocka_headers.h"

#include "base/clock.h"
#include "load/pacer.h"
#include "net/loop.h"

#define MS EDGE_NS_PER_MS

static struct edge_shape rates;

// As a plan does.
static void init(struct edge_pacer *pacer, const struct edge_load_config *config, uint64_t thread,
                 uint64_t threads, uint64_t start_ns)
{
    struct edge_shape_config shape = config->rates;
    if (shape.kind == EDGE_SHAPE_CONST)
        shape.start = config->rate;
    edge_shape_free(&rates);
    if (config->rate > 0)
        assert_int_equal(edge_shape_init(&rates, &shape, config->warmup_ns, "load", NULL), 0);
    edge_pacer_init(pacer, config, &rates, thread, threads, start_ns);
}

static void closed_loop_by_time(void **state)
{
    (void)state;
    struct edge_load_config config = {.warmup_ns = 10 * MS, .duration_ns = 20 * MS};
    struct edge_pacer pacer;
    bool counted;
    init(&pacer, &config, 0, 1, 100 * MS);
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
    init(&pacer, &config, 0, 1, 100 * MS);
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
        init(&pacer, &config, thread, 3, 0);
        assert_true(edge_pacer_ready(&pacer, 5 * MS)); // warm-up is not counted
        edge_pacer_take(&pacer, 5 * MS, &counted);
        while (edge_pacer_ready(&pacer, 10 * MS))
            edge_pacer_take(&pacer, 10 * MS, &counted);
        sum += edge_pacer_due(&pacer);
    }
    assert_int_equal(sum, 5);
    config.total = 1;
    init(&pacer, &config, 1, 3, 0);
    assert_true(pacer.stopped); // nothing for this thread to do
}

static void open_loop_never_shifts(void **state)
{
    (void)state;
    struct edge_load_config config = {
        .rate = 1000, .warmup_ns = 2 * MS, .duration_ns = 8 * MS}; // due at 0, 1, ... 9 ms
    struct edge_pacer pacer;
    bool counted;
    init(&pacer, &config, 0, 1, 0);
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
    init(&pacer, &config, 0, 1, 0);
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
    init(&pacer, &config, 0, 1, 0);
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
    init(&pacer, &config, 0, 1, 0);
    edge_pacer_stop(&pacer, 10 * MS);
    assert_int_equal(edge_pacer_due(&pacer), 0);
    assert_int_equal(edge_pacer_unsent(&pacer), 0);
}

static void expect_unsent(const struct edge_pacer *pacer);

// The first calls are load, but not in the window, which begins when they have started.
static void some_calls_are_skipped(void **state)
{
    (void)state;
    struct edge_load_config config = {.skip = 4, .total = 3};
    struct edge_pacer pacer;
    bool counted;
    init(&pacer, &config, 0, 1, 0);
    for (uint64_t i = 1; i <= 7; i++) {
        assert_true(edge_pacer_ready(&pacer, i * MS));
        edge_pacer_take(&pacer, i * MS, &counted);
        assert_int_equal(counted, i > 4);
    }
    assert_int_equal(pacer.window_start_ns, 4 * MS);
    assert_false(edge_pacer_ready(&pacer, 8 * MS));
    assert_int_equal(edge_pacer_due(&pacer), 3);

    config.rate = 1000;
    init(&pacer, &config, 0, 1, 0);
    unsigned taken = 0;
    for (; edge_pacer_ready(&pacer, 100 * MS); taken++)
        edge_pacer_take(&pacer, 100 * MS, &counted);
    assert_int_equal(taken, 7);
    assert_int_equal(pacer.window_start_ns, 4 * MS);

    // Fewer calls were due than are to be skipped: there was no window.
    config.total = 0;
    config.duration_ns = 2 * MS;
    init(&pacer, &config, 0, 1, 0);
    while (edge_pacer_ready(&pacer, 2 * MS))
        edge_pacer_take(&pacer, 2 * MS, &counted);
    assert_int_equal(edge_pacer_due(&pacer), 0);
    assert_int_equal(pacer.window_start_ns, EDGE_LOOP_FOREVER);
}

// Whichever comes first: the number of calls or the longest duration.
static void total_has_a_deadline(void **state)
{
    (void)state;
    struct edge_load_config config = {.total = 5, .max_duration_ns = 10 * MS};
    struct edge_pacer pacer;
    bool counted;
    init(&pacer, &config, 0, 1, 0);
    assert_int_equal(edge_pacer_next(&pacer), 10 * MS);
    for (int i = 0; i < 3; i++)
        edge_pacer_take(&pacer, MS, &counted);
    assert_true(edge_pacer_ready(&pacer, 9 * MS));
    assert_false(edge_pacer_ready(&pacer, 11 * MS));
    assert_int_equal(pacer.window_stop_ns, 10 * MS);
    assert_int_equal(edge_pacer_due(&pacer), 3);

    config.rate = 400; // due at 0, 2.5, 5, 7.5 ms
    init(&pacer, &config, 0, 1, 0);
    edge_pacer_take(&pacer, 0, &counted);
    assert_false(edge_pacer_ready(&pacer, 30 * MS));
    assert_int_equal(edge_pacer_due(&pacer), 4);
    assert_int_equal(edge_pacer_unsent(&pacer), 3);
    expect_unsent(&pacer);
}

static void poisson_by_total(void **state)
{
    (void)state;
    struct edge_load_config config = {
        .rate = 1000, .total = 1000, .warmup_ns = 50 * MS, .poisson = true, .seed = 7};
    struct edge_pacer pacer;
    bool counted;
    uint64_t before_ns = 0, warm = 0;
    init(&pacer, &config, 0, 1, 0);
    while (edge_pacer_ready(&pacer, 3600 * EDGE_NS_PER_S)) {
        uint64_t due_ns = edge_pacer_take(&pacer, 3600 * EDGE_NS_PER_S, &counted);
        assert_true(due_ns >= before_ns);
        assert_int_equal(counted, due_ns >= 50 * MS);
        warm += !counted;
        before_ns = due_ns;
    }
    assert_int_equal(edge_pacer_due(&pacer), 1000);
    assert_true(warm > 10 && warm < 150); // 50 on average
}

// What stands in the histogram is what a walk over the unsent calls would have counted.
static void expect_unsent(const struct edge_pacer *pacer)
{
    struct edge_histogram found, expected;
    assert_int_equal(edge_histogram_init(&found), 0);
    assert_int_equal(edge_histogram_init(&expected), 0);
    struct edge_schedule schedule = pacer->schedule;
    uint64_t left = pacer->total > 0 ? pacer->total - pacer->taken : UINT64_MAX;
    for (; pacer->open_loop && left > 0 && schedule.due_ns < pacer->window_stop_ns;
         edge_schedule_next(&schedule)) {
        if (schedule.due_ns < pacer->window_start_ns)
            continue;
        edge_histogram_record_bound(&expected, pacer->window_stop_ns - schedule.due_ns);
        left--;
    }
    edge_pacer_record_unsent(pacer, &found);
    assert_int_equal(found.count, edge_pacer_unsent(pacer));
    assert_int_equal(found.count, expected.count);
    assert_int_equal(found.censored, expected.censored);
    assert_int_equal(found.clamped, expected.clamped);
    assert_int_equal(found.min, expected.min);
    assert_int_equal(found.max, expected.max);
    uint64_t off = found.sum > expected.sum ? found.sum - expected.sum : expected.sum - found.sum;
    // Within a bin they are taken for evenly spread, as they are at a constant rate.
    bool even = !pacer->schedule.poisson && rates.count <= 1;
    assert_true(off <= (even ? found.count : expected.sum / 1000));
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
            init(&pacer, &config, thread, 3, 12345);
            for (uint64_t k = 0; k < cases[i].taken && pacer.schedule.due_ns < pacer.window_stop_ns;
                 k++)
                edge_pacer_take(&pacer, pacer.schedule.due_ns, &counted);
            expect_unsent(&pacer);
            if (cases[i].duration_ns * cases[i].rate > EDGE_NS_PER_S * 1000000)
                continue;
            config.poisson = true;
            init(&pacer, &config, thread, 3, 12345);
            expect_unsent(&pacer);
        }
    }
    // The rate changes while calls wait.
    struct edge_load_config steps = {.rate = 100,
                                     .warmup_ns = 20 * MS,
                                     .duration_ns = 100 * MS,
                                     .rates = {.kind = EDGE_SHAPE_STEP,
                                               .start = 100,
                                               .end = 900,
                                               .step = 333,
                                               .step_duration_ns = 11 * MS}};
    for (uint64_t thread = 0; thread < 3; thread++) {
        init(&pacer, &steps, thread, 3, 777);
        expect_unsent(&pacer);
    }
    // Stopped early, by time or by number; and a closed loop, where none is ever unsent.
    struct edge_load_config config = {.rate = 1000, .total = 100};
    init(&pacer, &config, 0, 1, 0);
    edge_pacer_stop(&pacer, 50 * MS);
    assert_int_equal(edge_pacer_unsent(&pacer), 50);
    expect_unsent(&pacer);
    config.rate = 0;
    init(&pacer, &config, 0, 1, 0);
    expect_unsent(&pacer);
}

// A load of 1e9 calls per second over an hour leaves 3.6e12: counted without a walk.
static void unsent_calls_without_number(void **state)
{
    (void)state;
    struct edge_pacer pacer;
    struct edge_histogram response;
    struct edge_load_config config = {.rate = EDGE_SHAPE_VALUE_MAX,
                                      .duration_ns = 3600 * EDGE_NS_PER_S};
    assert_int_equal(edge_histogram_init(&response), 0);
    init(&pacer, &config, 0, 1, 0);
    edge_pacer_record_unsent(&pacer, &response);
    assert_int_equal(response.count, UINT64_C(3600000000000));
    assert_int_equal(response.max, config.duration_ns);
    uint64_t median = edge_histogram_percentile(&response, 25);
    assert_true(median >= 900 * EDGE_NS_PER_S && median < 901 * EDGE_NS_PER_S);
    edge_histogram_free(&response);
}

static int free_rates(void **state)
{
    (void)state;
    edge_shape_free(&rates);
    return 0;
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
        cmocka_unit_test(some_calls_are_skipped),
        cmocka_unit_test(total_has_a_deadline),
        cmocka_unit_test(poisson_by_total),
        cmocka_unit_test(unsent_calls_waited_until_the_end),
        cmocka_unit_test(unsent_calls_without_number),
    };
    return cmocka_run_group_tests(tests, NULL, free_rates);
}
