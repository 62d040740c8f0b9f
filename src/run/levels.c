#include "run/levels.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "run/run_tls.h"

#define STEPS      10
#define CONNECT_NS (5 * EDGE_NS_PER_S)
#define DRAIN_NS   (5 * EDGE_NS_PER_S)
#define PATIENCE   4 // intervals of a power source
#define AT_MOST_NS (6 * EDGE_NS_PER_S)
#define TICK_NS    (20 * EDGE_NS_PER_MS)

struct edge_measurement_span *edge_levels_span(struct edge_measurement *measurement,
                                               const char *name)
{
    struct edge_measurement_span *span = &measurement->spans[measurement->span_count];
    *span = (struct edge_measurement_span){.name = name};
    edge_agent_sample_init(&span->start);
    edge_agent_sample_init(&span->stop);
    return span;
}

// A span without connections or without an end is not kept.
static int run_span(struct edge_follow *follow, struct edge_measurement_span *span,
                    uint64_t warmup_ns, uint64_t duration_ns, bool deep)
{
    const struct edge_run_options *options = follow->sequence->options;
    struct edge_measurement *measurement = follow->measurement;
    char doing[48];
    if (span->target_rate > 0)
        snprintf(doing, sizeof(doing), "at %u %%", (unsigned)span->load_percent);
    const struct edge_follow_load plan = {
        .config = {.address = follow->address,
                   .tls = edge_run_tls_client(follow->sequence->tls),
                   .payload = follow->sequence->payload,
                   .connections = options->connections,
                   .concurrency = options->concurrency,
                   .rate = span->target_rate,
                   .idle = span->target_rate == 0,
                   .duration_ns = duration_ns,
                   .warmup_ns = warmup_ns,
                   .timeout_ns = options->timeout_ns,
                   .connect_timeout_ns = CONNECT_NS,
                   .drain_ns = DRAIN_NS,
                   .cpus = follow->sequence->target->client_cpus},
        .doing = span->target_rate > 0 ? doing : "idle",
        .start = &span->start,
        .stop = &span->stop,
        .deep = deep,
    };
    struct edge_load_result result;
    struct edge_message why;
    bool started;
    int error = edge_follow_run(follow, &plan, &started, &result, &why);
    if (!started) {
        edge_progress_say(follow->sequence->progress, "%s: %s: %s", follow->sequence->title,
                          plan.doing, why.text);
        return error;
    }
    span->start_ns = result.window_start_ns;
    span->stop_ns = result.window_stop_ns;
    span->ok = result.ok_in_window;
    span->ended = result.sent;
    if (!error && !edge_follow_is_over(follow) && span->stop_ns > span->start_ns)
        measurement->span_count++;
    edge_load_result_free(&result);
    return error;
}

int edge_levels_idle(struct edge_follow *follow, const char *name)
{
    const struct edge_sequence *sequence = follow->sequence;
    if (sequence->meters->count == 0 || sequence->options->idle_ns == 0)
        return 0;
    return run_span(follow, edge_levels_span(follow->measurement, name), 0,
                    sequence->options->idle_ns, false);
}

int edge_levels_hold(struct edge_follow *follow, const char *name, uint64_t duration_ns)
{
    return run_span(follow, edge_levels_span(follow->measurement, name), 0, duration_ns, true);
}

int edge_levels_run(struct edge_follow *follow)
{
    const struct edge_run_options *options = follow->sequence->options;
    struct edge_measurement *measurement = follow->measurement;
    const struct edge_load_result *load = &measurement->load;
    int error = 0;
    if (options->profile != EDGE_PROFILE_GRADUATED)
        return 0;
    double found =
        (double)load->ok_in_window * 1e9 / (double)(load->window_stop_ns - load->window_start_ns);
    for (unsigned step = STEPS + 1; step-- > 0 && !error && !edge_follow_is_over(follow);) {
        struct edge_measurement_span *span = edge_levels_span(measurement, "level");
        span->load_percent = UINT64_C(100) / STEPS * step;
        if (step > 0)
            span->target_rate = (uint64_t)(found * (double)step / STEPS) + 1;
        error =
            run_span(follow, span, step > 0 ? options->warmup_ns : 0, options->duration_ns, false);
    }
    return error;
}

int edge_levels_settle(struct edge_follow *follow)
{
    const struct edge_measurement *measurement = follow->measurement;
    const struct edge_meters *meters = follow->sequence->meters;
    uint64_t last_ns = measurement->load.window_stop_ns, wait_ns = EDGE_NS_PER_S;
    if (measurement->span_count > 0 &&
        measurement->spans[measurement->span_count - 1].stop_ns > last_ns)
        last_ns = measurement->spans[measurement->span_count - 1].stop_ns;
    for (unsigned i = 0; i < meters->count; i++)
        if (meters->at[i].facts.interval_ns != EDGE_UNMEASURED &&
            PATIENCE * meters->at[i].facts.interval_ns > wait_ns)
            wait_ns = PATIENCE * meters->at[i].facts.interval_ns;
    uint64_t until_ns = edge_clock_ns() + (wait_ns < AT_MOST_NS ? wait_ns : AT_MOST_NS);
    int error = 0;
    while (!error && !edge_follow_is_over(follow) && measurement->loaded &&
           edge_clock_ns() < until_ns && !edge_meters_reach(meters, last_ns))
        error = edge_follow_turn(follow, edge_clock_ns() + TICK_NS);
    return error;
}
