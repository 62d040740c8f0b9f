// The plots of an HTML report: each is a table of numbers, which the page's script draws.
#ifndef EDGE_REPORT_HTML_PLOTS_H
#define EDGE_REPORT_HTML_PLOTS_H

#include <stdio.h>

#include "report/columns.h"

// The plots of rows that did the same work, ranked ones first: throughput and efficiency with
// intervals, latency curves; of emulated rows, instructions and their history.
void edge_html_plots(const struct edge_row *const *rows, size_t count, FILE *out);

// Load against power, over all works: graduated runs, and boards that were measured at three loads
// or more.
void edge_html_load_power(const struct edge_row *rows, size_t count, FILE *out);

// "server on board", as the rows of plots are called. Escaped.
void edge_html_name(const struct edge_row *row, FILE *out);

// A cell with a figure: what is shown, and the exact value for sorting and plotting.
void edge_html_cell(const char *shown, double value, FILE *out);

// The two ends of a plot; between them stands its table. `attributes` are written into the tag.
void edge_html_plot_begin(const char *kind, const char *attributes, const char *caption,
                          const char *note, FILE *out);
void edge_html_plot_end(FILE *out);

#endif
