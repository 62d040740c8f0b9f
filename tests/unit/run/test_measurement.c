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

static void sample_with(struct edge_measurement *m, uint64_t t_ns, uint64_t bits,
                        uint64_t temperature, uint64_t online)
{
    struct edge_agent_sample sample;
    edge_agent_sample_init(&sample);
    sample.t_ns = t_ns;
    sample.throttle_bits = bits;
    sample.temperature_millicelsius = temperature;
    sample.cpus_online = online;
    sample.requested_hz = 1800;
    sample.measured_hz = t_ns;
    assert_int_equal(edge_measurement_add(m, &sample), 0);
}

static struct edge_measurement on_a_board(uint64_t bits_at_first)
{
    struct edge_measurement m;
    edge_measurement_init(&m, 1);
    m.ready = m.loaded = true;
    m.idle.throttle_bits = bits_at_first;
    m.window_start.t_ns = 1000;
    m.window_start.temperature_millicelsius = 50000;
    m.window_start.cpus_online = 4;
    m.window_start.machine_steal_ns = 5;
    m.window_start.swap_bytes = 100;
    m.window_start.cpu_pressure_ns = 7;
    m.window_stop.t_ns = 2000;
    m.window_stop.machine_steal_ns = 8;
    m.window_stop.swap_bytes = 90;
    m.window_stop.cpu_pressure_ns = 9;
    return m;
}

static void a_board_in_figures(void **state)
{
    (void)state;
    struct edge_window_figures figures;
    struct edge_measurement m = on_a_board(0);
    sample_with(&m, 500, 0, 90000, 1); // before the window
    sample_with(&m, 1200, 0, 61000, 4);
    sample_with(&m, 1400, 0, 60000, 3);
    edge_measurement_figures(&m, true, &figures);
    assert_int_equal(figures.temperature_start_millicelsius, 50000);
    assert_int_equal(figures.temperature_max_millicelsius, 61000);
    assert_int_equal(figures.requested_hz, 1800);
    assert_int_equal(figures.measured_hz, 1300);
    assert_int_equal(figures.throttle_bits, 0);
    assert_int_equal(figures.cpus_lost, 1);
    assert_int_equal(figures.steal_ns, 3);
    assert_int_equal(figures.swap_bytes, 0); // it shrank
    assert_int_equal(figures.cpu_pressure_ns, 2);
    assert_true(figures.io_pressure_ns == EDGE_UNMEASURED);
    edge_measurement_free(&m);
}

// What happened before says nothing; what rises, or is set for one sample, does.
static void throttling_during_the_repeat(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, then, found;
    } cases[] = {
        {0x50000, 0x50000, 0},   // some time since boot
        {0x50000, 0x50005, 0x5}, // now, too
        {0x0, 0x50000, 0x50000}, // between two samples
        {0x10000, 0x50000, 0x40000},   {EDGE_UNMEASURED, EDGE_UNMEASURED, EDGE_UNMEASURED},
        {EDGE_UNMEASURED, 0x50000, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_window_figures figures;
        struct edge_measurement m = on_a_board(cases[i].first);
        sample_with(&m, 1200, cases[i].then, 0, 4);
        edge_measurement_figures(&m, true, &figures);
        assert_true(figures.throttle_bits == cases[i].found);
        edge_measurement_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_come_from_the_two_marks),
        cmocka_unit_test(only_samples_of_the_window_count),
        cmocka_unit_test(ticks_may_lag_behind),
        cmocka_unit_test(what_is_missing_is_unmeasured),
        cmocka_unit_test(a_clock_step_shows),
        cmocka_unit_test(a_board_in_figures),
        cmocka_unit_test(throttling_during_the_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
