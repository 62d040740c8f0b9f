// One reading of a power source: what sources give, agents send and integrals are made of.
#ifndef EDGE_BASE_READING_H
#define EDGE_BASE_READING_H

#include <stdint.h>

#define EDGE_READING_NONE UINT64_MAX // this source does not give that

struct edge_reading {
    uint64_t t_ns;      // CLOCK_MONOTONIC, as near to the moment of measuring as is known
    uint64_t power_uw;  // at that moment
    uint64_t energy_uj; // a counter, unwrapped: only differences mean something
};

#endif
