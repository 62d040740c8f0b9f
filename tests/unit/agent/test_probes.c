// The probes of boards, on trees that show what each board would.
#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/probe_link.h"
#include "agent/probe_pressure.h"
#include "agent/probes.h"

#define BOARD(name) EDGE_DATA_DIR "/boards/" name
#define NONE        EDGE_UNMEASURED

static void sample_of(const char *root, bool mark, struct edge_agent_sample *sample)
{
    struct edge_probes probes;
    edge_probes_init(&probes, root);
    edge_agent_sample_init(sample);
    edge_probes_sample(&probes, mark, sample);
    edge_probes_free(&probes);
    edge_probes_free(&probes);
}

static void each_board_tells_what_it_can(void **state)
{
    (void)state;
    static const struct {
        const char *root, *zone, *throttle;
        uint64_t temperature, requested, measured, bits, online;
    } boards[] = {
        {BOARD("pi-zero-w"), "cpu-thermal", "firmware", 38470, 1000000000, 1000000000, 0, 1},
        {BOARD("pi-4"), "cpu-thermal", "firmware", 48200, 1800000000, 1800404352, 0, 4},
        {BOARD("pi-4-throttled"), "cpu-thermal", "firmware", 83700, 1800000000, 600117184, 0x50005,
         4},
        {BOARD("pi-5"), "cpu-thermal", "firmware", 52850, 2400000000, 2400030464, 0, 4},
        {BOARD("jetson-nano"), "CPU-therm", "", 36500, 1479000000, NONE, NONE, 4},
        {BOARD("jetson-orin-nano"), "cpu-thermal", "", 47343, 1510400000, NONE, NONE, 6},
        {BOARD("n100"), "x86_pkg_temp", "cooling_device", 46000, 3400000000, NONE, 0, 4},
        {BOARD("ucsi-only"), "soc-thermal", "cooling_device", 43461, 1800000000, NONE, 0, 8},
        {BOARD("none"), "", "", NONE, NONE, NONE, NONE, NONE},
    };
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        struct edge_agent_sample sample;
        struct edge_board board = {.cores = 0};
        struct edge_probes probes;
        sample_of(boards[i].root, false, &sample);
        assert_true(sample.temperature_millicelsius == boards[i].temperature);
        assert_true(sample.requested_hz == boards[i].requested);
        assert_true(sample.measured_hz == boards[i].measured);
        assert_true(sample.throttle_bits == boards[i].bits);
        assert_true(sample.cpus_online == boards[i].online);
        assert_true(sample.swap_bytes == NONE); // marks only
        edge_probes_init(&probes, boards[i].root);
        edge_probes_describe(&probes, &board);
        edge_probes_free(&probes);
        assert_string_equal(board.thermal_zone, boards[i].zone);
        assert_string_equal(board.throttle_source, boards[i].throttle);
    }
}

static void marks_carry_more(void **state)
{
    (void)state;
    struct edge_agent_sample sample;
    sample_of(BOARD("pi-4"), true, &sample);
    assert_int_equal(sample.below_max_ns, 2000000000); // 200 x 10 ms at 600 MHz
    assert_int_equal(sample.swap_bytes, 256 * 1024);
    assert_int_equal(sample.cpu_pressure_ns, 12345000);
    assert_int_equal(sample.io_pressure_ns, 12345000);
    sample_of(BOARD("pi-zero-w"), true, &sample); // no PSI in its kernel, no statistics
    assert_true(sample.cpu_pressure_ns == NONE);
    assert_true(sample.below_max_ns == NONE);
}

static void the_policy_is_that_of_the_cpu(void **state)
{
    (void)state;
    struct edge_probe_clock clock;
    edge_probe_clock_init(&clock, BOARD("pi-4"), 3);
    assert_true(edge_probe_clock_requested(&clock) == 1800000000);
    assert_true(edge_probe_clock_cap(&clock) == 1800000000);
    edge_probe_clock_init(&clock, BOARD("pi-4"), 4);
    assert_true(edge_probe_clock_requested(&clock) == NONE);
}

static void links_that_are_up(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(edge_probe_link_text(BOARD("pi-4"), text, sizeof text), "eth0 1000 Mb/s");
    assert_string_equal(edge_probe_link_text(BOARD("pi-zero-w"), text, sizeof text), "wlan0");
    assert_string_equal(edge_probe_link_text(BOARD("none"), text, sizeof text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_board_tells_what_it_can),
        cmocka_unit_test(marks_carry_more),
        cmocka_unit_test(the_policy_is_that_of_the_cpu),
        cmocka_unit_test(links_that_are_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
