// Goals and baselines: verdicts over results.
#ifndef EDGE_REPORT_CHECK_H
#define EDGE_REPORT_CHECK_H

#include "report/identity.h"
#include "report/measured.h"
#include "report/slo.h"

enum edge_check_verdict {
    EDGE_CHECK_KEPT,
    EDGE_CHECK_MISSED,       // the goal was not kept, or the figure got worse
    EDGE_CHECK_NOT_MEASURED, // there is a goal, but no figure: not kept either
    EDGE_CHECK_NOT_VALID,    // the run is not valid: its figures prove nothing
};

// One line of the verdict.
struct edge_check {
    const struct edge_row *row; // borrowed
    char goal[96];              // "p99<5ms", "p99 against the baseline"
    char found[320];
    enum edge_check_verdict verdict;
};

struct edge_checks {
    struct edge_check *at;
    size_t count;
    bool failed; // out of memory
};

// Adds whether the run is valid. A run whose only fault is the emulator passes: each goal is then
// judged by whether its figure stands.
void edge_check_valid(struct edge_checks *checks, const struct edge_row *row);

// Adds one goal.
void edge_check_slo(struct edge_checks *checks, const struct edge_row *row,
                    const struct edge_slo *slo);

// Adds each figure that can get worse (throughput, p99, CPU time, peak memory, energy,
// instructions, size): missed if it is worse than the baseline by more than `tolerance` (0.05 is 5
// %), unless the 95 % interval of the ratio covers 1.
void edge_check_baseline(struct edge_checks *checks, const struct edge_measured *measured,
                         const struct edge_measured *baseline, double tolerance);

void edge_checks_free(struct edge_checks *checks);

// MISSED, else INVALID, else OK.
enum edge_exit edge_checks_exit(const struct edge_checks *checks);

// Printers: a table, GitHub's workflow commands, JUnit's XML. 0 or -ENOMEM.
int edge_check_print_table(const struct edge_checks *checks, FILE *out);
int edge_check_print_github(const struct edge_checks *checks, FILE *out);
int edge_check_print_junit(const struct edge_checks *checks, FILE *out);

#endif
