// Histograms as rows of bars, for the summary.
#ifndef EDGE_LOAD_BARS_H
#define EDGE_LOAD_BARS_H

#include <stdio.h>

#include "base/histogram.h"

// One histogram under its title, a row per mark.
void edge_bars_print(const char *title, const struct edge_histogram *histogram, FILE *out);

// Two side by side, with the same marks, so that what is in the one and not in the other is seen.
void edge_bars_print_two(const char *title, const char *left_name,
                         const struct edge_histogram *left, const char *right_name,
                         const struct edge_histogram *right, FILE *out);

#endif
