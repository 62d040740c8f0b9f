#include "load/judge.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"

static uint64_t answered(const struct edge_load_result *result)
{
    return result->service.count - result->service.censored;
}

// In an open loop, unless it was the server that kept calls waiting.
static bool lag_tells(const struct edge_load_result *result)
{
    return result->send_lag.count > 0 && answered(result) > 0 &&
           result->waited <= result->sent / 100;
}

static bool too_busy(struct edge_load_result *result)
{
    for (unsigned i = 0; i < result->thread_count; i++) {
        const struct edge_load_thread *thread = &result->threads[i];
        if (thread->elapsed_ns == 0 ||
            thread->cpu_ns <= thread->elapsed_ns / 100 * EDGE_JUDGE_CPU_PERCENT)
            continue;
        snprintf(result->client_limited_why, sizeof(result->client_limited_why),
                 "generator thread %u used %" PRIu64 " %% of its CPU (limit %u %%): give it more "
                 "CPUs with --cpus",
                 i, thread->cpu_ns * 100 / thread->elapsed_ns, EDGE_JUDGE_CPU_PERCENT);
        return true;
    }
    return false;
}

static bool too_late(struct edge_load_result *result)
{
    uint64_t lag_ns = edge_histogram_percentile(&result->send_lag, 99);
    // Calls given up on are the slowest, so the answered ones' median is at a lower rank.
    double median = 50.0 * (double)answered(result) / (double)result->service.count;
    uint64_t limit_ns =
        edge_histogram_percentile(&result->service, median) / 100 * EDGE_JUDGE_LAG_PERCENT;
    if (limit_ns < EDGE_JUDGE_LAG_FLOOR_NS)
        limit_ns = EDGE_JUDGE_LAG_FLOOR_NS;
    if (lag_ns <= limit_ns)
        return false;
    char lag[24], limit[24];
    snprintf(result->client_limited_why, sizeof(result->client_limited_why),
             "calls were sent late: send lag p99 %s (limit %s)",
             edge_format_latency((double)lag_ns, lag, sizeof(lag)),
             edge_format_latency((double)limit_ns, limit, sizeof(limit)));
    return true;
}

void edge_judge(struct edge_load_result *result)
{
    result->client_limited_why[0] = '\0';
    result->client_limited = lag_tells(result) ? too_late(result) : too_busy(result);
}
