// Latency histogram: log-linear bins, as HdrHistogram's. Fixed memory, relative error <= 0.1 %.
//
// Values below 2048 are counted exactly. Above, each power of two is cut into 1024 equal bins, so
// that a bin is at most 1/1024 of its value wide. Percentiles are always computed from bins;
// histograms are merged, percentiles never averaged.
#ifndef EDGE_BASE_HISTOGRAM_H
#define EDGE_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define EDGE_HISTOGRAM_HALF ((size_t)1024)      // bins per power of two
#define EDGE_HISTOGRAM_MAX  (UINT64_C(1) << 40) // values from here on are clamped: 1100 s in ns
#define EDGE_HISTOGRAM_BINS (EDGE_HISTOGRAM_HALF * 31) // 2048 exact + 29 powers of two

// All zero is an empty histogram, apart from `bins`, which is the caller's: EDGE_HISTOGRAM_BINS
// counters, zeroed (edge_histogram_init() does both).
struct edge_histogram {
    uint64_t *bins;
    uint64_t count;
    uint64_t sum;     // of recorded values; 2^63 ns is 292 years
    uint64_t min;     // exact; valid if count > 0
    uint64_t max;     // exact, even if clamped
    uint64_t clamped; // values >= EDGE_HISTOGRAM_MAX, counted in the last bin
    // Of the values, those that are lower bounds: something was given up on at that value, and
    // would have been higher. Percentiles that reach them are lower bounds, too.
    uint64_t censored;
};

// Allocates and zeroes the bins (254 KB, touched only where values fall). 0 or -ENOMEM.
int edge_histogram_init(struct edge_histogram *histogram);
// Frees the bins. Safe twice.
void edge_histogram_free(struct edge_histogram *histogram);
// Forgets all values.
void edge_histogram_reset(struct edge_histogram *histogram);

// The bin of a value, and the lowest and highest value that fall into a bin.
static inline size_t edge_histogram_bin(uint64_t value)
{
    if (value < 2 * EDGE_HISTOGRAM_HALF)
        return (size_t)value;
    unsigned shift = 53u - (unsigned)__builtin_clzll(value); // value >> shift is in [1024, 2048)
    return shift * EDGE_HISTOGRAM_HALF + (size_t)(value >> shift);
}
uint64_t edge_histogram_bin_low(size_t bin);
uint64_t edge_histogram_bin_high(size_t bin);

// Counts one value.
static inline void edge_histogram_record(struct edge_histogram *histogram, uint64_t value)
{
    uint64_t clamped = value < EDGE_HISTOGRAM_MAX ? value : EDGE_HISTOGRAM_MAX - 1;
    histogram->bins[edge_histogram_bin(clamped)]++;
    if (histogram->count++ == 0 || value < histogram->min)
        histogram->min = value;
    if (value > histogram->max)
        histogram->max = value;
    histogram->sum += value;
    histogram->clamped += value != clamped;
}

// Counts one lower bound.
static inline void edge_histogram_record_bound(struct edge_histogram *histogram, uint64_t value)
{
    edge_histogram_record(histogram, value);
    histogram->censored++;
}

// Counts `count` > 0 lower bounds, spread evenly from `low` to `high`. They must share a bin and be
// clamped all or none: edge_histogram_segment_low(high) is the least that `low` may be. The sum is
// right to 1 ns a value, and stays at 2^63 - 1 when it gets there.
void edge_histogram_record_bounds(struct edge_histogram *histogram, uint64_t low, uint64_t high,
                                  uint64_t count);
uint64_t edge_histogram_segment_low(uint64_t value);

// Adds all values of `other`.
void edge_histogram_merge(struct edge_histogram *histogram, const struct edge_histogram *other);

// The value below or at which `percent` (0 to 100) of all values lie: nearest rank, the highest
// value of its bin but never above the recorded maximum. 0 if empty.
uint64_t edge_histogram_percentile(const struct edge_histogram *histogram, double percent);

// The same for `count` percents, ascending, in one pass.
void edge_histogram_percentiles(const struct edge_histogram *histogram, const double *percents,
                                size_t count, uint64_t *values);

// The arithmetic mean, from the exact sum. 0 if empty.
double edge_histogram_mean(const struct edge_histogram *histogram);

#endif
