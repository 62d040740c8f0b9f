#include "load/schedule.h"

#include "base/clock.h"

// Whole seconds and the rest apart: every product stays below 2^63, also without 128-bit integers.

uint64_t edge_schedule_due(const struct edge_schedule *schedule, uint64_t index)
{
    uint64_t number = index * schedule->threads + schedule->thread;
    uint64_t seconds = number / schedule->rate;
    uint64_t rest = number % schedule->rate;
    return schedule->start_ns + seconds * EDGE_NS_PER_S + rest * EDGE_NS_PER_S / schedule->rate;
}

uint64_t edge_schedule_count(const struct edge_schedule *schedule, uint64_t now_ns)
{
    if (now_ns <= schedule->start_ns)
        return 0;
    uint64_t elapsed = now_ns - schedule->start_ns;
    uint64_t rest = elapsed % EDGE_NS_PER_S * schedule->rate;
    // Calls of all threads that are due before now.
    uint64_t all = elapsed / EDGE_NS_PER_S * schedule->rate + rest / EDGE_NS_PER_S +
                   (rest % EDGE_NS_PER_S != 0);
    if (all <= schedule->thread)
        return 0;
    return (all - 1 - schedule->thread) / schedule->threads + 1;
}
