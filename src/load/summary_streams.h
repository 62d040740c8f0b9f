// The parts of the summary about what calls carried: how far their replies were checked, streams
// message by message, compression.
#ifndef EDGE_LOAD_SUMMARY_STREAMS_H
#define EDGE_LOAD_SUMMARY_STREAMS_H

#include <stdio.h>

#include "load/load.h"

// Events per second of the window; negative: there was no window.
double edge_summary_per_second(const struct edge_load_result *result, uint64_t count);

// Nothing about streams for unary calls, nothing about compression without it.
void edge_summary_print_streams(const struct edge_load_config *config,
                                const struct edge_load_result *result, FILE *out);

#endif
