// What a load measured, for people and for programs.
#ifndef EDGE_LOAD_SUMMARY_H
#define EDGE_LOAD_SUMMARY_H

#include <stdio.h>

#include "load/load.h"

// The version of edge_summary_json()'s format, apart from the program's.
#define EDGE_SUMMARY_MAJOR 1
#define EDGE_SUMMARY_MINOR 2

// Verified replies per second of the window; negative: there was no window.
double edge_summary_rate(const struct edge_load_result *result);

// The text that ghz users know, and what it lacks: books and the generator's own health.
void edge_summary_print(const struct edge_load_config *config,
                        const struct edge_load_result *result, FILE *out);

// One JSON object: units in the keys, null for what was not measured, histograms as [lowest value
// of the bin, count]. 0, -ENOMEM, or -EIO.
int edge_summary_json(const struct edge_load_config *config, const struct edge_load_result *result,
                      FILE *out);

#endif
