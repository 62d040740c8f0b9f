#include "load/pacer.h"

#include "net/loop.h"

static uint64_t share(uint64_t whole, uint64_t part, uint64_t parts)
{
    return whole / parts + (part < whole % parts);
}

void edge_pacer_init(struct edge_pacer *pacer, const struct edge_load_config *config,
                     uint64_t thread, uint64_t threads, uint64_t start_ns)
{
    *pacer = (struct edge_pacer){
        .open_loop = config->rate > 0,
        .idle = config->idle,
        .window_start_ns = start_ns + config->warmup_ns,
        .window_stop_ns = EDGE_LOOP_FOREVER,
        .total = config->total > 0 ? share(config->total, thread, threads) : 0,
    };
    if (config->total == 0)
        pacer->window_stop_ns = pacer->window_start_ns + config->duration_ns;
    else if (pacer->total == 0)
        pacer->stopped = true;
    if (!pacer->open_loop)
        return;
    pacer->schedule = (struct edge_schedule){
        .start_ns = start_ns, .rate = config->rate, .threads = threads, .thread = thread};
    pacer->next_due_ns = edge_schedule_due(&pacer->schedule, 0);
    pacer->first = edge_schedule_count(&pacer->schedule, pacer->window_start_ns);
    pacer->limit = config->total > 0 ? pacer->first + pacer->total
                                     : edge_schedule_count(&pacer->schedule, pacer->window_stop_ns);
}

bool edge_pacer_ready(struct edge_pacer *pacer, uint64_t now_ns)
{
    if (pacer->stopped)
        return false;
    if (now_ns >= pacer->window_stop_ns ||
        (pacer->open_loop ? pacer->next >= pacer->limit
                          : pacer->total > 0 && pacer->taken == pacer->total)) {
        pacer->stopped = true;
        return false;
    }
    return !pacer->idle && (!pacer->open_loop || pacer->next_due_ns <= now_ns);
}

uint64_t edge_pacer_take(struct edge_pacer *pacer, uint64_t now_ns, bool *counted)
{
    if (!pacer->open_loop) {
        *counted = now_ns >= pacer->window_start_ns;
        pacer->taken += *counted;
        return now_ns;
    }
    *counted = pacer->next >= pacer->first;
    pacer->taken += *counted;
    uint64_t due_ns = pacer->next_due_ns;
    pacer->next_due_ns = edge_schedule_due(&pacer->schedule, ++pacer->next);
    return due_ns;
}

uint64_t edge_pacer_next(const struct edge_pacer *pacer)
{
    if (pacer->stopped)
        return EDGE_LOOP_FOREVER;
    if (pacer->open_loop && pacer->next < pacer->limit &&
        pacer->next_due_ns < pacer->window_stop_ns)
        return pacer->next_due_ns;
    return pacer->window_stop_ns;
}

void edge_pacer_stop(struct edge_pacer *pacer, uint64_t now_ns)
{
    if (now_ns >= pacer->window_stop_ns)
        return;
    pacer->stopped = true;
    pacer->window_stop_ns = now_ns;
    if (!pacer->open_loop)
        return;
    uint64_t limit = edge_schedule_count(&pacer->schedule, now_ns);
    if (limit < pacer->next)
        limit = pacer->next;
    if (limit < pacer->limit)
        pacer->limit = limit;
}

uint64_t edge_pacer_due(const struct edge_pacer *pacer)
{
    if (!pacer->open_loop)
        return pacer->taken;
    return pacer->limit > pacer->first ? pacer->limit - pacer->first : 0;
}

// Number of the first call that is due and never started; pacer->limit if there is none.
static uint64_t first_unsent(const struct edge_pacer *pacer)
{
    uint64_t from = pacer->next > pacer->first ? pacer->next : pacer->first;
    return from < pacer->limit ? from : pacer->limit;
}

uint64_t edge_pacer_unsent(const struct edge_pacer *pacer)
{
    return pacer->open_loop ? pacer->limit - first_unsent(pacer) : 0;
}

void edge_pacer_record_unsent(const struct edge_pacer *pacer, struct edge_histogram *response)
{
    const struct edge_schedule *schedule = &pacer->schedule;
    uint64_t from = pacer->open_loop ? first_unsent(pacer) : pacer->limit;
    while (from < pacer->limit) {
        // The longest wait of those left, and the others that fall into its bin.
        uint64_t high_ns = pacer->window_stop_ns - edge_schedule_due(schedule, from);
        uint64_t low_ns = edge_histogram_segment_low(high_ns);
        uint64_t end = edge_schedule_count(schedule, pacer->window_stop_ns - low_ns + 1);
        if (end > pacer->limit)
            end = pacer->limit;
        low_ns = pacer->window_stop_ns - edge_schedule_due(schedule, end - 1);
        edge_histogram_record_bounds(response, low_ns, high_ns, end - from);
        from = end;
    }
}
