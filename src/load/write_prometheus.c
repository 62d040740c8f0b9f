#include <inttypes.h>

#include "base/text.h"
#include "load/books.h"
#include "load/marks.h"
#include "load/summary.h"
#include "load/write.h"

#define PREFIX "bench_edge_load_"

// Labels of every sample; the caller adds one more, or closes.
static void begin_sample(const struct edge_sheet *sheet, const char *name, FILE *out)
{
    const struct edge_payload *payload = sheet->config->payload;
    fprintf(out, PREFIX "%s{address=", name);
    edge_text_quoted(sheet->config->address.text, out);
    fputs(",call=", out);
    edge_text_quoted(payload->path + 1, out);
    fputs(",scenario=", out);
    edge_text_quoted(payload->scenario, out);
    if (sheet->config->name != NULL) {
        fputs(",name=", out);
        edge_text_quoted(sheet->config->name, out);
    }
}

static void begin_family(const char *name, const char *type, const char *help, FILE *out)
{
    fprintf(out, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n", name, help, name, type);
}

static void print_gauge(const struct edge_sheet *sheet, const char *name, const char *help,
                        double value, FILE *out)
{
    begin_family(name, "gauge", help, out);
    begin_sample(sheet, name, out);
    fprintf(out, "} %.15g\n", value);
}

static void print_counter(const struct edge_sheet *sheet, const char *name, const char *help,
                          uint64_t value, FILE *out)
{
    begin_family(name, "counter", help, out);
    begin_sample(sheet, name, out);
    fprintf(out, "} %" PRIu64 "\n", value);
}

// Buckets at 1, 2, 5, 10, ... as far as there are values; cumulative.
static void print_histogram(const struct edge_sheet *sheet, const char *name, const char *help,
                            const struct edge_histogram *histogram, FILE *out)
{
    char part[48];
    if (histogram->count == 0)
        return;
    begin_family(name, "histogram", help, out);
    size_t bin = 0;
    uint64_t seen = 0, mark = edge_marks_from(histogram->min);
    snprintf(part, sizeof(part), "%s_bucket", name);
    for (; seen < histogram->count && bin < EDGE_HISTOGRAM_BINS; mark = edge_marks_after(mark)) {
        seen += edge_marks_count(histogram, mark, &bin);
        begin_sample(sheet, part, out);
        fprintf(out, ",le=\"%.9g\"} %" PRIu64 "\n", (double)mark / 1e9, seen);
    }
    begin_sample(sheet, part, out);
    fprintf(out, ",le=\"+Inf\"} %" PRIu64 "\n", histogram->count);
    snprintf(part, sizeof(part), "%s_sum", name);
    begin_sample(sheet, part, out);
    fprintf(out, "} %.15g\n", (double)histogram->sum / 1e9);
    snprintf(part, sizeof(part), "%s_count", name);
    begin_sample(sheet, part, out);
    fprintf(out, "} %" PRIu64 "\n", histogram->count);
}

static void print_calls(const struct edge_sheet *sheet, FILE *out)
{
    begin_family("calls_total", "counter", "Calls sent, by how they ended.", out);
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++) {
        begin_sample(sheet, "calls_total", out);
        fprintf(out, ",outcome=\"%s\"} %" PRIu64 "\n", edge_outcome_name(i),
                sheet->result->outcomes[i]);
    }
}

int edge_write_prometheus(const struct edge_sheet *sheet, FILE *out)
{
    const struct edge_load_result *result = sheet->result;
    double rate = edge_summary_rate(result);
    if (rate >= 0)
        print_gauge(sheet, "requests_per_second", "Verified calls per second of the window.", rate,
                    out);
    print_gauge(sheet, "window_seconds", "Length of the measured window.",
                (double)(result->window_stop_ns - result->window_start_ns) / 1e9, out);
    print_gauge(sheet, "start_timestamp_seconds", "When the load began, since 1970.",
                (double)sheet->unix_ns / 1e9, out);
    print_calls(sheet, out);
    print_counter(sheet, "calls_unsent_total", "Calls that were due and never sent.",
                  result->unsent, out);
    print_counter(sheet, "connections_opened_total", "Connections opened, reconnects included.",
                  result->connections_opened, out);
    print_counter(sheet, "connections_lost_total", "Connections lost.", result->connections_lost,
                  out);
    print_histogram(sheet, "response_seconds", "Latency from when a call was due.",
                    &result->response, out);
    print_histogram(sheet, "service_seconds", "Latency from when a call was sent.",
                    &result->service, out);
    print_histogram(sheet, "send_lag_seconds", "How late calls were sent.", &result->send_lag, out);
    print_gauge(sheet, "client_limited", "1 if the generator was the limit, 0 if it was not.",
                result->client_limited, out);
    if (sheet->goals->count > 0)
        print_gauge(sheet, "goals_kept", "1 if all goals were kept, 0 if they were not.",
                    edge_goals_kept(sheet->goals, sheet->config, result), out);
    return 0;
}
