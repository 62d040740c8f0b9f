// A result as a point of a time series.
#ifndef EDGE_REPORT_SERIES_H
#define EDGE_REPORT_SERIES_H

#include "report/row.h"

// The facts that tell one series from another.
#define EDGE_SERIES_LABELS 13
extern const enum edge_fact edge_series_labels[EDGE_SERIES_LABELS];

// When the run began, in nanoseconds since 1970; 0 if that was not recorded.
uint64_t edge_series_time(const struct edge_row *row);

// Orders by label; rows of one series by time.
int edge_series_compare(const struct edge_row *a, const struct edge_row *b);
// Whether both belong to one series.
bool edge_series_same(const struct edge_row *a, const struct edge_row *b);

#endif
