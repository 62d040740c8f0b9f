#include "load/summary.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>

#include "base/build_info.h"
#include "load/service.h"
#include "load/summary_streams.h"

// Sets a member. `value` may be NULL (out of memory): then *failed becomes true, once and for all.
static void put(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) < 0)
        *failed = true;
}

struct number {
    const char *key;
    uint64_t value;
};

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static void put_numbers(json_t *object, const struct number *numbers, size_t count, bool *failed)
{
    for (size_t i = 0; i < count; i++)
        put(object, numbers[i].key, integer(numbers[i].value), failed);
}

#define PUT_NUMBERS(object, failed, ...)                                                           \
    do {                                                                                           \
        const struct number numbers[] = {__VA_ARGS__};                                             \
        put_numbers(object, numbers, sizeof(numbers) / sizeof(numbers[0]), failed);                \
    } while (0)

static json_t *array_json(const uint64_t *values, size_t count, bool *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(array, integer(values[i])) < 0)
            *failed = true;
    }
    return array;
}

static json_t *bins_json(const struct edge_histogram *histogram, bool *failed)
{
    json_t *bins = json_array();
    for (size_t i = 0; i < EDGE_HISTOGRAM_BINS; i++) {
        if (histogram->bins[i] == 0)
            continue;
        const uint64_t bin[] = {edge_histogram_bin_low(i), histogram->bins[i]};
        if (json_array_append_new(bins, array_json(bin, 2, failed)) < 0)
            *failed = true;
    }
    return bins;
}

// null where nothing was measured.
static json_t *histogram_json(const struct edge_histogram *histogram, bool *failed)
{
    if (histogram->count == 0)
        return json_null();
    json_t *object = json_object();
    PUT_NUMBERS(object, failed, {"count", histogram->count}, {"min_ns", histogram->min},
                {"p50_ns", edge_histogram_percentile(histogram, 50)},
                {"p75_ns", edge_histogram_percentile(histogram, 75)},
                {"p90_ns", edge_histogram_percentile(histogram, 90)},
                {"p95_ns", edge_histogram_percentile(histogram, 95)},
                {"p99_ns", edge_histogram_percentile(histogram, 99)},
                {"p99_9_ns", edge_histogram_percentile(histogram, 99.9)},
                {"max_ns", histogram->max}, {"clamped", histogram->clamped},
                {"censored", histogram->censored});
    put(object, "mean_ns", json_real(edge_histogram_mean(histogram)), failed);
    put(object, "bins_ns", bins_json(histogram, failed), failed);
    return object;
}

// null: constant.
static json_t *shape_json(const struct edge_shape_config *shape, bool *failed)
{
    if (shape->kind == EDGE_SHAPE_CONST)
        return json_null();
    json_t *object = json_object();
    put(object, "kind", json_string(shape->kind == EDGE_SHAPE_LINE ? "line" : "step"), failed);
    PUT_NUMBERS(object, failed, {"start", shape->start}, {"end", shape->end},
                {"step_duration_ns", shape->step_duration_ns},
                {"max_duration_ns", shape->max_duration_ns});
    put(object, "step", json_integer(shape->step), failed);
    return object;
}

static json_t *options_json(const struct edge_load_config *config, bool *failed)
{
    const struct edge_payload *payload = config->payload;
    json_t *object = json_object();
    put(object, "name", config->name != NULL ? json_string(config->name) : json_null(), failed);
    put(object, "address", json_string(config->address.text), failed);
    put(object, "call", json_string(payload->path + 1), failed);
    put(object, "scenario", json_string(payload->scenario), failed);
    put(object, "messages_per_call",
        payload->service == NULL ? integer(payload->messages) : json_null(), failed);
    PUT_NUMBERS(object, failed, {"connections", config->connections},
                {"concurrency", config->concurrency}, {"rate_per_s", config->rate},
                {"total", config->total}, {"duration_ns", config->duration_ns},
                {"warmup_ns", config->warmup_ns}, {"timeout_ns", config->timeout_ns},
                {"drain_ns", config->drain_ns}, {"skip_first", config->skip},
                {"max_duration_ns", config->max_duration_ns},
                {"connection_ramp_ns", config->ramp_ns}, {"keepalive_ns", config->keepalive_ns},
                {"stream_interval_ns", config->streams.interval_ns},
                {"stream_call_count", config->streams.count},
                {"stream_call_duration_ns", config->streams.duration_ns}, {"seed", config->seed});
    put(object, "enable_compression", json_boolean(config->gzip), failed);
    put(object, "arrivals", json_string(config->poisson ? "poisson" : "constant"), failed);
    put(object, "load_schedule", shape_json(&config->rates, failed), failed);
    put(object, "concurrency_schedule", shape_json(&config->calls, failed), failed);
    return object;
}

static json_t *tls_json(const struct edge_load_config *config,
                        const struct edge_load_result *result, bool *failed)
{
    if (config->tls == NULL)
        return json_null();
    json_t *object = json_object();
    put(object, "version", json_string(result->tls.version), failed);
    put(object, "suite", json_string(result->tls.suite), failed);
    put(object, "library", json_string(edge_tls_library()), failed);
    PUT_NUMBERS(object, failed, {"full", result->tls.full}, {"resumed", result->tls.resumed});
    return object;
}

static json_t *books_json(const struct edge_load_result *result, bool *failed)
{
    json_t *outcomes = json_object();
    for (unsigned i = 0; i < EDGE_OUTCOMES; i++)
        put(outcomes, edge_outcome_name(i), integer(result->outcomes[i]), failed);
    json_t *object = json_object();
    PUT_NUMBERS(object, failed, {"due", result->due}, {"sent", result->sent},
                {"unsent", result->unsent}, {"waited", result->waited});
    put(object, "outcomes", outcomes, failed);
    put(object, "grpc_status", array_json(result->grpc_status, 17, failed), failed);
    put(object, "reset_code", array_json(result->reset_code, 16, failed), failed);
    put(object, "balanced", json_boolean(result->balanced), failed);
    return object;
}

static json_t *thread_json(const struct edge_load_thread *thread, bool *failed)
{
    json_t *object = json_object();
    put(object, "cpu", thread->cpu >= 0 ? json_integer(thread->cpu) : json_null(), failed);
    PUT_NUMBERS(object, failed, {"elapsed_ns", thread->elapsed_ns}, {"cpu_ns", thread->cpu_ns},
                {"turns", thread->turns}, {"recv_calls", thread->recv_calls},
                {"replies", thread->replies});
    bool known = thread->run_delay_ns != EDGE_LOAD_UNKNOWN;
    put(object, "run_delay_ns", known ? integer(thread->run_delay_ns) : json_null(), failed);
    return object;
}

static json_t *threads_json(const struct edge_load_result *result, bool *failed)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < result->thread_count; i++) {
        if (json_array_append_new(array, thread_json(&result->threads[i], failed)) < 0)
            *failed = true;
    }
    return array;
}

static json_t *format_json(bool *failed)
{
    json_t *object = json_object();
    put(object, "name", json_string("bench-edge load"), failed);
    PUT_NUMBERS(object, failed, {"major", EDGE_SUMMARY_MAJOR}, {"minor", EDGE_SUMMARY_MINOR});
    return object;
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *rate_json(const struct edge_load_result *result, uint64_t count)
{
    double rate = edge_summary_per_second(result, count);
    return rate >= 0 ? json_real(rate) : json_null();
}

// null for unary calls, and in it for a side that does not stream.
static json_t *streams_json(const struct edge_load_config *config,
                            const struct edge_load_result *result, bool *failed)
{
    enum edge_call_kind kind = config->payload->kind;
    if (kind == EDGE_CALL_UNARY)
        return json_null();
    bool out = kind != EDGE_CALL_SERVER_STREAM, in = kind != EDGE_CALL_CLIENT_STREAM;
    json_t *object = json_object();
    put(object, "messages_sent", out ? integer(result->messages_sent) : json_null(), failed);
    put(object, "messages_sent_per_s", out ? rate_json(result, result->messages_sent) : json_null(),
        failed);
    put(object, "messages_received", in ? integer(result->messages_received) : json_null(), failed);
    put(object, "messages_received_per_s",
        in ? rate_json(result, result->messages_received) : json_null(), failed);
    put(object, "first_message", histogram_json(&result->first_message, failed), failed);
    put(object, "message_gap", histogram_json(&result->message_gap, failed), failed);
    PUT_NUMBERS(object, failed, {"ended_by_client", result->ended_by_client});
    return object;
}

static json_t *packed_json(const struct edge_load_packed *packed, bool *failed)
{
    json_t *object = json_object();
    PUT_NUMBERS(object, failed, {"messages", packed->messages},
                {"plain_bytes", packed->plain_bytes}, {"packed_bytes", packed->packed_bytes});
    return object;
}

// null without compression.
static json_t *compression_json(const struct edge_load_config *config,
                                const struct edge_load_result *result, bool *failed)
{
    if (!config->gzip)
        return json_null();
    json_t *object = json_object();
    put(object, "sent", packed_json(&result->packed_out, failed), failed);
    put(object, "received", packed_json(&result->packed_in, failed), failed);
    return object;
}

// How far each reply was checked: all of its bytes, or that it is a message of its type.
static void put_verified(json_t *object, const struct edge_payload *payload, bool *failed)
{
    const struct edge_service *service = payload->service;
    put(object, "verified", json_string(service != NULL ? "type" : "bytes"), failed);
    put(object, "reply_type", service != NULL ? json_string(service->reply->name) : json_null(),
        failed);
}

static json_t *result_json(const struct edge_load_config *config,
                           const struct edge_load_result *result, bool *failed)
{
    double rate = edge_summary_rate(result);
    json_t *root = json_object();
    put(root, "format", format_json(failed), failed);
    put(root, "version", json_string(edge_build_info()->version), failed);
    put(root, "options", options_json(config, failed), failed);
    put(root, "tls", tls_json(config, result, failed), failed);
    PUT_NUMBERS(root, failed, {"window_ns", result->window_stop_ns - result->window_start_ns},
                {"ok_in_window", result->ok_in_window});
    put(root, "ok_per_s", rate >= 0 ? json_real(rate) : json_null(), failed);
    PUT_NUMBERS(root, failed, {"messages_in_window", result->messages_in_window},
                {"noncanonical", result->noncanonical});
    put_verified(root, config->payload, failed);
    put(root, "streams", streams_json(config, result, failed), failed);
    put(root, "compression", compression_json(config, result, failed), failed);
    put(root, "books", books_json(result, failed), failed);
    PUT_NUMBERS(root, failed, {"connections_opened", result->connections_opened},
                {"connections_lost", result->connections_lost},
                {"keepalive_pings", result->keepalive_pings});
    put(root, "stream_limit",
        result->stream_limit > 0 ? integer(result->stream_limit) : json_null(), failed);
    PUT_NUMBERS(root, failed, {"bytes_in", result->bytes_in}, {"bytes_out", result->bytes_out});
    put(root, "service", histogram_json(&result->service, failed), failed);
    put(root, "response", histogram_json(&result->response, failed), failed);
    put(root, "send_lag", histogram_json(&result->send_lag, failed), failed);
    put(root, "threads", threads_json(result, failed), failed);
    put(root, "client_limited", json_boolean(result->client_limited), failed);
    put(root, "client_limited_why", text_or_null(result->client_limited_why), failed);
    put(root, "stopped_early", json_boolean(result->stopped_early), failed);
    put(root, "first_error", text_or_null(result->first_error), failed);
    return root;
}

int edge_summary_json(const struct edge_sheet *sheet, FILE *out)
{
    bool failed = false;
    json_t *root = result_json(sheet->config, sheet->result, &failed);
    put(root, "start_unix_ns", integer(sheet->unix_ns), &failed);
    put(root, "goals", edge_goals_json(sheet->goals, sheet->config, sheet->result), &failed);
    put(root, "find_max", sheet->found != NULL ? edge_find_max_json(sheet->found) : json_null(),
        &failed);
    int error = failed ? -ENOMEM : 0;
    if (error == 0 && json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) < 0)
        error = -EIO;
    json_decref(root);
    fputc('\n', out);
    return error;
}
