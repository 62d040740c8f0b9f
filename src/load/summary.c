#include "load/summary.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "grpc/status.h"
#include "load/bars.h"
#include "load/books.h"
#include "load/summary_streams.h"
#include "wire/frame.h"

static const double percents[] = {50, 75, 90, 95, 99, 99.9};
#define PERCENTS (sizeof(percents) / sizeof(percents[0]))

double edge_summary_rate(const struct edge_load_result *result)
{
    uint64_t window_ns = result->window_stop_ns - result->window_start_ns;
    return window_ns > 0 ? (double)result->ok_in_window * 1e9 / (double)window_ns : -1;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_latency(FILE *out, const char *name, const struct edge_histogram *histogram,
                          double ns)
{
    char text[24];
    fprintf(out, "  %s:\t%s\n", name,
            histogram->count > 0 ? edge_format_latency(ns, text, sizeof(text)) : "-");
}

static void print_head(const struct edge_load_config *config, const struct edge_load_result *result,
                       FILE *out)
{
    char text[24];
    const struct edge_payload *payload = config->payload;
    uint64_t window_ns = result->window_stop_ns - result->window_start_ns;
    fprintf(out, "\nSummary:\n");
    if (config->name != NULL)
        fprintf(out, "  Name:\t\t%s\n", config->name);
    fprintf(out, "  Call:\t\t%s (%s) on %s\n", payload->path + 1, payload->scenario,
            config->address.text);
    fprintf(out, "  Load:\t\t%" PRIu64 " in flight over %" PRIu64 " connection%s",
            config->concurrency, config->connections, plural(config->connections));
    if (config->rate > 0)
        fprintf(out, ", %" PRIu64 " calls due per second%s%s", config->rate,
                config->rates.kind != EDGE_SHAPE_CONST ? " at first" : "",
                config->poisson ? ", Poisson" : "");
    fputc('\n', out);
    if (config->tls != NULL)
        fprintf(out, "  TLS:\t\t%s, %s, %" PRIu64 " full and %" PRIu64 " resumed handshakes\n",
                result->tls.version, result->tls.suite, result->tls.full, result->tls.resumed);
    fprintf(out, "  Count:\t%" PRIu64 "\n", result->sent);
    fprintf(out, "  Total:\t%s\n",
            window_ns > 0 ? edge_format_latency((double)window_ns, text, sizeof(text)) : "-");
    const struct edge_histogram *main = config->rate > 0 ? &result->response : &result->service;
    print_latency(out, "Slowest", main, (double)main->max);
    print_latency(out, "Fastest", main, (double)main->min);
    print_latency(out, "Average", main, edge_histogram_mean(main));
    double rate = edge_summary_rate(result);
    if (rate < 0)
        fprintf(out, "  Requests/sec:\t-\n");
    else
        fprintf(out, "  Requests/sec:\t%.2f\n", rate);
    if (rate >= 0 && payload->kind != EDGE_CALL_UNARY)
        fprintf(out, "  Messages/sec:\t%.2f\n",
                edge_summary_per_second(result, result->messages_in_window));
}

static void print_distribution(const char *title, const struct edge_histogram *histogram, FILE *out)
{
    char text[24];
    fprintf(out, "\n%s:\n", title);
    if (histogram->count == 0) {
        fprintf(out, "  -\n");
        return;
    }
    for (size_t i = 0; i < PERCENTS; i++)
        fprintf(out, "  %g %% in %s\n", percents[i],
                edge_format_latency((double)edge_histogram_percentile(histogram, percents[i]), text,
                                    sizeof(text)));
    fprintf(out, "  max in %s\n", edge_format_latency((double)histogram->max, text, sizeof(text)));
    if (histogram->censored > 0)
        fprintf(out,
                "  of these %" PRIu64 ", %" PRIu64
                " are lower bounds: of calls that timed out, were "
                "unfinished or never sent\n",
                histogram->count, histogram->censored);
}

static void print_status(const struct edge_load_result *result, FILE *out)
{
    fprintf(out, "\nStatus code distribution:\n");
    // Status 0 came with these too, whatever was wrong with the replies.
    uint64_t ok = result->outcomes[EDGE_OUTCOME_OK] + result->outcomes[EDGE_OUTCOME_WRONG_REPLY] +
                  result->outcomes[EDGE_OUTCOME_WRONG_COUNT] +
                  result->outcomes[EDGE_OUTCOME_BAD_MESSAGE];
    if (ok > 0)
        fprintf(out, "  [OK]\t%" PRIu64 " responses\n", ok);
    for (int i = 1; i < EDGE_STATUS_CODES; i++) {
        if (result->grpc_status[i] > 0)
            fprintf(out, "  [%s%s]\t%" PRIu64 " responses\n", edge_status_name(i),
                    i == EDGE_STATUS_CODES - 1 ? " or above" : "", result->grpc_status[i]);
    }
}

static void print_errors(const struct edge_load_result *result, FILE *out)
{
    if (edge_books_failed(result) == 0)
        return;
    fprintf(out, "\nError distribution:\n");
    for (unsigned i = EDGE_OUTCOME_OK + 1; i < EDGE_OUTCOMES; i++) {
        if (result->outcomes[i] > 0)
            fprintf(out, "  [%" PRIu64 "]\t%s\n", result->outcomes[i], edge_outcome_name(i));
    }
    for (uint32_t i = 0; i < 16; i++) {
        if (result->reset_code[i] > 0)
            fprintf(out, "  [%" PRIu64 "]\treset: %s\n", result->reset_code[i],
                    edge_h2_error_name(i));
    }
    if (result->first_error[0] != '\0')
        fprintf(out, "  first: %s\n", result->first_error);
}

static void print_books(const struct edge_load_result *result, FILE *out)
{
    fprintf(out, "\nBooks: due %" PRIu64 " = sent %" PRIu64 " + unsent %" PRIu64 "; sent = ",
            result->due, result->sent, result->unsent);
    const char *plus = "";
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++) {
        if (i != EDGE_OUTCOME_OK && result->outcomes[i] == 0)
            continue;
        fprintf(out, "%s%s %" PRIu64, plus, edge_outcome_name(i), result->outcomes[i]);
        plus = " + ";
    }
    fprintf(out, ": %s\n", result->balanced ? "BALANCED" : "NOT BALANCED");
    if (result->noncanonical > 0)
        fprintf(out, "  %" PRIu64 " replies were right in meaning, encoded differently\n",
                result->noncanonical);
}

static void print_health(const struct edge_load_config *config,
                         const struct edge_load_result *result, FILE *out)
{
    char p50[24], p99[24], max[24];
    fprintf(out, "\nGenerator:\n");
    for (unsigned i = 0; i < result->thread_count; i++) {
        const struct edge_load_thread *thread = &result->threads[i];
        fprintf(out, "  thread %u", i);
        if (thread->cpu >= 0)
            fprintf(out, " on CPU %d", thread->cpu);
        if (thread->elapsed_ns > 0)
            fprintf(out, ": %.1f %% of its CPU",
                    (double)thread->cpu_ns * 100 / (double)thread->elapsed_ns);
        if (thread->elapsed_ns > 0 && thread->run_delay_ns != EDGE_LOAD_UNKNOWN)
            fprintf(out, ", waited %.1f %% of the time for it",
                    (double)thread->run_delay_ns * 100 / (double)thread->elapsed_ns);
        if (thread->recv_calls > 0)
            fprintf(out, ", %.1f replies per read",
                    (double)thread->replies / (double)thread->recv_calls);
        fputc('\n', out);
    }
    fprintf(out, "  %" PRIu64 " connection%s opened, %" PRIu64 " lost\n",
            result->connections_opened, plural(result->connections_opened),
            result->connections_lost);
    if (result->keepalive_pings > 0)
        fprintf(out, "  %" PRIu64 " keepalive PING%s sent\n", result->keepalive_pings,
                plural(result->keepalive_pings));
    if (result->stream_limit > 0)
        fprintf(out,
                "  the server's MAX_CONCURRENT_STREAMS of %" PRIu64 " kept fewer than %" PRIu64
                " calls in flight\n",
                result->stream_limit, config->concurrency);
    if (result->send_lag.count > 0)
        fprintf(out, "  send lag: p50 %s, p99 %s, max %s\n",
                edge_format_latency((double)edge_histogram_percentile(&result->send_lag, 50), p50,
                                    sizeof(p50)),
                edge_format_latency((double)edge_histogram_percentile(&result->send_lag, 99), p99,
                                    sizeof(p99)),
                edge_format_latency((double)result->send_lag.max, max, sizeof(max)));
    if (result->waited > 0)
        fprintf(out,
                "  %" PRIu64 " calls waited for one of %" PRIu64
                " in flight to end: the server does not keep up with the rate\n",
                result->waited, config->concurrency);
    if (result->client_limited)
        fprintf(out, "  verdict: CLIENT-LIMITED: %s\n", result->client_limited_why);
    else
        fprintf(out, "  verdict: the generator was not the limit\n");
}

void edge_summary_print(const struct edge_load_config *config,
                        const struct edge_load_result *result, FILE *out)
{
    print_head(config, result, out);
    if (config->rate > 0) {
        edge_bars_print_two("Response and service time histograms", "response (from when due)",
                            &result->response, "service (from when sent)", &result->service, out);
        print_distribution("Latency distribution, response time (from when the call was due)",
                           &result->response, out);
        print_distribution("Latency distribution, service time (from when it was sent)",
                           &result->service, out);
    } else {
        edge_bars_print("Service time histogram", &result->service, out);
        print_distribution("Latency distribution (closed loop: latency is service time)",
                           &result->service, out);
    }
    edge_summary_print_streams(config, result, out);
    print_status(result, out);
    print_errors(result, out);
    print_books(result, out);
    print_health(config, result, out);
    if (result->stopped_early)
        fprintf(out, "\nStopped early: this is what was measured until then.\n");
}
