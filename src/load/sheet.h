// All that the output of a load says, whatever its format: what each writer is given.
#ifndef EDGE_LOAD_SHEET_H
#define EDGE_LOAD_SHEET_H

#include <stdint.h>

#include "load/find_max.h"
#include "load/goals.h"
#include "load/load.h"

struct edge_sheet {
    uint64_t unix_ns; // wall clock when it began: a label
    const struct edge_load_config *config;
    const struct edge_load_result *result;
    const struct edge_goals *goals;    // may be empty
    const struct edge_find_max *found; // NULL: no search
};

// The latency that people mean: response time in an open loop, else service time.
static inline const struct edge_histogram *edge_sheet_latency(const struct edge_sheet *sheet)
{
    return sheet->config->rate > 0 ? &sheet->result->response : &sheet->result->service;
}

#endif
