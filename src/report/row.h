// The figures of one result: what a row of the tables shows. A row stands on its own, so that the
// result can be freed: thousands of rows fit where thousands of results would not.
#ifndef EDGE_REPORT_ROW_H
#define EDGE_REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/facts.h"
#include "result/result.h"

enum edge_row_group {
    EDGE_ROW_RANKED,
    EDGE_ROW_NOT_RANKED,
    EDGE_ROW_CALIBRATION,
};

// The percentiles of the latency curve, ascending.
#define EDGE_ROW_CURVE 20
extern const double edge_row_curve_percents[EDGE_ROW_CURVE];

// A step of the load-to-power curve, over all repeats.
struct edge_row_level {
    uint64_t load_percent; // of the rate that was found; 0: idle
    double target;         // calls due per second
    double rate;           // verified calls per second
    double cpu_percent;    // of one core
    double watts;          // of the source that tables show
};
#define EDGE_ROW_LEVELS 16

// TLS handshakes of one kind, over all repeats.
struct edge_row_handshakes {
    double rate;   // per second
    double cpu_ns; // of the server, for one
};

// What was measured beside the calls of a run over TLS.
struct edge_row_tls {
    struct edge_row_handshakes full, resumed;
    double connection_bytes; // memory of one connection
};

// Over all repeats that were measured. NAN: not measured. The names of columns: columns.c.
struct edge_row {
    struct edge_facts facts;
    char *path;      // as it was opened
    uint64_t digest; // of the file
    char *key;       // board and parameters in words: equal keys are comparable
    char *quote;     // the line that can be quoted
    char *reasons;   // why it is not valid, one a line
    char *doubts;    // what else the rules say of a valid run, one a line
    char *bounds;    // which latencies are only lower bounds, in a line; "" if none are
    char *failures;  // failed calls by kind, in a line; "" if there are none
    char *power;     // what each power source saw, one a line
    char *heat;      // temperature and clock, in a line; "" if nobody told
    char verdict[32];
    size_t ordinal; // 1, 2, ... among rows of the same key and server; 0: the only one
    enum edge_row_group group;
    bool emulated;
    bool only_emulated; // nothing else is wrong with it: what does not depend on speed stands
    double bounds_from; // percentiles from this one up may be lower bounds; NAN: none are
    bool response;      // open loop: latency counts from when a call was due
    size_t repeats;     // measured
    double rate;        // verified calls per second, median of the repeats
    double rate_ci;     // half-width of the 95 % confidence interval of their mean
    double latency_mean, p50, p90, p95, p99, p999; // ns, from the bins of all repeats
    double curve[EDGE_ROW_CURVE];                  // ns; NAN where there are too few calls to tell
    double cpu_percent;                            // of one core
    double memory_bytes;                           // resident, mean
    double peak_bytes;
    double cpu_ns_per_call;
    double watts;
    double rate_per_watt;
    double joule_per_call;
    double rate_per_mib;          // MiB of mean memory
    double instructions_per_call; // of an emulated server
    double instructions_spread;   // of the repeats: half their range, of their mean
    double system_calls_per_call; // likewise emulated
    double size_bytes;            // of the server's file
    struct edge_row_level levels[EDGE_ROW_LEVELS]; // by falling load
    size_t level_count;
    struct edge_row_tls tls;
    double verified;
    double failed; // calls that ended in any other way
};

// Computes a row; `result` is not needed afterwards. edge_row_free() it, after an error too.
// 0 or -ENOMEM.
int edge_row_init(struct edge_row *row, const struct edge_result *result);
// Frees what a row holds. Safe twice.
void edge_row_free(struct edge_row *row);

// Computes only the figures, over `count` repeats from index `first` on. 0 or -ENOMEM.
int edge_row_measure(struct edge_row *row, const struct edge_result *result, size_t first,
                     size_t count);

// How rows are sorted within their group.
struct edge_row_order {
    // < 0 if `a` goes first. NULL: by falling rate, emulated ones by rising instructions per call.
    int (*compare)(const struct edge_row *a, const struct edge_row *b, const void *context);
    const void *context;
    bool flat; // equal keys need not stand together
};

// Sorts: equal keys together (unless flat), in each the ranked rows first, then in that order; then
// sets `ordinal`. 0 or -ENOMEM.
int edge_row_sort(struct edge_row *rows, size_t count, const struct edge_row_order *order);

// The row's name as tables show it: the server, cut to fit into 30 columns, its ordinal, and the
// mark of an emulator. Returns text.
const char *edge_row_name(const struct edge_row *row, char *text, size_t size);

#endif
