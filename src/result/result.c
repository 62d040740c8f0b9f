#include "result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void edge_result_free(struct edge_result *result)
{
    for (size_t i = 0; i < result->repeat_count; i++) {
        struct edge_result_repeat *repeat = &result->repeats[i];
        for (size_t j = 0; j < repeat->hist_count; j++)
            free(repeat->hists[j].bins);
        free(repeat->hists);
        free(repeat->intervals);
        free(repeat->samples);
        free(repeat->energies);
        free(repeat->powers);
    }
    free(result->repeats);
    free(result->opts);
    free(result->sources);
    free(result->rules);
    memset(result, 0, sizeof(*result));
}

const char *edge_result_option(const struct edge_result *result, const char *name)
{
    for (size_t i = 0; i < result->opt_count; i++)
        if (strcmp(result->opts[i].name, name) == 0)
            return result->opts[i].value;
    return NULL;
}

uint64_t edge_result_host_time(const struct edge_result_repeat *repeat, uint64_t agent_time_ns)
{
    const struct edge_record_sync *sync = &repeat->sync;
    if (sync->time_ns == EDGE_UNMEASURED || sync->agent_time_ns == EDGE_UNMEASURED)
        return agent_time_ns;
    return agent_time_ns + (sync->time_ns - sync->agent_time_ns);
}

const struct edge_record_source *edge_result_source(const struct edge_result *result,
                                                    uint64_t number)
{
    for (size_t i = 0; i < result->source_count; i++)
        if (result->sources[i].source == number)
            return &result->sources[i];
    return NULL;
}

double edge_result_rate(const struct edge_result_repeat *repeat)
{
    const struct edge_record_interval *window = &repeat->window;
    if (window->start_ns == EDGE_UNMEASURED || window->stop_ns <= window->start_ns ||
        repeat->count.ok_in_window == EDGE_UNMEASURED)
        return NAN;
    return (double)repeat->count.ok_in_window * 1e9 / (double)(window->stop_ns - window->start_ns);
}

static void merge_one(const struct edge_record_hist *hist, struct edge_histogram *into)
{
    if (hist->count == 0)
        return;
    for (size_t i = 0; i < hist->bin_count; i++)
        into->bins[edge_histogram_bin(hist->bins[i].low_ns)] += hist->bins[i].count;
    if (into->count == 0 || hist->min_ns < into->min)
        into->min = hist->min_ns;
    if (hist->max_ns > into->max)
        into->max = hist->max_ns;
    into->count += hist->count;
    into->sum += hist->sum_ns;
    into->clamped += hist->clamped;
    into->censored += hist->censored != EDGE_UNMEASURED ? hist->censored : 0;
}

void edge_result_merge_repeat(const struct edge_result_repeat *repeat, const char *name,
                              struct edge_histogram *into)
{
    for (size_t i = 0; i < repeat->hist_count; i++)
        if (strcmp(repeat->hists[i].name, name) == 0)
            merge_one(&repeat->hists[i], into);
}

void edge_result_merge(const struct edge_result *result, const char *name,
                       struct edge_histogram *into)
{
    for (size_t i = 0; i < result->repeat_count; i++)
        edge_result_merge_repeat(&result->repeats[i], name, into);
}
