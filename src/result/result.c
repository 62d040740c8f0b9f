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
    }
    free(result->repeats);
    free(result->opts);
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

void edge_result_merge(const struct edge_result *result, const char *name,
                       struct edge_histogram *into)
{
    for (size_t i = 0; i < result->repeat_count; i++) {
        const struct edge_result_repeat *repeat = &result->repeats[i];
        for (size_t j = 0; j < repeat->hist_count; j++)
            if (strcmp(repeat->hists[j].name, name) == 0)
                merge_one(&repeat->hists[j], into);
    }
}
