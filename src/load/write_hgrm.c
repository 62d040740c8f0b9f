#include <inttypes.h>
#include <math.h>

#include "load/write.h"

#define TICKS_PER_HALF 5 // steps from a percentile to half of what is left, as HdrHistogram's tools
#define NS_PER_MS      1e6

// The variance of bins' middles about the mean.
static double deviation_ns(const struct edge_histogram *histogram)
{
    double mean = edge_histogram_mean(histogram), sum = 0;
    for (size_t i = 0; i < EDGE_HISTOGRAM_BINS; i++) {
        if (histogram->bins[i] == 0)
            continue;
        double low = (double)edge_histogram_bin_low(i), high = (double)edge_histogram_bin_high(i);
        double off = (low + high) / 2 - mean;
        sum += off * off * (double)histogram->bins[i];
    }
    return sqrt(sum / (double)histogram->count);
}

static void print_rows(const struct edge_histogram *histogram, FILE *out)
{
    double percent = 0;
    size_t bin = 0;
    uint64_t seen = 0;
    while (seen < histogram->count) {
        uint64_t value = edge_histogram_percentile(histogram, percent);
        for (; bin < EDGE_HISTOGRAM_BINS && edge_histogram_bin_low(bin) <= value; bin++)
            seen += histogram->bins[bin];
        if (seen == histogram->count)
            break;
        fprintf(out, "%12.3f %14.12f %10" PRIu64 " %14.2f\n", (double)value / NS_PER_MS,
                percent / 100, seen, 100 / (100 - percent));
        double halvings = floor(log2(100 / (100 - percent))) + 1;
        percent += 100 / (TICKS_PER_HALF * exp2(halvings));
    }
    fprintf(out, "%12.3f %14.12f %10" PRIu64 " %14s\n", (double)histogram->max / NS_PER_MS, 1.0,
            histogram->count, "inf");
}

int edge_write_hgrm(const struct edge_sheet *sheet, FILE *out)
{
    const struct edge_histogram *histogram = edge_sheet_latency(sheet);
    fprintf(out, "       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    if (histogram->count > 0)
        print_rows(histogram, out);
    bool known = histogram->count > 0;
    fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
            edge_histogram_mean(histogram) / NS_PER_MS,
            known ? deviation_ns(histogram) / NS_PER_MS : 0);
    fprintf(out, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n",
            (double)histogram->max / NS_PER_MS, histogram->count);
    fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n",
            (int)(EDGE_HISTOGRAM_BINS / EDGE_HISTOGRAM_HALF) - 1, (int)EDGE_HISTOGRAM_HALF * 2);
    return 0;
}
