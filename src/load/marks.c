#include "load/marks.h"

uint64_t edge_marks_after(uint64_t mark)
{
    uint64_t power = 1;
    while (mark / power >= 10)
        power *= 10;
    return mark / power == 2 ? mark / 2 * 5 : mark * 2;
}

uint64_t edge_marks_from(uint64_t value)
{
    uint64_t mark = 1;
    while (mark < value)
        mark = edge_marks_after(mark);
    return mark;
}

uint64_t edge_marks_count(const struct edge_histogram *histogram, uint64_t mark, size_t *bin)
{
    uint64_t count = 0;
    for (; *bin < EDGE_HISTOGRAM_BINS && edge_histogram_bin_low(*bin) <= mark; ++*bin)
        count += histogram->bins[*bin];
    return count;
}
