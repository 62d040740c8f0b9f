// Rows as OpenMetrics text, which node_exporter's textfile collector reads, too.
#ifndef EDGE_REPORT_OPENMETRICS_H
#define EDGE_REPORT_OPENMETRICS_H

#include <stdio.h>

#include "report/columns.h"

// Gauges bench_edge_*, in base units, of the latest run of each series: a series stands once. Older
// runs are told of on `err`. Figures only where they stand; bench_edge_valid says why others are
// missing. Without timestamps, which the textfile collector refuses. 0 or -ENOMEM.
int edge_openmetrics_print(const struct edge_row *rows, size_t count, FILE *out, FILE *err);

#endif
