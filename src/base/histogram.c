#include "base/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int edge_histogram_init(struct edge_histogram *histogram)
{
    *histogram = (struct edge_histogram){0};
    histogram->bins = calloc(EDGE_HISTOGRAM_BINS, sizeof(*histogram->bins));
    return histogram->bins != NULL ? 0 : -ENOMEM;
}

void edge_histogram_free(struct edge_histogram *histogram)
{
    free(histogram->bins);
    *histogram = (struct edge_histogram){0};
}

void edge_histogram_reset(struct edge_histogram *histogram)
{
    uint64_t *bins = histogram->bins;
    memset(bins, 0, EDGE_HISTOGRAM_BINS * sizeof(*bins));
    *histogram = (struct edge_histogram){.bins = bins};
}

uint64_t edge_histogram_bin_low(size_t bin)
{
    if (bin < 2 * EDGE_HISTOGRAM_HALF)
        return bin;
    size_t shift = bin / EDGE_HISTOGRAM_HALF - 1;
    return (uint64_t)(bin - shift * EDGE_HISTOGRAM_HALF) << shift;
}

uint64_t edge_histogram_bin_high(size_t bin)
{
    return edge_histogram_bin_low(bin + 1) - 1;
}

uint64_t edge_histogram_segment_low(uint64_t value)
{
    return value >= EDGE_HISTOGRAM_MAX ? EDGE_HISTOGRAM_MAX
                                       : edge_histogram_bin_low(edge_histogram_bin(value));
}

// What a record can hold, whose numbers are signed.
static uint64_t add_sum(uint64_t sum, uint64_t more)
{
    return more > INT64_MAX || sum > INT64_MAX - more ? INT64_MAX : sum + more;
}

void edge_histogram_record_bounds(struct edge_histogram *histogram, uint64_t low, uint64_t high,
                                  uint64_t count)
{
    bool clamped = high >= EDGE_HISTOGRAM_MAX;
    histogram->bins[edge_histogram_bin(clamped ? EDGE_HISTOGRAM_MAX - 1 : high)] += count;
    if (histogram->count == 0 || low < histogram->min)
        histogram->min = low;
    if (high > histogram->max)
        histogram->max = high;
    uint64_t sum;
    if (__builtin_mul_overflow(low + (high - low) / 2, count, &sum))
        sum = UINT64_MAX;
    histogram->sum = add_sum(histogram->sum, sum);
    histogram->count += count;
    histogram->censored += count;
    histogram->clamped += clamped ? count : 0;
}

void edge_histogram_merge(struct edge_histogram *histogram, const struct edge_histogram *other)
{
    if (other->count == 0)
        return;
    for (size_t i = 0; i < EDGE_HISTOGRAM_BINS; i++)
        histogram->bins[i] += other->bins[i];
    if (histogram->count == 0 || other->min < histogram->min)
        histogram->min = other->min;
    if (other->max > histogram->max)
        histogram->max = other->max;
    histogram->count += other->count;
    histogram->sum = add_sum(histogram->sum, other->sum);
    histogram->clamped += other->clamped;
    histogram->censored += other->censored;
}

// 99.9 is a little more than 99.9 as a double: of 1000 values it would reach the last. So it is
// taken one step lower, from where it rounds up to the rank that was meant.
static uint64_t rank_of(const struct edge_histogram *histogram, double percent)
{
    uint64_t rank = (uint64_t)ceil(nextafter(percent, 0) / 100.0 * (double)histogram->count);
    return rank > 0 ? rank : 1;
}

void edge_histogram_percentiles(const struct edge_histogram *histogram, const double *percents,
                                size_t count, uint64_t *values)
{
    size_t bin = histogram->count > 0 && histogram->min < EDGE_HISTOGRAM_MAX
                     ? edge_histogram_bin(histogram->min)
                     : 0;
    uint64_t seen = 0; // in the bins before `bin`
    for (size_t i = 0; i < count; i++) {
        uint64_t rank = rank_of(histogram, percents[i]);
        values[i] = histogram->count > 0 ? histogram->max : 0;
        if (rank >= histogram->count)
            continue;
        while (bin < EDGE_HISTOGRAM_BINS - 1 && seen + histogram->bins[bin] < rank)
            seen += histogram->bins[bin++];
        uint64_t high = edge_histogram_bin_high(bin);
        if (high < histogram->max)
            values[i] = high;
    }
}

uint64_t edge_histogram_percentile(const struct edge_histogram *histogram, double percent)
{
    uint64_t value;
    edge_histogram_percentiles(histogram, &percent, 1, &value);
    return value;
}

double edge_histogram_mean(const struct edge_histogram *histogram)
{
    return histogram->count > 0 ? (double)histogram->sum / (double)histogram->count : 0.0;
}
