#include "load/summary_streams.h"

#include <inttypes.h>

#include "base/units.h"
#include "load/service.h"

double edge_summary_per_second(const struct edge_load_result *result, uint64_t count)
{
    uint64_t window_ns = result->window_stop_ns - result->window_start_ns;
    return window_ns > 0 ? (double)count * 1e9 / (double)window_ns : -1;
}

static void print_messages(const struct edge_load_result *result, const char *name, uint64_t count,
                           FILE *out)
{
    double rate = edge_summary_per_second(result, count);
    fprintf(out, "  messages %s:\t%" PRIu64, name, count);
    if (rate >= 0)
        fprintf(out, " (%.2f/s)", rate);
    fputc('\n', out);
}

static void print_times(const char *name, const struct edge_histogram *histogram, FILE *out)
{
    char p50[24], p99[24], max[24];
    if (histogram->count == 0) {
        fprintf(out, "  %s:\t-\n", name);
        return;
    }
    fprintf(out, "  %s:\tp50 %s, p99 %s, max %s\n", name,
            edge_format_latency((double)edge_histogram_percentile(histogram, 50), p50, sizeof(p50)),
            edge_format_latency((double)edge_histogram_percentile(histogram, 99), p99, sizeof(p99)),
            edge_format_latency((double)histogram->max, max, sizeof(max)));
}

static void print_streams(const struct edge_load_config *config,
                          const struct edge_load_result *result, FILE *out)
{
    enum edge_call_kind kind = config->payload->kind;
    fprintf(out, "\nStreams:\n");
    if (kind != EDGE_CALL_SERVER_STREAM)
        print_messages(result, "sent", result->messages_sent, out);
    if (kind == EDGE_CALL_CLIENT_STREAM)
        return;
    print_messages(result, "received", result->messages_received, out);
    print_times("first message", &result->first_message, out);
    print_times("message gap", &result->message_gap, out);
    if (result->ended_by_client > 0)
        fprintf(out, "  %" PRIu64 " calls were ended by the client, as it was told to\n",
                result->ended_by_client);
}

static void print_packed(const char *name, const struct edge_load_packed *packed, FILE *out)
{
    fprintf(out, "  %s:\t%" PRIu64 " messages, %" PRIu64 " bytes packed to %" PRIu64 "\n", name,
            packed->messages, packed->plain_bytes, packed->packed_bytes);
}

void edge_summary_print_streams(const struct edge_load_config *config,
                                const struct edge_load_result *result, FILE *out)
{
    const struct edge_service *service = config->payload->service;
    if (service != NULL)
        fprintf(out,
                "\nVerified of each reply: status, number, and that it is an encoded %s; not what "
                "it says\n",
                service->reply->name);
    if (config->payload->kind != EDGE_CALL_UNARY)
        print_streams(config, result, out);
    if (config->gzip) {
        fprintf(out, "\nCompression (gzip, the whole run):\n");
        print_packed("sent", &result->packed_out, out);
        print_packed("received", &result->packed_in, out);
    }
}
