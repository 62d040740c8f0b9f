// When calls are due in an open loop: by arithmetic from the start, so that no delay ever shifts a
// later due time. One thread of `threads` has every threads-th call of one even schedule.
#ifndef EDGE_LOAD_SCHEDULE_H
#define EDGE_LOAD_SCHEDULE_H

#include <stdint.h>

#define EDGE_SCHEDULE_RATE_MAX UINT64_C(1000000000)

struct edge_schedule {
    uint64_t start_ns;
    uint64_t rate;    // calls per second of all threads together, 1 to EDGE_SCHEDULE_RATE_MAX
    uint64_t threads; // >= 1
    uint64_t thread;  // 0 to threads - 1
};

// When this thread's call number `index` is due: start + floor((index * threads + thread) s /
// rate). Exact for schedules of up to 500 years.
uint64_t edge_schedule_due(const struct edge_schedule *schedule, uint64_t index);

// How many of this thread's calls are due before `now_ns`.
uint64_t edge_schedule_count(const struct edge_schedule *schedule, uint64_t now_ns);

#endif
