// Statistics over repeats. Few values, so Student's t, not the normal distribution.
#ifndef EDGE_RESULT_STATISTICS_H
#define EDGE_RESULT_STATISTICS_H

#include <stddef.h>

struct edge_statistics {
    size_t count;
    double min, max;
    double mean;
    double median;
    double deviation; // sample standard deviation (n - 1); NAN below 2 values
    double variation; // coefficient of variation, deviation / mean; NAN below 2 values or mean 0
    double ci95;      // half-width of the 95 % confidence interval of the mean; NAN below 2 values
};

// Computes all of them over `count` finite values. With none, every figure is NAN.
// 0 or -ENOMEM.
int edge_statistics_compute(const double *values, size_t count, struct edge_statistics *statistics);

// The ratio of two sets of repeats, of their geometric means, with its 95 % confidence interval.
struct edge_ratio {
    double ratio;
    double low, high; // NAN if either side has fewer than 2 values
};

// other / base. The interval is Welch's t interval on the logarithms, its degrees of freedom
// rounded down. A value that is not positive and finite, or no values: all NAN.
struct edge_ratio edge_statistics_ratio(const double *base, size_t base_count, const double *other,
                                        size_t other_count);

// The two-sided 95 % quantile of Student's t with `degrees` >= 1 degrees of freedom.
double edge_statistics_t95(size_t degrees);

#endif
