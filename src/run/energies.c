#include "run/energies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct span {
    const char *name;
    uint64_t load_percent; // EDGE_UNMEASURED: no level
    uint64_t start_ns, stop_ns;
};

static int add(const struct edge_meters *meters, unsigned source, uint64_t repeat,
               const struct span *span, struct edge_energies *energies)
{
    struct edge_energy energy;
    int error = edge_meters_integrate(meters, source, span->start_ns, span->stop_ns, &energy);
    if (error)
        return error;
    struct edge_record_energy *record = &energies->at[energies->count++];
    edge_record_init(EDGE_RECORD_ENERGY, record);
    record->repeat = repeat;
    record->source = source + 1;
    snprintf(record->name, sizeof(record->name), "%s", span->name);
    record->load_percent = span->load_percent;
    record->start_ns = span->start_ns;
    record->stop_ns = span->stop_ns;
    record->energy_uj = energy.energy_uj;
    snprintf(record->method, sizeof(record->method), "%s", energy.method);
    record->readings = energy.readings;
    record->updates = energy.updates;
    record->interval_ns = energy.interval_ns > 0 ? energy.interval_ns : EDGE_UNMEASURED;
    record->longest_gap_ns = energy.longest_gap_ns;
    if (source == 0 && strcmp(span->name, "window") == 0)
        energies->window = energy;
    return 0;
}

// Microwatts of the span of that name by that source; NAN if it was not measured.
static double power_of(const struct edge_energies *energies, uint64_t source, const char *name)
{
    for (unsigned i = 0; i < energies->count; i++) {
        const struct edge_record_energy *record = &energies->at[i];
        if (record->source == source && strcmp(record->name, name) == 0 &&
            record->energy_uj != EDGE_UNMEASURED)
            return (double)record->energy_uj * 1e9 / (double)(record->stop_ns - record->start_ns);
    }
    return NAN;
}

// Idle power is the mean of before and after, or the one that there is.
static void fill_idle(struct edge_energies *energies, uint64_t source)
{
    double before_uw = power_of(energies, source, "idle_before");
    double after_uw = power_of(energies, source, "idle_after");
    if (source == 1 && before_uw > 0)
        energies->idle_drift_percent = 100 * fabs(after_uw - before_uw) / before_uw;
    double idle_uw = isnan(after_uw)    ? before_uw
                     : isnan(before_uw) ? after_uw
                                        : (before_uw + after_uw) / 2;
    for (unsigned i = 0; i < energies->count && !isnan(idle_uw); i++) {
        struct edge_record_energy *record = &energies->at[i];
        if (record->source == source)
            record->idle_uj =
                (uint64_t)(idle_uw * (double)(record->stop_ns - record->start_ns) / 1e9 + 0.5);
    }
}

int edge_energies_compute(const struct edge_meters *meters,
                          const struct edge_measurement *measurement,
                          struct edge_energies *energies)
{
    int error = 0;
    *energies = (struct edge_energies){
        .window = {.energy_uj = EDGE_UNMEASURED, .method = "", .lost_percent = NAN},
        .idle_drift_percent = NAN,
    };
    for (unsigned source = 0; source < meters->count && !error; source++) {
        const struct edge_load_result *load = &measurement->load;
        struct span window = {"window", EDGE_UNMEASURED, load->window_start_ns,
                              load->window_stop_ns};
        if (measurement->loaded)
            error = add(meters, source, measurement->repeat, &window, energies);
        for (unsigned i = 0; i < measurement->span_count && !error; i++) {
            const struct edge_measurement_span *from = &measurement->spans[i];
            bool level = strcmp(from->name, "level") == 0;
            struct span span = {from->name, level ? from->load_percent : EDGE_UNMEASURED,
                                from->start_ns, from->stop_ns};
            error = add(meters, source, measurement->repeat, &span, energies);
        }
        fill_idle(energies, source + 1);
    }
    return error;
}

uint64_t edge_energies_find(const struct edge_energies *energies, uint64_t start_ns)
{
    for (unsigned i = 0; i < energies->count; i++)
        if (energies->at[i].source == 1 && energies->at[i].start_ns == start_ns)
            return energies->at[i].energy_uj;
    return EDGE_UNMEASURED;
}

void edge_energies_judge(const struct edge_energies *energies, const struct edge_meters *meters,
                         bool same_machine, struct edge_readings *readings)
{
    const struct edge_energy *window = &energies->window;
    if (meters->count == 0) {
        readings->power_why = meters->why;
        return;
    }
    const struct edge_meter *meter = &meters->at[0];
    readings->power = window->energy_uj != EDGE_UNMEASURED ? EDGE_YES : EDGE_NO;
    readings->power_why = meter->failure[0] ? meter->failure : NULL;
    readings->power_doubtful = meter->facts.warning[0] ? EDGE_YES : EDGE_NO;
    readings->power_doubt = meter->facts.warning;
    readings->power_shared = same_machine ? EDGE_YES : EDGE_NO;
    readings->idle_drift_percent = energies->idle_drift_percent;
    if (readings->power == EDGE_NO)
        return; // what else is wrong with it is its consequence
    readings->power_updates = window->updates;
    readings->power_lost_percent = window->lost_percent;
    if (window->interval_ns > 0)
        readings->power_gap_periods = (double)window->longest_gap_ns / (double)window->interval_ns;
}
