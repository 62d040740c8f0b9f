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

// The two-sided 95 % quantile of Student's t with `degrees` >= 1 degrees of freedom.
double edge_statistics_t95(size_t degrees);

#endif
