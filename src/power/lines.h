// Readings as lines of text: "watts", or "unix seconds,watts". What csv: and cmd: have in common.
#ifndef EDGE_POWER_LINES_H
#define EDGE_POWER_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/reading.h"

struct edge_lines {
    struct edge_buffer input;
    bool timed;         // a line must have a time
    bool begun;         // a line was understood: from now on each must be
    int64_t wall_ns;    // CLOCK_REALTIME - CLOCK_MONOTONIC
    uint64_t last_t_ns; // times must not go back
};

// Relates the clocks. `lines` must be zero but for `timed`.
void edge_lines_init(struct edge_lines *lines);

// Takes the next whole line of `input`: comments (#), blank lines and a heading are skipped.
// 0 and a reading; -EAGAIN: no whole line; EDGE_ERR_FORMAT with a message.
int edge_lines_next(struct edge_lines *lines, struct edge_reading *reading,
                    struct edge_message *message);

// Safe twice.
void edge_lines_free(struct edge_lines *lines);

#endif
