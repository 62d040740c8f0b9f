// A result with the figures of each of its repeats: for ratios with an interval.
#ifndef EDGE_REPORT_MEASURED_H
#define EDGE_REPORT_MEASURED_H

#include <stdio.h>

#include "base/error.h"
#include "report/columns.h"
#include "result/statistics.h"

struct edge_measured {
    struct edge_row row;      // over all repeats
    struct edge_row *repeats; // only their figures
    size_t count;
};

// Reads a result file. The caller frees `measured`, after an error too. Returns as
// edge_result_read() does.
int edge_measured_read(struct edge_measured *measured, const char *path,
                       struct edge_message *message);
// Frees what it holds. Safe twice.
void edge_measured_free(struct edge_measured *measured);

struct edge_measured_list {
    struct edge_measured *at;
    size_t count;
};

// Reads every file that `paths` stand for (files.h). What cannot be read is told on `err` with file
// and line. The caller frees the list. Returns how many paths and files could not be read.
size_t edge_measured_list_read(struct edge_measured_list *list, const char *const *paths,
                               size_t count, FILE *err);
// Frees the list. Safe twice.
void edge_measured_list_free(struct edge_measured_list *list);

// The ratio other / base of a figure over the repeats that measured it, as
// edge_statistics_ratio(). All NAN if one side has none, or memory is out.
struct edge_ratio edge_measured_ratio(const struct edge_column *column,
                                      const struct edge_measured *base,
                                      const struct edge_measured *other);

// "1.408" and "1.390 to 1.426"; "-" where there is none. Return text.
const char *edge_measured_ratio_text(const struct edge_ratio *ratio, char *text, size_t size);
const char *edge_measured_interval_text(const struct edge_ratio *ratio, char *text, size_t size);

#endif
