#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/books.h"
#include "load/summary.h"
#include "load/write.h"

// More than 32 bits can count, of calls and of nanoseconds.
#define CALLS UINT64_C(5000000000)
#define SLOW  UINT64_C(30000000000)

static const struct edge_payload payload = {
    .scenario = "complex_proto", .path = "/helloworld.Greeter/SayHello", .messages = 1};
static const struct edge_load_config config = {.address = {.text = "127.0.0.1:5"},
                                               .payload = &payload,
                                               .connections = 1,
                                               .concurrency = 8,
                                               .rate = 100};
static const struct edge_goals no_goals = {.count = 0};

static void fill(struct edge_load_result *result)
{
    assert_int_equal(edge_books_init(result), 0);
    result->window_stop_ns = UINT64_C(86400) * 1000000000;
    edge_histogram_record_bounds(&result->response, SLOW, SLOW, CALLS);
    result->response.censored = 0;
    edge_histogram_merge(&result->service, &result->response);
    result->due = result->sent = result->ok_in_window = result->outcomes[EDGE_OUTCOME_OK] = CALLS;
    result->bytes_in = CALLS * 100;
    result->balanced = edge_books_balanced(result);
}

static char *write_with(int (*writer)(const struct edge_sheet *sheet, FILE *out),
                        const struct edge_load_result *result)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    const struct edge_sheet sheet = {.config = &config, .result = result, .goals = &no_goals};
    assert_int_equal(writer(&sheet, out), 0);
    fclose(out);
    return text;
}

static void expect(int (*writer)(const struct edge_sheet *sheet, FILE *out),
                   const struct edge_load_result *result, const char *const *parts)
{
    char *text = write_with(writer, result);
    for (; *parts != NULL; parts++)
        if (strstr(text, *parts) == NULL)
            fail_msg("expected \"%s\" in:\n%s", *parts, text);
    free(text);
}

static void counts_beyond_32_bits(void **state)
{
    (void)state;
    struct edge_load_result result;
    fill(&result);
    expect(edge_write_summary, &result,
           (const char *[]){"Count:\t5000000000\n", "[5000000000]", "Slowest:\t30.0",
                            "ok 5000000000: BALANCED", NULL});
    expect(edge_summary_json, &result,
           (const char *[]){"\"due\": 5000000000,", "\"max_ns\": 30000000000", NULL});
    expect(edge_write_csv, &result,
           (const char *[]){",5000000000,", ",30000000000,", ",500000000000,", NULL});
    expect(edge_write_influx, &result,
           (const char *[]){",due=5000000000i,", ",response_max_ns=30000000000i,", NULL});
    expect(edge_write_prometheus, &result,
           (const char *[]){"le=\"+Inf\"} 5000000000\n", "le=\"50\"} 5000000000\n",
                            "outcome=\"ok\"} 5000000000\n", NULL});
    expect(edge_write_hgrm, &result,
           (const char *[]){"   30000.000 1.000000000000 5000000000            inf\n",
                            "Total count    =   5000000000]", NULL});
    expect(edge_write_html, &result, (const char *[]){"Count:\t5000000000\n", "<polyline", NULL});
    edge_load_result_free(&result);
}

// Nothing is made up where nothing was measured.
static void nothing_was_measured(void **state)
{
    (void)state;
    struct edge_load_result result;
    assert_int_equal(edge_books_init(&result), 0);
    char *text = write_with(edge_write_prometheus, &result);
    assert_null(strstr(text, "_bucket"));
    assert_null(strstr(text, "requests_per_second"));
    free(text);
    text = write_with(edge_write_influx, &result);
    assert_null(strstr(text, "response_p99_ns"));
    assert_null(strstr(text, "req_per_s"));
    free(text);
    text = write_with(edge_write_html, &result);
    assert_null(strstr(text, "<svg"));
    free(text);
    text = write_with(edge_write_hgrm, &result);
    assert_null(strstr(text, "inf"));
    free(text);
    text = write_with(edge_write_csv, &result);
    assert_non_null(strstr(text, ",,,,,,,,"));
    free(text);
    edge_load_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_beyond_32_bits),
        cmocka_unit_test(nothing_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
