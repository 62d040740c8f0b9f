#include "load/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/books.h"
#include "load/summary.h"

struct list {
    struct edge_figure *at;
    size_t count;
};

static void add(struct list *list, const char *prefix, const char *name, double value, bool whole)
{
    struct edge_figure *figure = &list->at[list->count++];
    *figure = (struct edge_figure){.value = value, .whole = whole};
    snprintf(figure->name, sizeof(figure->name), "%s%s", prefix, name);
}

static void add_count(struct list *list, const char *name, uint64_t value)
{
    add(list, "", name, (double)value, true);
}

static void add_latency(struct list *list, const char *prefix,
                        const struct edge_histogram *histogram)
{
    static const struct {
        const char *name;
        double percent;
    } rows[] = {{"p50_ns", 50}, {"p75_ns", 75}, {"p90_ns", 90},
                {"p95_ns", 95}, {"p99_ns", 99}, {"p99_9_ns", 99.9}};
    bool known = histogram->count > 0;
    add(list, prefix, "mean_ns", known ? edge_histogram_mean(histogram) : NAN, false);
    add(list, prefix, "min_ns", known ? (double)histogram->min : NAN, true);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        add(list, prefix, rows[i].name,
            known ? (double)edge_histogram_percentile(histogram, rows[i].percent) : NAN, true);
    add(list, prefix, "max_ns", known ? (double)histogram->max : NAN, true);
}

size_t edge_figures_collect(const struct edge_sheet *sheet, struct edge_figure *figures)
{
    const struct edge_load_result *result = sheet->result;
    struct list list = {figures, 0};
    double rate = edge_summary_rate(result);
    add_count(&list, "connections", sheet->config->connections);
    add_count(&list, "concurrency", sheet->config->concurrency);
    add_count(&list, "rate_per_s", sheet->config->rate);
    add_count(&list, "window_ns", result->window_stop_ns - result->window_start_ns);
    add(&list, "", "req_per_s", rate >= 0 ? rate : NAN, false);
    add_count(&list, "due", result->due);
    add_count(&list, "sent", result->sent);
    add_count(&list, "unsent", result->unsent);
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++)
        add_count(&list, edge_outcome_name(i), result->outcomes[i]);
    add_latency(&list, "response_", &result->response);
    add_latency(&list, "service_", &result->service);
    bool lag = result->send_lag.count > 0;
    add(&list, "send_lag_", "p99_ns",
        lag ? (double)edge_histogram_percentile(&result->send_lag, 99) : NAN, true);
    add(&list, "send_lag_", "max_ns", lag ? (double)result->send_lag.max : NAN, true);
    add_count(&list, "connections_opened", result->connections_opened);
    add_count(&list, "connections_lost", result->connections_lost);
    add_count(&list, "bytes_in", result->bytes_in);
    add_count(&list, "bytes_out", result->bytes_out);
    add_count(&list, "balanced", result->balanced);
    add_count(&list, "client_limited", result->client_limited);
    add_count(&list, "goals_kept", edge_goals_kept(sheet->goals, sheet->config, result));
    return list.count;
}

const char *edge_figures_text(const struct edge_figure *figure, char *text, size_t size)
{
    text[0] = '\0';
    if (!isnan(figure->value))
        snprintf(text, size, figure->whole ? "%.0f" : "%.15g", figure->value);
    return text;
}
