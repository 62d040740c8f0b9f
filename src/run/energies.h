// The energies of one repeat: every span by every power source.
#ifndef EDGE_RUN_ENERGIES_H
#define EDGE_RUN_ENERGIES_H

#include "result/rules.h"
#include "run/measurement.h"
#include "run/meters.h"

struct edge_energies {
    unsigned count;
    struct edge_record_energy at[EDGE_METERS_MAX * (EDGE_MEASUREMENT_SPANS + 1)];
    struct edge_energy window; // by the first source
    double idle_drift_percent; // by the first source: idle after against before; NAN: not measured
};

// Integrates. 0 or -ENOMEM.
int edge_energies_compute(const struct edge_meters *meters,
                          const struct edge_measurement *measurement,
                          struct edge_energies *energies);

// The energy of the span that begins at start_ns, by the first source; EDGE_UNMEASURED if there is
// none.
uint64_t edge_energies_find(const struct edge_energies *energies, uint64_t start_ns);

// Fills what the rules look at. `same_machine`: the generator draws from the same supply. Texts
// point into `meters`.
void edge_energies_judge(const struct edge_energies *energies, const struct edge_meters *meters,
                         bool same_machine, struct edge_readings *readings);

#endif
