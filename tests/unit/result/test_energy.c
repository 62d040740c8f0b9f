// Energies against closed forms.
#include "cmocka_headers.h"

#include <math.h>
#include <stdlib.h>

#include "result/energy.h"

#define S 1000000000ull
#define N 4000

static struct edge_reading readings[N];
static struct edge_energy energy;

static void power_at(size_t i, uint64_t t_ns, double watts)
{
    readings[i] = (struct edge_reading){t_ns, (uint64_t)(watts * 1e6 + 0.5), EDGE_READING_NONE};
}

static void integrate(size_t count, uint64_t interval_ns, uint64_t quantum_uj, uint64_t start_ns,
                      uint64_t stop_ns)
{
    assert_int_equal(
        edge_energy_integrate(readings, count, interval_ns, quantum_uj, start_ns, stop_ns, &energy),
        0);
}

static void near(double joule, double tolerance)
{
    double found = (double)energy.energy_uj / 1e6;
    if (!(fabs(found - joule) <= tolerance))
        fail_msg("expected %.9g J, found %.9g J", joule, found);
}

// Times that stray by up to `part` of their period; the same on every run.
static uint64_t jitter(uint64_t period_ns, double part)
{
    static uint32_t seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return (uint64_t)((double)period_ns * part * (double)seed / 4294967296.0);
}

static void a_constant(void **state)
{
    (void)state;
    for (size_t i = 0; i < 400; i++)
        power_at(i, 5 * S + i * S / 10 + jitter(S / 10, 0.9), 4.2);
    integrate(400, S / 10, 0, 10 * S + 12345, 30 * S + 6789);
    near(4.2 * (20 - 5.556e-6), 1e-6);
    assert_string_equal(energy.method, "trapezoid");
    assert_true(energy.readings >= 199 && energy.readings <= 201);
    assert_int_equal(energy.updates, 0); // it never changed: slow, stuck or steady
    assert_true(energy.lost_percent == 0);
    assert_true(energy.longest_gap_ns < 2 * S / 10);
}

// The trapezoid is exact on a straight line, wherever the readings are and the edges lie.
static void a_ramp(void **state)
{
    (void)state;
    for (size_t i = 0; i < 200; i++) {
        uint64_t t_ns = i * S / 4 + jitter(S / 4, 0.9);
        power_at(i, t_ns, 1 + 0.25 * (double)t_ns / 1e9);
    }
    const double a = 3.3333, b = 41.7;
    integrate(200, S / 4, 0, (uint64_t)(a * 1e9), (uint64_t)(b * 1e9));
    near((b - a) + 0.125 * (b * b - a * a), 1e-4);
    assert_int_equal(energy.updates, energy.readings);
}

static void a_square_wave(void **state)
{
    (void)state;
    // 2 W and 6 W, 0.5 s each; 100 readings a second: an edge is missed by at most one reading.
    for (size_t i = 0; i < N; i++) {
        uint64_t t_ns = i * S / 100 + jitter(S / 100, 0.9);
        power_at(i, t_ns, t_ns / (S / 2) % 2 ? 6 : 2);
    }
    integrate(N, S / 100, 0, 5 * S, 35 * S);
    near(30 * 4.0, 60 * 4 * 0.02 / 2); // 60 edges
    assert_true(energy.updates >= 59 && energy.updates <= 61);
}

static void edges_need_readings_on_both_sides(void **state)
{
    (void)state;
    for (size_t i = 0; i < 10; i++)
        power_at(i, (i + 1) * S, 3);
    integrate(10, S, 0, S, 10 * S);
    near(27, 1e-9);
    integrate(10, S, 0, S - 1, 10 * S);
    assert_true(energy.energy_uj == EDGE_UNMEASURED);
    assert_string_equal(energy.method, "");
    integrate(10, S, 0, S, 10 * S + 1);
    assert_true(energy.energy_uj == EDGE_UNMEASURED);
    integrate(0, S, 0, S, 2 * S);
    assert_true(energy.energy_uj == EDGE_UNMEASURED);
    assert_int_equal(energy.longest_gap_ns, S);
    integrate(1, 0, 0, S, 2 * S); // one reading has no interval either
    assert_true(energy.energy_uj == EDGE_UNMEASURED && isnan(energy.lost_percent));
}

static void gaps_and_losses_are_seen(void **state)
{
    (void)state;
    size_t used = 0;
    for (size_t i = 0; i < 100; i++)
        if (i < 40 || i >= 50) // ten of them are missing
            power_at(used++, i * S, 3 + (double)(i % 2));
    integrate(used, S, 0, 10 * S, 90 * S);
    assert_int_equal(energy.longest_gap_ns, 11 * S);
    assert_int_equal(energy.readings, 71);
    assert_true(fabs(energy.lost_percent - 100 * 8 / 80.0) < 1e-9);
    integrate(used, 0, 0, 10 * S, 90 * S); // the interval as found
    assert_int_equal(energy.interval_ns, S);
    integrate(used, S, 0, 41 * S, 48 * S); // nothing but the gap
    assert_int_equal(energy.readings, 0);
    assert_int_equal(energy.longest_gap_ns, 7 * S);
    assert_true(energy.energy_uj != EDGE_UNMEASURED); // for the rules to refuse
}

static void a_fine_counter_is_believed(void **state)
{
    (void)state;
    // Snapshots always hit 2 W; what lies between them takes the mean to 5 W.
    for (size_t i = 0; i < 100; i++)
        readings[i] = (struct edge_reading){i * S, 2000000, 7000000 + i * 5000000};
    integrate(100, S, 1000, 10 * S + S / 2, 20 * S + S / 2);
    near(50, 1e-9);
    assert_string_equal(energy.method, "counter");
    integrate(100, S, 250001, 10 * S, 20 * S); // above 0.5 % of 50 J
    assert_string_equal(energy.method, "trapezoid");
    near(20, 1e-9);
    integrate(100, S, 250000, 10 * S, 20 * S);
    assert_string_equal(energy.method, "counter");
    readings[15].energy_uj = 0; // it was reset
    integrate(100, S, 1000, 10 * S, 20 * S);
    assert_string_equal(energy.method, "trapezoid");
}

static void a_counter_alone_is_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < 30; i++)
        readings[i] = (struct edge_reading){i * S, EDGE_READING_NONE, i * 3000000};
    integrate(30, S, 1000, 2 * S + S / 4, 20 * S);
    near(3 * 17.75, 1e-9);
    integrate(30, S, 3000000000, 2 * S, 20 * S); // too coarse, and there is nothing else
    assert_true(energy.energy_uj == EDGE_UNMEASURED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant),
        cmocka_unit_test(a_ramp),
        cmocka_unit_test(a_square_wave),
        cmocka_unit_test(edges_need_readings_on_both_sides),
        cmocka_unit_test(gaps_and_losses_are_seen),
        cmocka_unit_test(a_fine_counter_is_believed),
        cmocka_unit_test(a_counter_alone_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
