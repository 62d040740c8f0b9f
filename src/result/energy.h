// From readings of power to energy over a span of time.
//
// The integral is a trapezoid over the real times of the readings, its edges interpolated. Where a
// source also counts energy, and its step is fine enough for the span, the counter is believed
// instead: it sees what happens between readings.
#ifndef EDGE_RESULT_ENERGY_H
#define EDGE_RESULT_ENERGY_H

#include <stddef.h>
#include <stdint.h>

#include "base/reading.h"
#include "result/record.h" // EDGE_UNMEASURED

#define EDGE_ENERGY_QUANTUM_PERCENT 0.5 // of the span's energy: the coarsest counter to believe

struct edge_energy {
    uint64_t energy_uj;      // EDGE_UNMEASURED unless readings lie on both sides of the span
    const char *method;      // "trapezoid", "counter", or "" if there is no energy
    uint64_t readings;       // inside the span
    uint64_t updates;        // of those, with another value than the reading before
    uint64_t interval_ns;    // nominal; as found if the source has none; 0: not known
    uint64_t longest_gap_ns; // without a reading, from edge to edge
    double lost_percent;     // readings that were due in the span and did not come; NAN: not known
};

// Integrates `readings` in order of time from start_ns to stop_ns > start_ns. `interval_ns`:
// nominal time between two readings, 0 if there is none; `quantum_uj`: step of the counter, 0 if
// there is none. 0 or -ENOMEM.
int edge_energy_integrate(const struct edge_reading *readings, size_t count, uint64_t interval_ns,
                          uint64_t quantum_uj, uint64_t start_ns, uint64_t stop_ns,
                          struct edge_energy *energy);

#endif
