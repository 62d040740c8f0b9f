// All servers, several times over: the order is rotated, so that none always comes first.
#ifndef EDGE_RUN_REPEAT_H
#define EDGE_RUN_REPEAT_H

#include "run/recorder.h"
#include "run/sequence.h"

// The server that comes at `position` (from 0) in repeat number `repeat` (from 1), of `count`.
size_t edge_repeat_order(size_t count, uint64_t repeat, size_t position);

struct edge_repeat_plan {
    struct edge_sequence sequence; // options, target, payload, agent, interrupt, progress
    const struct edge_servers *servers;
    struct edge_recorder *recorders; // one for each server, opened; not for those with a problem
    uint64_t repeats;
};

// Measures every server `repeats` times. One that never got ready is not tried again. Stops at
// Ctrl-C (interrupt->seen), and at the first file that cannot be written.
// 0, or an error with a message.
int edge_repeat_run(const struct edge_repeat_plan *plan, struct edge_message *message);

#endif
