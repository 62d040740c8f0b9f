#include "cmocka_headers.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/books.h"
#include "load/summary.h"

static const struct edge_payload payload = {
    .scenario = "complex_proto", .path = "/helloworld.Greeter/SayHello", .messages = 1};
static const struct edge_load_config closed_loop = {
    .address = {.text = "127.0.0.1:5"}, .payload = &payload, .connections = 1, .concurrency = 8};
static const struct edge_load_config open_loop = {.address = {.text = "127.0.0.1:5"},
                                                  .payload = &payload,
                                                  .connections = 2,
                                                  .concurrency = 8,
                                                  .rate = 100};

// Ten calls: eight right ones of 1 to 8 ms, a reset, and a grpc-status 13.
static void fill(struct edge_load_result *result)
{
    assert_int_equal(edge_books_init(result), 0);
    result->window_start_ns = 5;
    result->window_stop_ns = 5 + 2000000000;
    for (uint64_t ms = 1; ms <= 8; ms++) {
        edge_histogram_record(&result->service, ms * 1000000);
        edge_histogram_record(&result->response, ms * 2000000);
        edge_histogram_record(&result->send_lag, ms * 1000000);
    }
    result->due = 11;
    result->sent = 10;
    result->unsent = 1;
    result->outcomes[EDGE_OUTCOME_OK] = result->ok_in_window = 8;
    result->outcomes[EDGE_OUTCOME_RESET] = result->reset_code[2] = 1;
    result->outcomes[EDGE_OUTCOME_GRPC_STATUS] = result->grpc_status[13] = 1;
    result->balanced = edge_books_balanced(result);
    result->thread_count = 1;
    result->threads[0] = (struct edge_load_thread){.cpu = 1,
                                                   .elapsed_ns = 2000000000,
                                                   .cpu_ns = 500000000,
                                                   .run_delay_ns = EDGE_LOAD_UNKNOWN,
                                                   .recv_calls = 5,
                                                   .replies = 10};
    result->connections_opened = 1;
    snprintf(result->first_error, sizeof(result->first_error), "no luck");
}

static char *print(const struct edge_load_config *config, const struct edge_load_result *result)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    edge_summary_print(config, result, out);
    fclose(out);
    return text;
}

static void expect_part(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected \"%s\" in:\n%s", part, text);
}

static void text_of_a_closed_loop(void **state)
{
    (void)state;
    struct edge_load_result result;
    fill(&result);
    char *text = print(&closed_loop, &result);
    expect_part(text, "\nSummary:\n"
                      "  Call:\t\thelloworld.Greeter/SayHello (complex_proto) on 127.0.0.1:5\n"
                      "  Load:\t\t8 in flight over 1 connection\n"
                      "  Count:\t10\n"
                      "  Total:\t2.000 s\n"
                      "  Slowest:\t8.00 ms\n"
                      "  Fastest:\t1.00 ms\n"
                      "  Average:\t4.50 ms\n"
                      "  Requests/sec:\t4.00\n");
    expect_part(text, "\nLatency distribution (closed loop: latency is service time):\n");
    // A value on a mark is counted below it.
    expect_part(text, "  <= 1.00 ms    [1]          |");
    expect_part(text, "  <= 2.00 ms    [1]          |");
    expect_part(text, "  <= 5.00 ms    [3]          |");
    expect_part(text, "  <= 10.00 ms   [3]          |");
    expect_part(text, "  [OK]\t8 responses\n  [INTERNAL]\t1 responses\n");
    expect_part(text, "\nError distribution:\n  [1]\tgrpc_status\n  [1]\treset\n"
                      "  [1]\treset: INTERNAL_ERROR\n  first: no luck\n");
    expect_part(text,
                "\nBooks: due 11 = sent 10 + unsent 1; sent = ok 8 + grpc_status 1 + reset 1: "
                "BALANCED\n");
    expect_part(text, "  thread 0 on CPU 1: 25.0 % of its CPU, 2.0 replies per read\n"
                      "  1 connection opened, 0 lost\n");
    expect_part(text, "  verdict: the generator was not the limit\n");
    free(text);
    result.balanced = false;
    text = print(&closed_loop, &result);
    expect_part(text, ": NOT BALANCED\n");
    free(text);
    edge_load_result_free(&result);
}

static void text_of_an_open_loop(void **state)
{
    (void)state;
    struct edge_load_result result;
    fill(&result);
    result.waited = 3;
    result.stream_limit = 2;
    result.stopped_early = true;
    result.client_limited = true;
    snprintf(result.client_limited_why, sizeof(result.client_limited_why), "too slow");
    char *text = print(&open_loop, &result);
    expect_part(text, "8 in flight over 2 connections, 100 calls due per second\n");
    expect_part(text, "  Slowest:\t16.00 ms\n"); // response, not service
    // Side by side: 2, 4, ... 16 ms against 1, 2, ... 8 ms.
    expect_part(text, "  <= 1.00 ms    [0]          |                     [1]          |");
    expect_part(text, "  <= 20.00 ms   [3]          |");
    expect_part(text, "Latency distribution, response time (from when the call was due):\n");
    expect_part(text, "Latency distribution, service time (from when it was sent):\n");
    expect_part(text, "  send lag: p50 4.00 ms, p99 8.00 ms, max 8.00 ms\n");
    expect_part(text, "  3 calls waited for one of 8 in flight to end");
    expect_part(text, "MAX_CONCURRENT_STREAMS of 2 kept");
    expect_part(text, "  verdict: CLIENT-LIMITED: too slow\n");
    expect_part(text, "Stopped early");
    free(text);
    edge_load_result_free(&result);
}

static void lower_bounds_are_named(void **state)
{
    (void)state;
    struct edge_load_result result;
    fill(&result);
    char *text = print(&open_loop, &result);
    assert_null(strstr(text, "lower bounds"));
    free(text);
    edge_histogram_record_bounds(&result.response, 20000000, 20000000, 3);
    edge_histogram_record_bound(&result.service, 9000000);
    text = print(&open_loop, &result);
    expect_part(text,
                "  max in 20.00 ms\n  of these 11, 3 are lower bounds: of calls that timed out, "
                "were unfinished or never sent\n");
    expect_part(text, "  max in 9.00 ms\n  of these 9, 1 are lower bounds: ");
    free(text);
    edge_load_result_free(&result);
}

static void what_was_not_measured(void **state)
{
    (void)state;
    struct edge_load_result result;
    assert_int_equal(edge_books_init(&result), 0);
    assert_true(edge_summary_rate(&result) < 0);
    char *text = print(&closed_loop, &result);
    expect_part(text, "  Total:\t-\n  Slowest:\t-\n  Fastest:\t-\n  Average:\t-\n"
                      "  Requests/sec:\t-\n");
    expect_part(text, "latency is service time):\n  -\n");
    assert_null(strstr(text, "Error distribution"));
    free(text);
    edge_load_result_free(&result);
}

static json_t *parse(const struct edge_load_config *config, const struct edge_load_result *result)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    const struct edge_goals none = {.count = 0};
    const struct edge_sheet sheet = {.config = config, .result = result, .goals = &none};
    assert_int_equal(edge_summary_json(&sheet, out), 0);
    fclose(out);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static void json(void **state)
{
    (void)state;
    struct edge_load_result result;
    fill(&result);
    result.noncanonical = 6;
    edge_histogram_record_bound(&result.response, 20000000);
    json_t *root = parse(&open_loop, &result);
    json_int_t major, due, reset, count, censored, noncanonical, low, rate;
    const char *name, *error;
    double per_second;
    assert_int_equal(
        json_unpack(root,
                    "{s:{s:s,s:I},s:{s:I},s:{s:I,s:{s:I}},s:{s:I,s:I,s:[[I]]},s:I,s:f,s:s,s:n}",
                    "format", "name", &name, "major", &major, "options", "rate_per_s", &rate,
                    "books", "due", &due, "outcomes", "reset", &reset, "response", "count", &count,
                    "censored", &censored, "bins_ns", &low, "noncanonical", &noncanonical,
                    "ok_per_s", &per_second, "first_error", &error, "client_limited_why"),
        0);
    assert_string_equal(name, "bench-edge load");
    assert_int_equal(major, EDGE_SUMMARY_MAJOR);
    assert_int_equal(rate, 100);
    assert_int_equal(due, 11);
    assert_int_equal(reset, 1);
    assert_int_equal(count, 9);
    assert_int_equal(censored, 1);
    assert_int_equal(noncanonical, 6);
    assert_int_equal(low, edge_histogram_bin_low(edge_histogram_bin(2000000)));
    assert_true(per_second == 4);
    assert_string_equal(error, "no luck");
    json_decref(root);
    edge_load_result_free(&result);

    assert_int_equal(edge_books_init(&result), 0);
    root = parse(&closed_loop, &result);
    assert_true(json_is_null(json_object_get(root, "service")));
    assert_true(json_is_null(json_object_get(root, "ok_per_s")));
    assert_true(json_is_null(json_object_get(root, "first_error")));
    json_decref(root);
    edge_load_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_a_closed_loop),
        cmocka_unit_test(text_of_an_open_loop),
        cmocka_unit_test(lower_bounds_are_named),
        cmocka_unit_test(what_was_not_measured),
        cmocka_unit_test(json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
