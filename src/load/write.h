// The writers of a load's output, one per format. Each writes to `out`, whose errors the caller
// looks for; returns 0 or -ENOMEM.
#ifndef EDGE_LOAD_WRITE_H
#define EDGE_LOAD_WRITE_H

#include "load/sheet.h"

// The search if there was one, then the summary and the goals.
int edge_write_summary(const struct edge_sheet *sheet, FILE *out);

// A header and one row (RFC 4180): text, then every figure of load/figures.h. "" is not measured.
int edge_write_csv(const struct edge_sheet *sheet, FILE *out);

// The latency of edge_sheet_latency() as HdrHistogram's percentile distribution: milliseconds,
// percentile, total count, 1 / (1 - percentile). Its plotters read it.
int edge_write_hgrm(const struct edge_sheet *sheet, FILE *out);

// One page that needs nothing else: the percentile curve, the summary, and the JSON inside.
int edge_write_html(const struct edge_sheet *sheet, FILE *out);

// One point in InfluxDB's line protocol; what was not measured is left out.
int edge_write_influx(const struct edge_sheet *sheet, FILE *out);

// Prometheus' text format 0.0.4: cumulative buckets, seconds and ratios.
int edge_write_prometheus(const struct edge_sheet *sheet, FILE *out);

#endif
