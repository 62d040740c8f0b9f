#include "cmocka_headers.h"

#include <stdlib.h>

#include "result/record.h"
#include "run/measurement.h"

static struct edge_measurement loaded(void)
{
    struct edge_measurement m;
    edge_measurement_init(&m, 1);
    m.ready = m.loaded = true;
    m.load.thread_count = 2;
    m.load.threads[0].cpu_ns = 30;
    m.load.threads[1].cpu_ns = 20;
    m.window_start = (struct edge_agent_sample){.t_ns = 1000,
                                                .cpu_ns = 100,
                                                .rss_bytes = 10,
                                                .hwm_bytes = 10,
                                                .pss_bytes = EDGE_UNMEASURED,
                                                .machine_busy_ns = 5000};
    m.window_stop = (struct edge_agent_sample){.t_ns = 2000,
                                               .cpu_ns = 400,
                                               .rss_bytes = 40,
                                               .hwm_bytes = 55,
                                               .pss_bytes = 33,
                                               .machine_busy_ns = 5600};
    return m;
}

static void figures_come_from_the_two_marks(void **state)
{
    (void)state;
    struct edge_measurement m = loaded();
    struct edge_window_figures figures;
    edge_measurement_figures(&m, true, &figures);
    assert_int_equal(figures.server_cpu_ns, 300);
    assert_int_equal(figures.client_cpu_ns, 50);
    assert_int_equal(figures.background_cpu_ns, 600 - 300 - 50);
    assert_int_equal(figures.rss_bytes, 25);
    assert_int_equal(figures.peak_bytes, 55);
    assert_int_equal(figures.pss_bytes, 33);
    assert_int_equal(figures.samples, 2);
    assert_true(figures.clock_step_ns == EDGE_UNMEASURED_SIGNED);
    edge_measurement_figures(&m, false, &figures); // the generator is on another machine
    assert_int_equal(figures.background_cpu_ns, 600 - 300);
}

static void only_samples_of_the_window_count(void **state)
{
    (void)state;
    struct edge_measurement m = loaded();
    static const uint64_t at[] = {500, 1000, 1200, 1400, 2000, 2500};
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        struct edge_agent_sample sample;
        edge_agent_sample_init(&sample);
        sample.t_ns = at[i];
        sample.rss_bytes = i == 2 ? 100 : i == 3 ? EDGE_UNMEASURED : 1000000;
        assert_int_equal(edge_measurement_add(&m, &sample), 0);
    }
    assert_int_equal(m.sample_count, 6);
    assert_int_equal(m.samples[5].t_ns, 2500);
    struct edge_window_figures figures;
    edge_measurement_figures(&m, true, &figures);
    assert_int_equal(figures.samples, 3);
    assert_int_equal(figures.rss_bytes, (10 + 40 + 100) / 3);
    free(m.samples);
}

static void ticks_may_lag_behind(void **state)
{
    (void)state;
    struct edge_measurement m = loaded();
    struct edge_window_figures figures;
    m.window_stop.machine_busy_ns = 5010;
    edge_measurement_figures(&m, true, &figures);
    assert_int_equal(figures.background_cpu_ns, 0);
}

static void what_is_missing_is_unmeasured(void **state)
{
    (void)state;
    struct edge_measurement m = loaded();
    struct edge_window_figures figures;
    edge_agent_sample_init(&m.window_stop); // the server died: no mark
    edge_measurement_figures(&m, true, &figures);
    assert_true(figures.server_cpu_ns == EDGE_UNMEASURED);
    assert_true(figures.background_cpu_ns == EDGE_UNMEASURED);
    assert_true(figures.peak_bytes == EDGE_UNMEASURED);
    assert_int_equal(figures.client_cpu_ns, 50);
    edge_measurement_init(&m, 1); // never loaded
    edge_measurement_figures(&m, true, &figures);
    assert_true(figures.client_cpu_ns == EDGE_UNMEASURED);
    assert_true(figures.rss_bytes == EDGE_UNMEASURED);
    assert_int_equal(figures.samples, 0);
}

static void a_clock_step_shows(void **state)
{
    (void)state;
    struct edge_measurement m = loaded();
    struct edge_window_figures figures;
    m.sync_before = (struct edge_agent_sync){.time_ns = 100, .wall_ns = 5100, .round_trip_ns = 1};
    m.sync_after = (struct edge_agent_sync){.time_ns = 900, .wall_ns = 5800, .round_trip_ns = 1};
    edge_measurement_figures(&m, true, &figures);
    assert_int_equal(figures.clock_step_ns, -100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_come_from_the_two_marks),
        cmocka_unit_test(only_samples_of_the_window_count),
        cmocka_unit_test(ticks_may_lag_behind),
        cmocka_unit_test(what_is_missing_is_unmeasured),
        cmocka_unit_test(a_clock_step_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
