#include "cmocka_headers.h"

#include <stdlib.h>

#include "base/histogram.h"

// A small generator of its own, so that the sequence is the same everywhere.
static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 11;
}

static void bins_cover_every_value_without_gap(void **state)
{
    (void)state;
    uint64_t expected_low = 0;
    for (size_t bin = 0; bin < EDGE_HISTOGRAM_BINS; bin++) {
        uint64_t low = edge_histogram_bin_low(bin);
        uint64_t high = edge_histogram_bin_high(bin);
        assert_true(low == expected_low);
        assert_int_equal(edge_histogram_bin(low), bin);
        assert_int_equal(edge_histogram_bin(high), bin);
        assert_true((high - low) * 1000 <= high); // 0.1 %
        expected_low = high + 1;
    }
    assert_true(expected_low == EDGE_HISTOGRAM_MAX);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Nearest rank on the sorted values themselves, by whole numbers, is the independent answer.
static void percentiles_are_within_a_bin_of_the_truth(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static uint64_t values[COUNT];
    static const uint64_t hundredths[] = {0, 100, 1000, 5000, 9000, 9500, 9900, 9990, 9999, 10000};
    struct edge_histogram histogram;
    uint64_t seed = 7;
    assert_int_equal(edge_histogram_init(&histogram), 0);
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = next_random(&seed) >> (next_random(&seed) % 40 + 13);
        edge_histogram_record(&histogram, values[i]);
    }
    qsort(values, COUNT, sizeof(values[0]), compare);
    for (size_t i = 0; i < sizeof(hundredths) / sizeof(hundredths[0]); i++) {
        size_t rank = (size_t)(hundredths[i] * COUNT + 9999) / 10000;
        uint64_t truth = values[rank > 0 ? rank - 1 : 0];
        uint64_t found = edge_histogram_percentile(&histogram, (double)hundredths[i] / 100);
        assert_true(found >= truth);
        assert_true(found - truth <= truth / 1000 + 1);
    }
    assert_true(histogram.min == values[0]);
    assert_true(edge_histogram_percentile(&histogram, 100) == values[COUNT - 1]);
    edge_histogram_free(&histogram);
    edge_histogram_free(&histogram);
}

// Of 1000 different values the 999th, though 99.9 as a double is more than 99.9.
static void percents_are_the_decimals_that_they_look_like(void **state)
{
    (void)state;
    static const struct {
        double percent;
        uint64_t per_100000; // the same
    } rows[] = {{0, 0},         {1, 1000},      {50, 50000},     {75, 75000},   {90, 90000},
                {95, 95000},    {97.5, 97500},  {99, 99000},     {99.5, 99500}, {99.9, 99900},
                {99.95, 99950}, {99.99, 99990}, {99.999, 99999}, {100, 100000}};
    struct edge_histogram histogram;
    assert_int_equal(edge_histogram_init(&histogram), 0);
    for (uint64_t count = 1; count <= 2000; count++) { // below 2048 bins are exact
        edge_histogram_record(&histogram, count);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            uint64_t rank = (rows[i].per_100000 * count + 99999) / 100000;
            assert_int_equal(edge_histogram_percentile(&histogram, rows[i].percent),
                             rank > 0 ? rank : 1);
        }
    }
    edge_histogram_free(&histogram);
}

static void merging_equals_recording_everything(void **state)
{
    (void)state;
    struct edge_histogram all;
    struct edge_histogram parts[3];
    uint64_t seed = 1;
    assert_int_equal(edge_histogram_init(&all), 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(edge_histogram_init(&parts[i]), 0);
    for (size_t i = 0; i < 3000; i++) {
        uint64_t value = next_random(&seed) >> 20;
        edge_histogram_record(&all, value);
        edge_histogram_record(&parts[i % 2], value); // the third stays empty
    }
    edge_histogram_merge(&parts[2], &parts[0]);
    edge_histogram_merge(&parts[2], &parts[1]);
    assert_true(parts[2].count == all.count && parts[2].sum == all.sum);
    assert_true(parts[2].min == all.min && parts[2].max == all.max);
    assert_memory_equal(parts[2].bins, all.bins, EDGE_HISTOGRAM_BINS * sizeof(all.bins[0]));
    for (size_t i = 0; i < 3; i++)
        edge_histogram_free(&parts[i]);
    edge_histogram_free(&all);
}

static void empty_is_zero_and_large_is_clamped(void **state)
{
    (void)state;
    struct edge_histogram histogram;
    assert_int_equal(edge_histogram_init(&histogram), 0);
    assert_true(edge_histogram_percentile(&histogram, 50) == 0);
    assert_true(edge_histogram_mean(&histogram) == 0.0);
    edge_histogram_record(&histogram, UINT64_MAX / 2);
    assert_int_equal(histogram.clamped, 1);
    assert_true(histogram.max == UINT64_MAX / 2);
    edge_histogram_reset(&histogram);
    assert_int_equal(histogram.count, 0);
    edge_histogram_record(&histogram, 10);
    edge_histogram_record(&histogram, 20);
    assert_true(edge_histogram_mean(&histogram) == 15.0);
    edge_histogram_free(&histogram);
}

// Many bounds at once are the same as one after the other.
static void bounds_by_arithmetic(void **state)
{
    (void)state;
    struct edge_histogram one_by_one, at_once;
    assert_int_equal(edge_histogram_init(&one_by_one), 0);
    assert_int_equal(edge_histogram_init(&at_once), 0);
    const struct {
        uint64_t low, step, count;
    } runs[] = {{7, 1, 1}, {5000000, 10, 100}, {EDGE_HISTOGRAM_MAX, 1000000, 5}};
    for (size_t i = 0; i < 3; i++) {
        uint64_t high = runs[i].low + runs[i].step * (runs[i].count - 1);
        assert_true(edge_histogram_segment_low(high) <= runs[i].low);
        for (uint64_t k = 0; k < runs[i].count; k++)
            edge_histogram_record_bound(&one_by_one, runs[i].low + runs[i].step * k);
        edge_histogram_record_bounds(&at_once, runs[i].low, high, runs[i].count);
    }
    assert_int_equal(at_once.count, 106);
    assert_int_equal(at_once.censored, 106);
    assert_int_equal(one_by_one.censored, 106);
    assert_int_equal(at_once.clamped, 5);
    assert_int_equal(at_once.min, 7);
    assert_int_equal(at_once.max, one_by_one.max);
    assert_int_equal(at_once.sum, one_by_one.sum);
    assert_memory_equal(at_once.bins, one_by_one.bins, EDGE_HISTOGRAM_BINS * sizeof(uint64_t));

    // A sum that no record could hold stays at the highest that can, also when merged.
    edge_histogram_record_bounds(&at_once, UINT64_C(1) << 39, UINT64_C(1) << 39, UINT64_C(1) << 30);
    assert_true(at_once.sum == INT64_MAX);
    edge_histogram_merge(&at_once, &one_by_one);
    assert_true(at_once.sum == INT64_MAX);
    assert_int_equal(at_once.censored, 212 + (UINT64_C(1) << 30));
    edge_histogram_free(&one_by_one);
    edge_histogram_free(&at_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_cover_every_value_without_gap),
        cmocka_unit_test(percentiles_are_within_a_bin_of_the_truth),
        cmocka_unit_test(percents_are_the_decimals_that_they_look_like),
        cmocka_unit_test(merging_equals_recording_everything),
        cmocka_unit_test(empty_is_zero_and_large_is_clamped),
        cmocka_unit_test(bounds_by_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
