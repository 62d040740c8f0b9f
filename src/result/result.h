// One result file in memory: what edge_result_read() gives.
#ifndef EDGE_RESULT_RESULT_H
#define EDGE_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "result/record.h"

struct edge_result_repeat {
    struct edge_record_interval window;     // start_ns is EDGE_UNMEASURED if there is none
    struct edge_record_count count;         // sent is EDGE_UNMEASURED if there is none
    struct edge_record_interval *intervals; // all of them, the window too
    size_t interval_count;
    struct edge_record_hist *hists;
    size_t hist_count;
    struct edge_record_sample *samples;
    size_t sample_count;
    struct edge_record_sync sync; // the first; time_ns is EDGE_UNMEASURED if there is none
    struct edge_record_energy *energies;
    size_t energy_count;
    struct edge_record_power *powers; // readings of all sources
    size_t power_count;
};

struct edge_result {
    char path[512];
    uint64_t digest; // FNV-1a of the file's bytes: equal files are equal
    struct edge_record_run run;
    struct edge_record_build tool;   // all "" if there is none
    struct edge_record_build server; // likewise
    struct edge_record_board board;  // likewise
    struct edge_record_opt *opts;
    size_t opt_count;
    struct edge_result_repeat *repeats; // repeat number r is at [r - 1]
    size_t repeat_count;
    struct edge_record_source *sources;
    size_t source_count;
    struct edge_record_rule *rules;
    size_t rule_count;
    bool ended;                 // there is an end record
    struct edge_record_end end; // without one: valid is EDGE_NO, the reason "interrupted ..."
};

// Frees what a result holds. Safe twice.
void edge_result_free(struct edge_result *result);

// The value of an option by its long name, or NULL.
const char *edge_result_option(const struct edge_result *result, const char *name);

// The host's clock at the agent's time `agent_time_ns` of a repeat, by its first sync record;
// without one the clocks are taken as the same, as they are on one machine.
uint64_t edge_result_host_time(const struct edge_result_repeat *repeat, uint64_t agent_time_ns);

// Verified calls per second of one repeat; NAN if it was not measured.
double edge_result_rate(const struct edge_result_repeat *repeat);

// Adds the bins of a repeat's histogram of that name, if there is one, into `into`.
void edge_result_merge_repeat(const struct edge_result_repeat *repeat, const char *name,
                              struct edge_histogram *into);
// The power source of that number, or NULL.
const struct edge_record_source *edge_result_source(const struct edge_result *result,
                                                    uint64_t number);

// Adds the bins of all repeats' histograms of that name into `into` (initialised by the caller).
void edge_result_merge(const struct edge_result *result, const char *name,
                       struct edge_histogram *into);

#endif
