#include "load/bars.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/units.h"
#include "load/marks.h"

#define BAR_MAX      40u
#define BAR_MAX_TWO  20u
#define COUNT_COLUMN 12

// One histogram being walked from mark to mark.
struct bars {
    const struct edge_histogram *histogram;
    size_t bin;
    uint64_t seen, highest;
};

static uint64_t lowest_mark(const struct edge_histogram *a, const struct edge_histogram *b)
{
    uint64_t low = a->count > 0 ? a->min : b->min;
    if (b->count > 0 && b->min < low)
        low = b->min;
    return edge_marks_from(low);
}

static bool is_done(const struct bars *bars)
{
    return bars->seen == bars->histogram->count || bars->bin == EDGE_HISTOGRAM_BINS;
}

static uint64_t step(struct bars *bars, uint64_t mark)
{
    uint64_t count = edge_marks_count(bars->histogram, mark, &bars->bin);
    bars->seen += count;
    if (count > bars->highest)
        bars->highest = count;
    return count;
}

static void begin(struct bars *bars, const struct edge_histogram *histogram, uint64_t mark)
{
    *bars = (struct bars){.histogram = histogram};
    for (; !is_done(bars); mark = edge_marks_after(mark))
        step(bars, mark);
    bars->bin = 0;
    bars->seen = 0;
}

// Ends with as many spaces as are needed to come to `width` columns; the bar is no ASCII.
static void print_cell(struct bars *bars, uint64_t mark, unsigned bar_max, unsigned width,
                       FILE *out)
{
    char text[32];
    uint64_t count = step(bars, mark);
    snprintf(text, sizeof(text), "[%" PRIu64 "]", count);
    unsigned used = (unsigned)fprintf(out, " %-*s |", COUNT_COLUMN, text);
    uint64_t len = bars->highest > 0 ? (count * bar_max + bars->highest / 2) / bars->highest : 0;
    for (uint64_t i = 0; i < len; i++, used++)
        fputs("\u220e", out);
    for (; used < width; used++)
        fputc(' ', out);
}

static void print_mark(uint64_t mark, FILE *out)
{
    char text[24];
    fprintf(out, "  <= %-10s", edge_format_latency((double)mark, text, sizeof(text)));
}

void edge_bars_print(const char *title, const struct edge_histogram *histogram, FILE *out)
{
    fprintf(out, "\n%s (log scale):\n", title);
    if (histogram->count == 0) {
        fprintf(out, "  -\n");
        return;
    }
    struct bars bars;
    uint64_t mark = lowest_mark(histogram, histogram);
    begin(&bars, histogram, mark);
    for (; !is_done(&bars); mark = edge_marks_after(mark)) {
        print_mark(mark, out);
        print_cell(&bars, mark, BAR_MAX, 0, out);
        fputc('\n', out);
    }
}

void edge_bars_print_two(const char *title, const char *left_name,
                         const struct edge_histogram *left, const char *right_name,
                         const struct edge_histogram *right, FILE *out)
{
    const unsigned width = 1 + COUNT_COLUMN + 2 + BAR_MAX_TWO;
    fprintf(out, "\n%s (log scale):\n", title);
    if (left->count == 0 && right->count == 0) {
        fprintf(out, "  -\n");
        return;
    }
    fprintf(out, "%15s %-*s %s\n", "", (int)width, left_name, right_name);
    struct bars a, b;
    uint64_t mark = lowest_mark(left, right);
    begin(&a, left, mark);
    begin(&b, right, mark);
    for (; !is_done(&a) || !is_done(&b); mark = edge_marks_after(mark)) {
        print_mark(mark, out);
        print_cell(&a, mark, BAR_MAX_TWO, width, out);
        print_cell(&b, mark, BAR_MAX_TWO, 0, out);
        fputc('\n', out);
    }
}
