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
        if (start->t_ns != EDGE_UNMEASURED && sample->t_ns > start->t_ns &&
            sample->t_ns < stop->t_ns) // stop is EDGE_UNMEASURED, the largest, if there is none
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

void edge_measurement_figures(const struct edge_measurement *measurement, bool same_machine,
                              struct edge_window_figures *figures)
{
    figure_cpu(measurement, same_machine, figures);
    figure_memory(measurement, figures);
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
