// The figures of one result: what a row of the tables shows.
#ifndef EDGE_REPORT_ROW_H
#define EDGE_REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/result.h"

enum edge_row_group {
    EDGE_ROW_RANKED,
    EDGE_ROW_NOT_RANKED,
    EDGE_ROW_CALIBRATION,
};

// Over all repeats that were measured. NAN: not measured.
struct edge_row {
    const struct edge_result *result; // borrowed
    char *key;                        // board and parameters in words: equal keys are comparable
    size_t ordinal; // 1, 2, ... among rows of the same key and server; 0: the only one
    enum edge_row_group group;
    bool emulated;
    size_t repeats; // measured
    double rate;    // verified calls per second, median of the repeats
    double rate_ci; // half-width of the 95 % confidence interval of their mean
    bool response;  // open loop: latency counts from when a call was due
    double latency_mean, p50, p90, p95, p99, p999; // ns, from the bins of all repeats
    double cpu_percent;                            // of one core
    double memory_bytes;                           // resident, mean
    double peak_bytes;
    double cpu_ns_per_call;
    double watts;
    char power_scope[32];
    double rate_per_watt;
    double joule_per_call;
    double rate_per_mib;          // MiB of mean memory
    double instructions_per_call; // of an emulated server
    double instructions_spread;   // of the repeats: half their range, of their mean
    double system_calls_per_call; // likewise emulated
    double size_bytes;            // of the server's file
    uint64_t verified;
};

// Computes a row (edge_row_free() it). 0 or -ENOMEM.
int edge_row_init(struct edge_row *row, const struct edge_result *result);
// Frees what a row holds. Safe twice.
void edge_row_free(struct edge_row *row);

// Sorts: equal keys together, in each the ranked rows first, by falling rate (emulated ones by
// rising instructions per call); then sets `ordinal`.
// 0 or -ENOMEM.
int edge_row_sort(struct edge_row *rows, size_t count);

// The row's name as tables show it: the server, cut to fit into 30 columns, its ordinal, and the
// mark of an emulator. Returns text.
const char *edge_row_name(const struct edge_row *row, char *text, size_t size);

#endif
