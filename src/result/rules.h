// When is a run a result? A table of rules, each with a reading, a limit and a verdict. The table
// is printed in docs/run-rules.md.
//
// A run that breaks a rule is still written and shown, with the reason, but not ranked.
#ifndef EDGE_RESULT_RULES_H
#define EDGE_RESULT_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/record.h"

// What the rules look at. edge_readings_init() sets all to "not measured"; fill in what is known.
// One for each repeat (rates unused), and one for the run as a whole (only `emulated` and below).
struct edge_readings {
    int ready;                    // enum edge_truth: one verified call before the load
    const char *ready_why;        // what went wrong, or NULL
    int server_alive;             // enum edge_truth: it lived through the window
    const char *server_alive_why; // "exited with code 3", or NULL
    int finished;                 // enum edge_truth: EDGE_NO after Ctrl-C, or when it was cut off
    const char *finished_why;     // what cut it off, or NULL
    uint64_t window_ns;
    uint64_t samples;               // of the server inside the window
    uint64_t sent;                  // calls of the window
    uint64_t failed;                // of those: any outcome but ok
    uint64_t verified;              // ok_in_window
    int balanced;                   // enum edge_truth
    int client_limited;             // enum edge_truth
    const char *client_limited_why; // or NULL
    uint64_t background_cpu_ns;     // used by others, over all CPUs, inside the window
    uint64_t cpus;
    int64_t clock_step_ns;  // change of REALTIME - MONOTONIC; EDGE_UNMEASURED_SIGNED: not measured
    uint64_t throttle_bits; // live ones set at any moment, and sticky ones that rose
    const char *throttle_source; // who tells these bits (agent/probe_throttle.h); NULL: firmware
    const char *governor;        // of all CPUs; NULL: not known
    uint64_t cpus_lost;          // CPUs that went offline
    uint64_t swap_bytes;         // by which used swap grew
    uint64_t steal_ns;           // over all CPUs, inside the window
    int power;                   // enum edge_truth: there is an energy; EDGE_UNKNOWN: no source
    const char *power_why;       // why there is no source or no energy, or NULL
    double power_gap_periods;    // longest gap over the nominal interval; NAN: not measured
    double power_lost_percent;   // readings that did not come; NAN
    uint64_t power_updates;      // readings with a new value
    int power_doubtful;          // enum edge_truth: the source has a warning
    const char *power_doubt;     // that, or NULL
    int power_shared;            // enum edge_truth: the generator's energy is included
    double idle_drift_percent;   // idle power after, against before; NAN
    int emulated;                // enum edge_truth
    int calibration;             // enum edge_truth
    int recorded;                // enum edge_truth: facts are from a recorded tree (--root)
    const double *rates;         // over repeats: verified calls per second of each
    size_t rate_count;
};

void edge_readings_init(struct edge_readings *readings);

enum edge_verdict {
    EDGE_VERDICT_PASS,
    EDGE_VERDICT_WARN,       // worth knowing; does not invalidate
    EDGE_VERDICT_FAIL,       // invalidates
    EDGE_VERDICT_NOT_JUDGED, // the reading is missing; does not invalidate
};

// "pass", "warn", "fail", "not_judged": as in rule records.
const char *edge_verdict_name(enum edge_verdict verdict);

enum edge_rule_scope {
    EDGE_RULE_EACH_REPEAT,
    EDGE_RULE_OVER_REPEATS,
};

enum edge_rule_unit {
    EDGE_RULE_SECONDS, // readings and limits in ns
    EDGE_RULE_COUNT,
    EDGE_RULE_PERCENT, // readings and limits in percent
    EDGE_RULE_YES_NO,  // reading 1 or 0
    EDGE_RULE_BYTES,
    EDGE_RULE_PERIODS, // of a power source
};

enum edge_rule_compare {
    EDGE_RULE_AT_LEAST,
    EDGE_RULE_AT_MOST,
};

struct edge_rule {
    const char *id;
    double (*measure)(const struct edge_readings *readings); // NAN: not measured
    // More about a broken rule or a missing reading, or NULL.
    const char *(*why)(const struct edge_readings *readings);
    double limit;
    enum edge_rule_compare compare;
    enum edge_rule_unit unit;
    enum edge_rule_scope scope;
    enum edge_verdict broken;  // verdict when the limit is not kept
    enum edge_verdict missing; // verdict when there is no reading
    bool speed;        // it guards a speed: not judged under an emulator, where none is claimed
    const char *reads; // what is read, in words
    const char *words; // what to do when it is broken
    const char *unmeasured; // what to say when there is no reading, or NULL
};

// The table. Ends with a NULL id. Static storage.
const struct edge_rule *edge_rules_table(void);

// A limit as people read it: ">= 10 s". Returns text.
const char *edge_rule_limit_text(const struct edge_rule *rule, char *text, size_t size);

#define EDGE_RULES_MAX 32 // rules in the table, at most

// Judges by each rule of `scope` and writes one rule record per rule, for repeat number `repeat`
// (0 for EDGE_RULE_OVER_REPEATS). Once a reading breaks a rule, readings that are missing are
// "not_judged": they would be its consequences. Returns how many, <= EDGE_RULES_MAX.
size_t edge_rules_judge(enum edge_rule_scope scope, uint64_t repeat,
                        const struct edge_readings *readings,
                        struct edge_record_rule verdicts[EDGE_RULES_MAX]);

// The outcome of all verdicts of a run: sets end->valid and end->reasons (one sentence per broken
// rule, however many repeats broke it). No verdicts at all: EDGE_UNKNOWN.
void edge_rules_conclude(const struct edge_record_rule *verdicts, size_t count,
                         struct edge_record_end *end);

#endif
