#include "result/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double edge_statistics_t95(size_t degrees)
{
    static const double table[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                   2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                   2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                   2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
    size_t count = sizeof(table) / sizeof(table[0]);
    if (degrees == 0)
        return NAN;
    if (degrees <= count)
        return table[degrees - 1];
    // Expansion around the normal quantile (Abramowitz and Stegun 26.7.5): good to 4 digits here.
    double z = 1.959964;
    double d = (double)degrees;
    double z3 = z * z * z;
    double z5 = z3 * z * z;
    return z + (z3 + z) / (4 * d) + (5 * z5 + 16 * z3 + 3 * z) / (96 * d * d);
}

// Mean of the logarithms, and the square of its standard error.
struct log_mean {
    double mean, error2;
    double degrees;
};

static struct log_mean log_mean(const double *values, size_t count)
{
    struct log_mean m = {0, 0, (double)count - 1};
    for (size_t i = 0; i < count; i++)
        m.mean += values[i] > 0 ? log(values[i]) : (double)NAN;
    m.mean /= (double)count;
    for (size_t i = 0; i < count; i++)
        m.error2 += (log(values[i]) - m.mean) * (log(values[i]) - m.mean);
    m.error2 /= m.degrees * (double)count;
    return m;
}

struct edge_ratio edge_statistics_ratio(const double *base, size_t base_count, const double *other,
                                        size_t other_count)
{
    struct edge_ratio r = {NAN, NAN, NAN};
    if (base_count == 0 || other_count == 0)
        return r;
    struct log_mean a = log_mean(base, base_count);
    struct log_mean b = log_mean(other, other_count);
    double difference = b.mean - a.mean;
    if (!isfinite(difference))
        return r;
    r.ratio = exp(difference);
    if (base_count < 2 || other_count < 2)
        return r;
    double error2 = a.error2 + b.error2;
    double half = 0;
    if (error2 > 0) {
        double degrees =
            error2 * error2 / (a.error2 * a.error2 / a.degrees + b.error2 * b.error2 / b.degrees);
        half = edge_statistics_t95((size_t)fmax(1, degrees)) * sqrt(error2);
    }
    r.low = exp(difference - half);
    r.high = exp(difference + half);
    return r;
}

int edge_statistics_compute(const double *values, size_t count, struct edge_statistics *statistics)
{
    struct edge_statistics s = {count, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    *statistics = s;
    if (count == 0)
        return 0;
    double *sorted = malloc(count * sizeof(*sorted));
    if (sorted == NULL)
        return -ENOMEM;
    memcpy(sorted, values, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), ascending);
    s.min = sorted[0];
    s.max = sorted[count - 1];
    s.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    free(sorted);

    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    s.mean = sum / (double)count;
    if (count > 1) {
        double squares = 0;
        for (size_t i = 0; i < count; i++)
            squares += (values[i] - s.mean) * (values[i] - s.mean);
        s.deviation = sqrt(squares / (double)(count - 1));
        s.ci95 = edge_statistics_t95(count - 1) * s.deviation / sqrt((double)count);
        if (fpclassify(s.mean) != FP_ZERO)
            s.variation = s.deviation / s.mean;
    }
    *statistics = s;
    return 0;
}
