// Rows in InfluxDB's line protocol: one point each, at the time the run began.
#ifndef EDGE_REPORT_INFLUX_H
#define EDGE_REPORT_INFLUX_H

#include <stdio.h>

#include "report/columns.h"

// Measurement "bench_edge"; who did what are tags, figures are fields named as in CSV. Of a run
// that is not valid only the figures that stand are written, with valid=false. A row that does not
// say when it began is left out, and told of on `err`.
void edge_influx_print(const struct edge_row *rows, size_t count, FILE *out, FILE *err);

#endif
