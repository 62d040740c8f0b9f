// Reads a result file back. A file comes from anywhere: everything is checked, memory is bounded by
// the file's size.
//
// Keys and records that are not known are skipped; another major is refused. A last line that was
// cut short, or a missing end record, is no error: the run was interrupted, and is not valid.
#ifndef EDGE_RESULT_READER_H
#define EDGE_RESULT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/histogram.h"
#include "result/record.h"

#define EDGE_RESULT_LINE_MAX    (2u << 20) // bytes of one line; a full histogram takes 0.7 MB
#define EDGE_RESULT_REPEATS_MAX 1000u

struct edge_result_hist {
    uint64_t repeat;
    char name[32];                                   // "service", "response", "send_lag"
    uint64_t count, sum_ns, min_ns, max_ns, clamped; // min and max are valid if count > 0
    size_t bin_count;
    struct edge_result_bin {
        uint64_t low_ns; // lowest value of the bin, ascending
        uint64_t count;  // > 0
    } * bins;
};

struct edge_result_repeat {
    struct edge_record_interval window;     // start_ns is EDGE_UNMEASURED if there is none
    struct edge_record_count count;         // sent is EDGE_UNMEASURED if there is none
    struct edge_record_interval *intervals; // all of them, the window too
    size_t interval_count;
    struct edge_result_hist *hists;
    size_t hist_count;
    uint64_t samples;
};

struct edge_result {
    char path[512];
    struct edge_record_run run;
    struct edge_record_build tool;   // all "" if there is none
    struct edge_record_build server; // likewise
    struct edge_record_board board;  // likewise
    struct edge_record_opt *opts;
    size_t opt_count;
    struct edge_result_repeat *repeats; // repeat number r is at [r - 1]
    size_t repeat_count;
    struct edge_record_rule *rules;
    size_t rule_count;
    bool ended;                 // there is an end record
    struct edge_record_end end; // without one: valid is EDGE_NO, the reason "interrupted ..."
};

// Reads `path`. 0 and *result (edge_result_free() it); a negated errno or EDGE_ERR_FORMAT with a
// message "FILE:LINE: what was expected, what was found"; EDGE_ERR_UNSUPPORTED (another major);
// EDGE_ERR_LIMIT (a line is too long, too many repeats). After an error *result is empty.
int edge_result_read(const char *path, struct edge_result *result, struct edge_message *message);

// The same from memory; `name` stands in messages.
int edge_result_parse(const char *name, const char *text, size_t len, struct edge_result *result,
                      struct edge_message *message);

// Frees what a result holds. Safe twice.
void edge_result_free(struct edge_result *result);

// The value of an option by its long name, or NULL.
const char *edge_result_option(const struct edge_result *result, const char *name);

// Verified calls per second of one repeat; NAN if it was not measured.
double edge_result_rate(const struct edge_result_repeat *repeat);

// Adds the bins of all repeats' histograms of that name into `into` (initialised by the caller).
void edge_result_merge(const struct edge_result *result, const char *name,
                       struct edge_histogram *into);

#endif
