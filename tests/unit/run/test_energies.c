#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "run/energies.h"

#define S 1000000000ull

static struct edge_reading readings[100];
static struct edge_meters meters;
static struct edge_measurement measurement;
static struct edge_energies energies;

static void add_span(const char *name, uint64_t percent, uint64_t start_ns, uint64_t stop_ns)
{
    measurement.spans[measurement.span_count++] = (struct edge_measurement_span){
        .name = name, .load_percent = percent, .start_ns = start_ns, .stop_ns = stop_ns};
}

// Idle at 2 W, 5 W from 20 s to 60 s, then 2.2 W.
static int set_up(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100; i++)
        readings[i] = (struct edge_reading){i * S,
                                            i < 20    ? 2000000
                                            : i <= 60 ? 5000000
                                                      : 2200000,
                                            EDGE_READING_NONE};
    meters = (struct edge_meters){.count = 1};
    meters.at[0].readings = readings;
    meters.at[0].count = 100;
    meters.at[0].facts.interval_ns = S;
    meters.at[0].facts.quantum_uj = EDGE_UNMEASURED;
    edge_measurement_init(&measurement, 7);
    measurement.loaded = true;
    measurement.load.window_start_ns = 30 * S;
    measurement.load.window_stop_ns = 50 * S;
    return 0;
}

static void every_span_gets_its_energy(void **state)
{
    (void)state;
    add_span("idle_before", 0, 5 * S, 15 * S);
    add_span("level", 50, 52 * S, 54 * S);
    add_span("idle_after", 0, 70 * S, 80 * S);
    assert_int_equal(edge_energies_compute(&meters, &measurement, &energies), 0);
    assert_int_equal(energies.count, 4);
    const struct edge_record_energy *window = &energies.at[0], *level = &energies.at[2];
    assert_string_equal(window->name, "window");
    assert_int_equal(window->repeat, 7);
    assert_int_equal(window->source, 1);
    assert_int_equal(window->energy_uj, 100000000);
    assert_int_equal(window->idle_uj, 42000000); // 2.1 W: the mean of before and after
    assert_int_equal(level->load_percent, 50);
    assert_int_equal(level->energy_uj, 10000000);
    assert_int_equal(level->idle_uj, 4200000);
    assert_true(energies.at[1].load_percent == EDGE_UNMEASURED);
    assert_int_equal(edge_energies_find(&energies, 52 * S), 10000000);
    assert_true(edge_energies_find(&energies, 53 * S) == EDGE_UNMEASURED);
    assert_true(fabs(energies.idle_drift_percent - 10) < 1e-9);
}

static void without_idle_there_is_no_net(void **state)
{
    (void)state;
    assert_int_equal(edge_energies_compute(&meters, &measurement, &energies), 0);
    assert_int_equal(energies.count, 1);
    assert_true(energies.at[0].idle_uj == EDGE_UNMEASURED);
    assert_true(isnan(energies.idle_drift_percent));
    add_span("idle_before", 0, 5 * S, 15 * S); // one of the two is enough
    assert_int_equal(edge_energies_compute(&meters, &measurement, &energies), 0);
    assert_int_equal(energies.at[0].idle_uj, 40000000);
    assert_true(isnan(energies.idle_drift_percent));
}

static void readings_are_judged(void **state)
{
    (void)state;
    struct edge_readings r;
    edge_readings_init(&r);
    assert_int_equal(edge_energies_compute(&meters, &measurement, &energies), 0);
    edge_energies_judge(&energies, &meters, true, &r);
    assert_int_equal(r.power, EDGE_YES);
    assert_true(r.power_gap_periods == 1);
    assert_true(r.power_lost_percent == 0);
    assert_int_equal(r.power_updates, 0);
    assert_int_equal(r.power_shared, EDGE_YES);
    assert_int_equal(r.power_doubtful, EDGE_NO);

    meters.at[0].count = 40; // it fell silent in the middle
    strcpy(meters.at[0].failure, "tasmota: HTTP status 500");
    strcpy(meters.at[0].facts.warning, "half of it");
    edge_readings_init(&r);
    assert_int_equal(edge_energies_compute(&meters, &measurement, &energies), 0);
    assert_true(energies.at[0].energy_uj == EDGE_UNMEASURED);
    edge_energies_judge(&energies, &meters, false, &r);
    assert_int_equal(r.power, EDGE_NO);
    assert_string_equal(r.power_why, "tasmota: HTTP status 500");
    assert_true(isnan(r.power_gap_periods));
    assert_string_equal(r.power_doubt, "half of it");
    assert_int_equal(r.power_shared, EDGE_NO);

    meters.count = 0;
    strcpy(meters.why, "hwmon: no sensor");
    edge_readings_init(&r);
    assert_int_equal(edge_energies_compute(&meters, &measurement, &energies), 0);
    edge_energies_judge(&energies, &meters, true, &r);
    assert_int_equal(r.power, EDGE_UNKNOWN);
    assert_string_equal(r.power_why, "hwmon: no sensor");
    assert_int_equal(r.power_shared, EDGE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_span_gets_its_energy, set_up),
        cmocka_unit_test_setup(without_idle_there_is_no_net, set_up),
        cmocka_unit_test_setup(readings_are_judged, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
