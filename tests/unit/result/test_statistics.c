#include "cmocka_headers.h"

#include <math.h>

#include "result/statistics.h"

// The expected figures are Python's (statistics.mean, stdev, median) and a printed table of t.

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("expected %.9g, found %.9g", expected, value);
}

static void known_values(void **state)
{
    (void)state;
    static const double small[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct edge_statistics s;
    assert_int_equal(edge_statistics_compute(small, 8, &s), 0);
    assert_int_equal(s.count, 8);
    near(s.min, 2, 0);
    near(s.max, 9, 0);
    near(s.mean, 5, 0);
    near(s.median, 4.5, 0);
    near(s.deviation, 2.138089935299395, 1e-12);
    near(s.variation, 0.427617987059879, 1e-12);
    near(s.ci95, 2.364624 * 2.138089935299395 / sqrt(8), 1e-4);

    static const double rates[] = {412345, 409876.5, 415001.25, 411000.75, 413210};
    assert_int_equal(edge_statistics_compute(rates, 5, &s), 0);
    near(s.mean, 412286.7, 1e-6);
    near(s.median, 412345, 0);
    near(s.deviation, 1980.365807433061, 1e-6);
    near(s.ci95, 2458.9489217599526, 0.05);
}

static void few_values(void **state)
{
    (void)state;
    static const double one[] = {7};
    struct edge_statistics s;
    assert_int_equal(edge_statistics_compute(one, 1, &s), 0);
    near(s.median, 7, 0);
    near(s.mean, 7, 0);
    assert_true(isnan(s.deviation) && isnan(s.variation) && isnan(s.ci95));
    assert_int_equal(edge_statistics_compute(one, 0, &s), 0);
    assert_int_equal(s.count, 0);
    assert_true(isnan(s.mean) && isnan(s.median) && isnan(s.min) && isnan(s.max));

    static const double zeros[] = {0, 0, 0};
    assert_int_equal(edge_statistics_compute(zeros, 3, &s), 0);
    near(s.deviation, 0, 0);
    assert_true(isnan(s.variation)); // no spread can be told around zero
}

static void input_is_left_alone(void **state)
{
    (void)state;
    double values[] = {3, 1, 2};
    struct edge_statistics s;
    assert_int_equal(edge_statistics_compute(values, 3, &s), 0);
    near(s.median, 2, 0);
    near(values[0], 3, 0);
    near(values[1], 1, 0);
}

static void student(void **state)
{
    (void)state;
    static const struct {
        size_t degrees;
        double t;
    } table[] = {{1, 12.7062},  {2, 4.30265},   {4, 2.77645},   {9, 2.26216},
                 {29, 2.04523}, {30, 2.04227},  {31, 2.03951},  {40, 2.02108},
                 {60, 2.00030}, {120, 1.97993}, {1000, 1.96234}};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        near(edge_statistics_t95(table[i].degrees), table[i].t, 1e-4);
    assert_true(isnan(edge_statistics_t95(0)));
    // Falls without a jump where the table ends.
    for (size_t d = 1; d < 200; d++)
        assert_true(edge_statistics_t95(d) > edge_statistics_t95(d + 1));
}

// The expected intervals are those of an independent program (tests/e2e/test_report.py has one).
static void ratios(void **state)
{
    (void)state;
    static const double base[] = {100, 102, 98};
    static const double other[] = {150, 153, 147, 151};
    struct edge_ratio r = edge_statistics_ratio(base, 3, other, 4);
    near(r.ratio, 1.50254387, 1e-6);
    near(r.low, 1.43594674, 1e-4);
    near(r.high, 1.57222968, 1e-4);
    struct edge_ratio back = edge_statistics_ratio(other, 4, base, 3);
    near(back.ratio * r.ratio, 1, 1e-12);
    near(back.low * r.high, 1, 1e-12);

    static const double same[] = {7, 7, 7};
    r = edge_statistics_ratio(same, 3, same, 2);
    near(r.low, 1, 0); // no spread at all: the interval is a point
    near(r.high, 1, 0);
    r = edge_statistics_ratio(base, 1, other, 4);
    near(r.ratio, 1.50254387, 1e-2);
    assert_true(isnan(r.low) && isnan(r.high));

    static const double bad[][2] = {{0, 1}, {-1, 1}, {(double)NAN, 1}, {(double)INFINITY, 1}};
    for (size_t i = 0; i < 4; i++) {
        r = edge_statistics_ratio(base, 3, bad[i], 2);
        assert_true(isnan(r.ratio) && isnan(r.low));
    }
    r = edge_statistics_ratio(base, 0, other, 4);
    assert_true(isnan(r.ratio));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios),     cmocka_unit_test(known_values),
        cmocka_unit_test(few_values), cmocka_unit_test(input_is_left_alone),
        cmocka_unit_test(student),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
