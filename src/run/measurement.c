#include "run/measurement.h"

#include <errno.h>
#include <stdlib.h>

#include "result/record.h"

void edge_measurement_init(struct edge_measurement *measurement, uint64_t repeat)
{
    *measurement = (struct edge_measurement){.repeat = repeat};
    edge_agent_sample_init(&measurement->idle);
    edge_agent_sample_init(&measurement->window_start);
    edge_agent_sample_init(&measurement->window_stop);
    edge_agent_sample_init(&measurement->rest);
}

int edge_measurement_add(struct edge_measurement *measurement,
                         const struct edge_agent_sample *sample)
{
    size_t count = measurement->sample_count;
    if ((count & (count - 1)) == 0) { // full at each power of two
        struct edge_agent_sample *samples =
            realloc(measurement->samples, (count ? count * 2 : 1) * sizeof(*samples));
        if (!samples)
            return -ENOMEM;
        measurement->samples = samples;
    }
    measurement->samples[count] = *sample;
    measurement->sample_count = count + 1;
    return 0;
}

void edge_measurement_free(struct edge_measurement *measurement)
{
    free(measurement->samples);
    measurement->samples = NULL;
    measurement->sample_count = 0;
    if (measurement->loaded)
        edge_load_result_free(&measurement->load);
    measurement->loaded = false;
}

static uint64_t difference(uint64_t start, uint64_t stop)
{
    if (start == EDGE_UNMEASURED || stop == EDGE_UNMEASURED || stop < start)
        return EDGE_UNMEASURED;
    return stop - start;
}

static void add_rss(const struct edge_agent_sample *sample, uint64_t *sum, uint64_t *count)
{
    if (sample->rss_bytes == EDGE_UNMEASURED)
        return;
    *sum += sample->rss_bytes;
    (*count)++;
}

// Those of the window; all else is of no interest to a mean.
static bool inside(const struct edge_measurement *measurement,
                   const struct edge_agent_sample *sample)
{
    const struct edge_agent_sample *start = &measurement->window_start;
    return start->t_ns != EDGE_UNMEASURED && sample->t_ns > start->t_ns &&
           sample->t_ns < measurement->window_stop.t_ns; // the largest, if there is none
}

static void figure_memory(const struct edge_measurement *measurement,
                          struct edge_window_figures *figures)
{
    const struct edge_agent_sample *start = &measurement->window_start;
    const struct edge_agent_sample *stop = &measurement->window_stop;
    uint64_t sum = 0, count = 0;
    add_rss(start, &sum, &count);
    add_rss(stop, &sum, &count);
    for (size_t i = 0; i < measurement->sample_count; i++) {
        const struct edge_agent_sample *sample = &measurement->samples[i];
        if (inside(measurement, sample))
            add_rss(sample, &sum, &count);
    }
    figures->samples = count;
    figures->rss_bytes = count > 0 ? sum / count : EDGE_UNMEASURED;
    figures->peak_bytes = stop->hwm_bytes;
    figures->pss_bytes = stop->pss_bytes;
}

static void figure_cpu(const struct edge_measurement *measurement, bool same_machine,
                       struct edge_window_figures *figures)
{
    const struct edge_agent_sample *start = &measurement->window_start;
    const struct edge_agent_sample *stop = &measurement->window_stop;
    figures->client_cpu_ns = EDGE_UNMEASURED;
    if (measurement->loaded) {
        figures->client_cpu_ns = 0;
        for (unsigned i = 0; i < measurement->load.thread_count; i++)
            figures->client_cpu_ns += measurement->load.threads[i].cpu_ns;
    }
    figures->server_cpu_ns = difference(start->cpu_ns, stop->cpu_ns);
    uint64_t busy_ns = difference(start->machine_busy_ns, stop->machine_busy_ns);
    uint64_t ours_ns = figures->server_cpu_ns;
    figures->background_cpu_ns = EDGE_UNMEASURED;
    if (busy_ns == EDGE_UNMEASURED || ours_ns == EDGE_UNMEASURED)
        return;
    if (same_machine && figures->client_cpu_ns != EDGE_UNMEASURED)
        ours_ns += figures->client_cpu_ns;
    // Busy time comes in clock ticks: a little below zero is nothing.
    figures->background_cpu_ns = busy_ns > ours_ns ? busy_ns - ours_ns : 0;
}

struct mean {
    uint64_t sum, count;
};

static void add_to(struct mean *mean, uint64_t value)
{
    if (value == EDGE_UNMEASURED)
        return;
    mean->sum += value;
    mean->count++;
}

static uint64_t mean_of(const struct mean *mean)
{
    return mean->count > 0 ? mean->sum / mean->count : EDGE_UNMEASURED;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    if (a == EDGE_UNMEASURED || b == EDGE_UNMEASURED)
        return a == EDGE_UNMEASURED ? b : a;
    return a > b ? a : b;
}

struct board_sums {
    struct mean requested, measured;
    uint64_t hottest, fewest_cpus;
};

static void add_board(const struct edge_agent_sample *sample, struct board_sums *sums)
{
    add_to(&sums->requested, sample->requested_hz);
    add_to(&sums->measured, sample->measured_hz);
    sums->hottest = larger(sums->hottest, sample->temperature_millicelsius);
    if (sample->cpus_online < sums->fewest_cpus) // unmeasured is the largest
        sums->fewest_cpus = sample->cpus_online;
}

#define LIVE_BITS   UINT64_C(0xffff)
#define STICKY_BITS UINT64_C(0xffff0000)

// Live bits count whenever they were set. Sticky ones count if they were not set at first: what
// happened between two samples is only there.
static uint64_t throttled(const struct edge_measurement *measurement)
{
    uint64_t first = EDGE_UNMEASURED, bits = EDGE_UNMEASURED;
    for (size_t i = 0; i < measurement->sample_count + 3; i++) {
        const struct edge_agent_sample *marks[] = {&measurement->idle, &measurement->window_start,
                                                   &measurement->window_stop};
        const struct edge_agent_sample *sample = i < 3 ? marks[i] : &measurement->samples[i - 3];
        if (sample->throttle_bits == EDGE_UNMEASURED)
            continue;
        if (first == EDGE_UNMEASURED) {
            first = sample->throttle_bits;
            bits = 0;
        }
        bits |= sample->throttle_bits & (LIVE_BITS | (STICKY_BITS & ~first));
    }
    return bits;
}

static void figure_board(const struct edge_measurement *measurement,
                         struct edge_window_figures *figures)
{
    const struct edge_agent_sample *start = &measurement->window_start;
    const struct edge_agent_sample *stop = &measurement->window_stop;
    struct board_sums sums = {.hottest = EDGE_UNMEASURED, .fewest_cpus = EDGE_UNMEASURED};
    add_board(start, &sums);
    add_board(stop, &sums);
    for (size_t i = 0; i < measurement->sample_count; i++)
        if (inside(measurement, &measurement->samples[i]))
            add_board(&measurement->samples[i], &sums);
    figures->temperature_start_millicelsius = start->temperature_millicelsius;
    figures->temperature_max_millicelsius = sums.hottest;
    figures->requested_hz = mean_of(&sums.requested);
    figures->measured_hz = mean_of(&sums.measured);
    figures->throttle_bits = throttled(measurement);
    figures->below_max_ns = difference(start->below_max_ns, stop->below_max_ns);
    figures->steal_ns = difference(start->machine_steal_ns, stop->machine_steal_ns);
    figures->cpu_pressure_ns = difference(start->cpu_pressure_ns, stop->cpu_pressure_ns);
    figures->memory_pressure_ns = difference(start->memory_pressure_ns, stop->memory_pressure_ns);
    figures->io_pressure_ns = difference(start->io_pressure_ns, stop->io_pressure_ns);
    figures->cgroup_peak_bytes = stop->cgroup_peak_bytes;
    figures->cpus_lost = difference(sums.fewest_cpus, start->cpus_online);
    figures->swap_bytes = difference(start->swap_bytes, stop->swap_bytes);
    if (start->swap_bytes != EDGE_UNMEASURED && stop->swap_bytes < start->swap_bytes)
        figures->swap_bytes = 0; // it shrank
}

void edge_measurement_figures(const struct edge_measurement *measurement, bool same_machine,
                              struct edge_window_figures *figures)
{
    figure_cpu(measurement, same_machine, figures);
    figure_memory(measurement, figures);
    figure_board(measurement, figures);
    // At rest no call is half done: the counts are of whole calls, all of them.
    figures->instructions =
        difference(measurement->idle.guest_insns, measurement->rest.guest_insns);
    figures->system_calls =
        difference(measurement->idle.guest_syscalls, measurement->rest.guest_syscalls);
    const struct edge_agent_sync *before = &measurement->sync_before;
    const struct edge_agent_sync *after = &measurement->sync_after;
    figures->clock_step_ns = EDGE_UNMEASURED_SIGNED;
    if (before->round_trip_ns > 0 && after->round_trip_ns > 0)
        figures->clock_step_ns = (int64_t)(after->wall_ns - after->time_ns) -
                                 (int64_t)(before->wall_ns - before->time_ns);
}
