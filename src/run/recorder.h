// Writes one server's result file while the run goes on.
//
// Each record is written when its facts are known, so that a killed run leaves all that was
// measured. After a write has failed nothing more is written; edge_recorder.error tells.
#ifndef EDGE_RUN_RECORDER_H
#define EDGE_RUN_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"
#include "load/payload.h"
#include "result/rules.h"
#include "result/writer.h"
#include "run/measurement.h"
#include "run/meters.h"
#include "run/run_options.h"
#include "run/servers.h"
#include "run/target.h"

// What all files of a run have in common. Borrowed.
struct edge_recorder_facts {
    const struct edge_command *command;
    const struct edge_run_options *options;
    const struct edge_target *target;
    const struct edge_payload *payload;
    const struct edge_board *board;
    struct edge_meters *meters;
};

struct edge_recorder {
    const struct edge_recorder_facts *facts;
    struct edge_result_writer writer;
    int error; // of the first write that failed
    struct edge_message message;
    uint64_t started_ns;
    bool board_written;
    bool calibration;
    uint64_t verified; // over all repeats
    double *rates;     // verified calls per second of each repeat that was loaded
    size_t rate_count;
    struct edge_record_rule *verdicts;
    size_t verdict_count;
    int valid;  // enum edge_truth, after edge_recorder_end()
    bool sound; // likewise: valid, or not so for no other reason than the emulator
};

// Creates `path` and writes the run, build and opt records. `facts` must live as long as the
// recorder. 0, or a negated errno with a message.
int edge_recorder_open(struct edge_recorder *recorder, const char *path,
                       const struct edge_recorder_facts *facts,
                       const struct edge_server_entry *server, struct edge_message *message);

// One at a time, as they happen.
void edge_recorder_sample(struct edge_recorder *recorder, uint64_t repeat,
                          const struct edge_agent_sample *sample);
void edge_recorder_slice(struct edge_recorder *recorder, uint64_t repeat, uint64_t start_ns,
                         uint64_t stop_ns, uint64_t ended, uint64_t ok);

// Readings of power that are new, and not of the future: a file may hold those.
void edge_recorder_power(struct edge_recorder *recorder, uint64_t repeat);

// A whole repeat: sync, intervals, energies, books, histograms, and the rules' verdicts.
void edge_recorder_repeat(struct edge_recorder *recorder,
                          const struct edge_measurement *measurement);

// The rules over all repeats and the end record; closes the file. `interrupted`: why there were
// fewer repeats than planned, or NULL.
// 0, or the first write's error with its message.
int edge_recorder_end(struct edge_recorder *recorder, const char *interrupted,
                      struct edge_message *message);

// Closes without an end record, if edge_recorder_end() was not reached. Safe twice.
void edge_recorder_free(struct edge_recorder *recorder);

#endif
