// Which call may start now, and when it was due: one per generator thread.
//
// Closed loop: always one more, due when it starts. Open loop: as the schedule says; a call that
// finds no room waits in the difference of two numbers, not in memory.
#ifndef EDGE_LOAD_PACER_H
#define EDGE_LOAD_PACER_H

#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"
#include "load/schedule.h"

struct edge_pacer {
    bool open_loop;
    bool idle;                // no call is ever due
    bool stopped;             // no call will start any more
    uint64_t window_start_ns; // calls due from here on are counted; EDGE_LOOP_FOREVER: see `skip`
    uint64_t window_stop_ns;  // no call is due from here on; EDGE_LOOP_FOREVER: after `total`
    uint64_t deadline_ns;     // with `total`: the end, if that is not reached before
    uint64_t total;           // counted calls of this thread; 0: by time
    uint64_t skip;            // calls yet to start before the window begins

    struct edge_schedule schedule; // open loop: its next call is the next to start
    uint64_t taken;                // counted calls that started
};

// Sets window and share: thread `thread` of `threads`. With `total` > 0 of all threads together,
// each has an even part, and of config->skip, too. `rates` is what an open loop follows; borrowed.
void edge_pacer_init(struct edge_pacer *pacer, const struct edge_load_config *config,
                     const struct edge_shape *rates, uint64_t thread, uint64_t threads,
                     uint64_t start_ns);

// True if a call is due now.
bool edge_pacer_ready(struct edge_pacer *pacer, uint64_t now_ns);

// Takes that call: edge_pacer_ready() must just have been true. Returns when it was due; *counted:
// it belongs to the window.
uint64_t edge_pacer_take(struct edge_pacer *pacer, uint64_t now_ns, bool *counted);

// Whether something at `at_ns` belongs to the window; with `total`: what a counted call does.
static inline bool edge_pacer_in_window(const struct edge_pacer *pacer, bool counted,
                                        uint64_t at_ns)
{
    return pacer->total > 0 ? counted
                            : at_ns >= pacer->window_start_ns && at_ns < pacer->window_stop_ns;
}

// When to look again: the next due time, the end, or EDGE_LOOP_FOREVER.
uint64_t edge_pacer_next(const struct edge_pacer *pacer);

// Ends the window early.
void edge_pacer_stop(struct edge_pacer *pacer, uint64_t now_ns);

// At the end: how many calls were due inside the window, and how many of them never started.
uint64_t edge_pacer_due(const struct edge_pacer *pacer);
uint64_t edge_pacer_unsent(const struct edge_pacer *pacer);

// Counts a lower bound of each unsent call's response time: it had waited from its due time until
// sending ended. If calls are evenly spread, one step per bin, not per call.
void edge_pacer_record_unsent(const struct edge_pacer *pacer, struct edge_histogram *response);

#endif
