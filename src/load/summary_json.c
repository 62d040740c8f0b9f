#include "load/summary.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/build_info.h"

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

// null where nothing was measured.
static json_t *histogram_json(const struct edge_histogram *histogram)
{
    if (histogram->count == 0)
        return json_null();
    json_t *bins = json_array();
    for (size_t i = 0; bins != NULL && i < EDGE_HISTOGRAM_BINS; i++) {
        if (histogram->bins[i] == 0)
            continue;
        json_t *bin = json_pack("[I,I]", (json_int_t)edge_histogram_bin_low(i),
                                (json_int_t)histogram->bins[i]);
        if (json_array_append_new(bins, bin) < 0) {
            json_decref(bins);
            return NULL;
        }
    }
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:I,s:o}", "count",
                     (json_int_t)histogram->count, "min_ns", (json_int_t)histogram->min, "p50_ns",
                     (json_int_t)edge_histogram_percentile(histogram, 50), "p75_ns",
                     (json_int_t)edge_histogram_percentile(histogram, 75), "p90_ns",
                     (json_int_t)edge_histogram_percentile(histogram, 90), "p95_ns",
                     (json_int_t)edge_histogram_percentile(histogram, 95), "p99_ns",
                     (json_int_t)edge_histogram_percentile(histogram, 99), "p99_9_ns",
                     (json_int_t)edge_histogram_percentile(histogram, 99.9), "max_ns",
                     (json_int_t)histogram->max, "mean_ns", edge_histogram_mean(histogram),
                     "clamped", (json_int_t)histogram->clamped, "bins_ns", bins);
}

static json_t *outcomes_json(const struct edge_load_result *result)
{
    json_t *object = json_object();
    for (unsigned i = 0; object != NULL && i < EDGE_OUTCOMES; i++)
        json_object_set_new(object, edge_outcome_name(i), number(result->outcomes[i]));
    return object;
}

static json_t *array_json(const uint64_t *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < count; i++)
        json_array_append_new(array, number(values[i]));
    return array;
}

static json_t *threads_json(const struct edge_load_result *result)
{
    json_t *array = json_array();
    for (unsigned i = 0; array != NULL && i < result->thread_count; i++) {
        const struct edge_load_thread *thread = &result->threads[i];
        json_array_append_new(
            array,
            json_pack("{s:o,s:I,s:I,s:I,s:I,s:I}", "cpu",
                      thread->cpu >= 0 ? json_integer(thread->cpu) : json_null(), "elapsed_ns",
                      (json_int_t)thread->elapsed_ns, "cpu_ns", (json_int_t)thread->cpu_ns,
                      "run_delay_ns",
                      thread->run_delay_ns != EDGE_LOAD_UNKNOWN ? number(thread->run_delay_ns)
                                                                : json_null(),
                      "turns", (json_int_t)thread->turns, "recv_calls",
                      (json_int_t)thread->recv_calls, "replies", (json_int_t)thread->replies));
    }
    return array;
}

static json_t *options_json(const struct edge_load_config *config)
{
    const struct edge_payload *payload = config->payload;
    return json_pack(
        "{s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "address", config->address.text,
        "call", payload->path + 1, "scenario", payload->scenario, "messages_per_call",
        (json_int_t)payload->messages, "connections", (json_int_t)config->connections,
        "concurrency", (json_int_t)config->concurrency, "rate_per_s", (json_int_t)config->rate,
        "total", (json_int_t)config->total, "duration_ns", (json_int_t)config->duration_ns,
        "warmup_ns", (json_int_t)config->warmup_ns, "timeout_ns", (json_int_t)config->timeout_ns,
        "drain_ns", (json_int_t)config->drain_ns);
}

static json_t *books_json(const struct edge_load_result *result)
{
    return json_pack("{s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:b}", "due", (json_int_t)result->due, "sent",
                     (json_int_t)result->sent, "unsent", (json_int_t)result->unsent, "waited",
                     (json_int_t)result->waited, "outcomes", outcomes_json(result), "grpc_status",
                     array_json(result->grpc_status, 17), "reset_code",
                     array_json(result->reset_code, 16), "balanced", result->balanced);
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

int edge_summary_json(const struct edge_load_config *config, const struct edge_load_result *result,
                      FILE *out)
{
    double rate = edge_summary_rate(result);
    json_t *root = json_pack(
        "{s:{s:s,s:i,s:i},s:s,s:o,s:I,s:I,s:o,s:I,s:o,s:I,s:I,s:o,s:I,s:I,s:o,s:o,s:o,s:o,s:b,s:o,"
        "s:b,"
        "s:"
        "o}",
        "format", "name", "bench-edge load", "major", EDGE_SUMMARY_MAJOR, "minor",
        EDGE_SUMMARY_MINOR, "version", edge_build_info()->version, "options", options_json(config),
        "window_ns", (json_int_t)(result->window_stop_ns - result->window_start_ns), "ok_in_window",
        (json_int_t)result->ok_in_window, "ok_per_s", rate >= 0 ? json_real(rate) : json_null(),
        "messages_in_window", (json_int_t)result->messages_in_window, "books", books_json(result),
        "connections_opened", (json_int_t)result->connections_opened, "connections_lost",
        (json_int_t)result->connections_lost, "stream_limit",
        result->stream_limit > 0 ? number(result->stream_limit) : json_null(), "bytes_in",
        (json_int_t)result->bytes_in, "bytes_out", (json_int_t)result->bytes_out, "service",
        histogram_json(&result->service), "response", histogram_json(&result->response), "send_lag",
        histogram_json(&result->send_lag), "threads", threads_json(result), "client_limited",
        result->client_limited, "client_limited_why", text_or_null(result->client_limited_why),
        "stopped_early", result->stopped_early, "first_error", text_or_null(result->first_error));
    if (root == NULL)
        return -ENOMEM;
    int failed = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    fputc('\n', out);
    return failed < 0 ? -EIO : 0;
}
