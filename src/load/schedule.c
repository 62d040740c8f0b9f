#include "load/schedule.h"

#include <math.h>

// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void set_due(struct edge_schedule *schedule)
{
    schedule->due_ns =
        schedule->start_ns + edge_shape_due(schedule->shape, schedule->number, schedule->fraction);
}

// In calls of all threads the gaps of one thread are exponential, with a mean of `threads`.
static void advance_randomly(struct edge_schedule *schedule)
{
    double uniform = (double)((draw(&schedule->random) >> 11) + 1) * 0x1p-53; // in (0, 1]
    double gap = -log(uniform) * (double)schedule->threads;
    double whole = floor(gap);
    uint64_t fraction = schedule->fraction + (uint64_t)((gap - whole) * 0x1p32);
    schedule->number += (uint64_t)whole + (fraction >> 32);
    schedule->fraction = (uint32_t)fraction;
}

void edge_schedule_init(struct edge_schedule *schedule, const struct edge_shape *shape,
                        uint64_t start_ns, uint64_t thread, uint64_t threads)
{
    *schedule = (struct edge_schedule){.shape = shape,
                                       .start_ns = start_ns,
                                       .threads = threads,
                                       .thread = thread,
                                       .number = thread};
    set_due(schedule);
}

void edge_schedule_randomize(struct edge_schedule *schedule, uint64_t seed)
{
    schedule->poisson = true;
    schedule->random = seed;
    schedule->number = 0;
    for (uint64_t i = 0; i <= schedule->thread; i++) // a stream of its own for each thread
        schedule->random = draw(&seed);
    advance_randomly(schedule);
    set_due(schedule);
}

void edge_schedule_next(struct edge_schedule *schedule)
{
    if (schedule->poisson)
        advance_randomly(schedule);
    else
        schedule->number += schedule->threads;
    set_due(schedule);
}

static uint64_t walk(struct edge_schedule *schedule, uint64_t before_ns, uint64_t most,
                     uint64_t *last_ns)
{
    uint64_t count = 0;
    for (; count < most && schedule->due_ns < before_ns; count++) {
        *last_ns = schedule->due_ns;
        edge_schedule_next(schedule);
    }
    return count;
}

uint64_t edge_schedule_skip(struct edge_schedule *schedule, uint64_t before_ns, uint64_t most,
                            uint64_t *last_ns)
{
    if (schedule->poisson)
        return walk(schedule, before_ns, most, last_ns);
    if (schedule->due_ns >= before_ns || most == 0)
        return 0;
    // Calls of all threads that are due before that, and this thread's part of those to come.
    uint64_t all = edge_shape_count(schedule->shape, before_ns - schedule->start_ns);
    uint64_t count = (all - 1 - schedule->number) / schedule->threads + 1;
    if (count > most)
        count = most;
    schedule->number += (count - 1) * schedule->threads;
    set_due(schedule);
    *last_ns = schedule->due_ns;
    edge_schedule_next(schedule);
    return count;
}
