// When the calls of one thread are due in an open loop: an iterator. Due times are arithmetic from
// the start, so that no delay ever shifts a later one.
//
// Evenly: one thread of `threads` has every threads-th call of one even schedule. Poisson: each
// thread draws arrivals of its own, which together are Poisson again; the same seed gives the same
// times.
#ifndef EDGE_LOAD_SCHEDULE_H
#define EDGE_LOAD_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/shape.h"

struct edge_schedule {
    const struct edge_shape *shape; // calls per second of all threads together
    uint64_t start_ns;
    uint64_t threads; // >= 1
    uint64_t thread;  // 0 to threads - 1
    bool poisson;
    uint64_t random; // the generator's state

    uint64_t number;   // of the next call, among those of all threads if evenly spread
    uint32_t fraction; // Poisson: and this part of 2^32
    uint64_t due_ns;   // when the next call is due
};

// The seed is for Poisson arrivals. Borrows the shape.
void edge_schedule_init(struct edge_schedule *schedule, const struct edge_shape *shape,
                        uint64_t start_ns, uint64_t thread, uint64_t threads);
void edge_schedule_randomize(struct edge_schedule *schedule, uint64_t seed);

// Moves on to the call after the next.
void edge_schedule_next(struct edge_schedule *schedule);

// Moves on past the calls that are due before a time, but at most `most`. Returns how many those
// are; *last_ns is when the last of them was due (unchanged: there is none). Evenly: in one step.
uint64_t edge_schedule_skip(struct edge_schedule *schedule, uint64_t before_ns, uint64_t most,
                            uint64_t *last_ns);

#endif
