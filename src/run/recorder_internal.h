// What the files of the recorder share.
#ifndef EDGE_RUN_RECORDER_INTERNAL_H
#define EDGE_RUN_RECORDER_INTERNAL_H

#include <stdbool.h>
#include <stdio.h>

#include "run/energies.h"
#include "run/recorder.h"

// Fills a text of a record; what does not fit is cut.
#define EDGE_RECORDER_SET(member, ...) snprintf(member, sizeof(member), __VA_ARGS__)

static inline int edge_recorder_truth(bool value)
{
    return value ? EDGE_YES : EDGE_NO;
}

// Writes one record, unless a write has failed before.
void edge_recorder_put(struct edge_recorder *recorder, enum edge_record_type type,
                       const void *record);

// run, build, opt and power_source: what is known before the first repeat.
void edge_recorder_head(struct edge_recorder *recorder, const struct edge_server_entry *server);

// Of a repeat: the intervals, histograms and rate of its load; the other spans and all energies;
// the books.
void edge_recorder_load(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                        const struct edge_window_figures *figures,
                        const struct edge_energies *energies);
void edge_recorder_spans(struct edge_recorder *recorder, const struct edge_measurement *measurement,
                         const struct edge_energies *energies);
void edge_recorder_count(struct edge_recorder *recorder,
                         const struct edge_measurement *measurement);

#endif
