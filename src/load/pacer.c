#include "load/pacer.h"

#include "net/loop.h"

static uint64_t share(uint64_t whole, uint64_t part, uint64_t parts)
{
    return whole / parts + (part < whole % parts);
}

static void begin_window(struct edge_pacer *pacer, const struct edge_load_config *config,
                         uint64_t start_ns)
{
    uint64_t begin_ns = start_ns + config->warmup_ns;
    pacer->window_start_ns = pacer->skip > 0 ? EDGE_LOOP_FOREVER : begin_ns;
    pacer->window_stop_ns = EDGE_LOOP_FOREVER;
    pacer->deadline_ns = EDGE_LOOP_FOREVER;
    if (config->total == 0)
        pacer->window_stop_ns = begin_ns + config->duration_ns;
    else if (config->max_duration_ns > 0)
        pacer->deadline_ns = begin_ns + config->max_duration_ns;
}

void edge_pacer_init(struct edge_pacer *pacer, const struct edge_load_config *config,
                     const struct edge_shape *rates, uint64_t thread, uint64_t threads,
                     uint64_t start_ns)
{
    *pacer = (struct edge_pacer){
        .open_loop = config->rate > 0,
        .idle = config->idle,
        .total = config->total > 0 ? share(config->total, thread, threads) : 0,
        .skip = share(config->skip, thread, threads),
    };
    begin_window(pacer, config, start_ns);
    if (config->total > 0 && pacer->total == 0)
        pacer->stopped = true;
    if (!pacer->open_loop)
        return;
    edge_schedule_init(&pacer->schedule, rates, start_ns, thread, threads);
    if (config->poisson)
        edge_schedule_randomize(&pacer->schedule, config->seed);
}

bool edge_pacer_ready(struct edge_pacer *pacer, uint64_t now_ns)
{
    if (pacer->stopped)
        return false;
    if (now_ns >= pacer->deadline_ns)
        edge_pacer_stop(pacer, pacer->deadline_ns);
    if (now_ns >= pacer->window_stop_ns ||
        (pacer->open_loop && pacer->schedule.due_ns >= pacer->window_stop_ns) ||
        (pacer->total > 0 && pacer->taken == pacer->total)) {
        pacer->stopped = true;
        return false;
    }
    return !pacer->idle && (!pacer->open_loop || pacer->schedule.due_ns <= now_ns);
}

uint64_t edge_pacer_take(struct edge_pacer *pacer, uint64_t now_ns, bool *counted)
{
    uint64_t due_ns = pacer->open_loop ? pacer->schedule.due_ns : now_ns;
    *counted = due_ns >= pacer->window_start_ns;
    pacer->taken += *counted;
    if (pacer->open_loop)
        edge_schedule_next(&pacer->schedule);
    if (pacer->skip > 0 && --pacer->skip == 0)
        pacer->window_start_ns = pacer->open_loop ? pacer->schedule.due_ns : now_ns;
    return due_ns;
}

uint64_t edge_pacer_next(const struct edge_pacer *pacer)
{
    if (pacer->stopped)
        return EDGE_LOOP_FOREVER;
    uint64_t end_ns =
        pacer->window_stop_ns < pacer->deadline_ns ? pacer->window_stop_ns : pacer->deadline_ns;
    return pacer->open_loop && pacer->schedule.due_ns < end_ns ? pacer->schedule.due_ns : end_ns;
}

void edge_pacer_stop(struct edge_pacer *pacer, uint64_t now_ns)
{
    if (now_ns >= pacer->window_stop_ns)
        return;
    pacer->stopped = true;
    pacer->window_stop_ns = now_ns;
}

// The calls that are due and never started: moves `schedule` to the first. Returns how many.
static uint64_t find_unsent(const struct edge_pacer *pacer, struct edge_schedule *schedule)
{
    uint64_t last_ns;
    *schedule = pacer->schedule;
    if (!pacer->open_loop || pacer->window_start_ns == EDGE_LOOP_FOREVER)
        return 0;
    edge_schedule_skip(schedule, pacer->window_start_ns, UINT64_MAX, &last_ns);
    struct edge_schedule copy = *schedule;
    uint64_t most = pacer->total > 0 ? pacer->total - pacer->taken : UINT64_MAX;
    return edge_schedule_skip(&copy, pacer->window_stop_ns, most, &last_ns);
}

uint64_t edge_pacer_due(const struct edge_pacer *pacer)
{
    return pacer->taken + edge_pacer_unsent(pacer);
}

uint64_t edge_pacer_unsent(const struct edge_pacer *pacer)
{
    struct edge_schedule schedule;
    return find_unsent(pacer, &schedule);
}

void edge_pacer_record_unsent(const struct edge_pacer *pacer, struct edge_histogram *response)
{
    struct edge_schedule schedule;
    uint64_t left = find_unsent(pacer, &schedule);
    while (left > 0) {
        // The longest wait of those left, and the others that fall into its bin.
        uint64_t high_ns = pacer->window_stop_ns - schedule.due_ns;
        uint64_t low_ns = edge_histogram_segment_low(high_ns);
        uint64_t last_ns = schedule.due_ns;
        uint64_t count =
            edge_schedule_skip(&schedule, pacer->window_stop_ns - low_ns + 1, left, &last_ns);
        edge_histogram_record_bounds(response, pacer->window_stop_ns - last_ns, high_ns, count);
        left -= count;
    }
}
