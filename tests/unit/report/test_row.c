#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/row.h"
#include "result/reader.h"

// Fixtures, not measurements.
static const char run_text[] =
    "{\"type\":\"run\",\"format\":\"bench-edge-result\",\"major\":1,\"minor\":0,"
    "\"server\":\"%s\",\"scenario\":\"fixture\",\"call\":\"c\",\"target\":\"local\","
    "\"emulated\":%s,\"calibration\":%s}\n";

#define WINDOW(repeat, more)                                                                       \
    "{\"type\":\"interval\",\"repeat\":" #repeat ",\"name\":\"window\",\"start_ns\":0,"            \
    "\"stop_ns\":2000000000" more "}\n"
#define COUNT(repeat, ok)                                                                          \
    "{\"type\":\"count\",\"repeat\":" #repeat ",\"sent\":" #ok ",\"ok_in_window\":" #ok            \
    ",\"outcomes\":{\"ok\":" #ok "}}\n"
#define LOAD(repeat, calls, more)                                                                  \
    "{\"type\":\"interval\",\"repeat\":" #repeat ",\"name\":\"load\",\"start_ns\":0,"              \
    "\"stop_ns\":3000000000,\"ok\":" #calls more "}\n"
#define END "{\"type\":\"end\",\"valid\":true}\n"

static void make(struct edge_row *row, struct edge_result *result, const char *server,
                 const char *emulated, const char *calibration, const char *records)
{
    char text[4096];
    struct edge_message message;
    int len = snprintf(text, sizeof(text), run_text, server, emulated, calibration);
    snprintf(text + len, sizeof(text) - (size_t)len, "%s", records);
    if (edge_result_parse("fixture", text, strlen(text), result, &message) != 0)
        fail_msg("%s", message.text);
    assert_int_equal(edge_row_init(row, result), 0);
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("expected %.12g, found %.12g", expected, value);
}

static void figures(void **state)
{
    (void)state;
    struct edge_row row;
    struct edge_result result;
    make(&row, &result, "fixture_a", "false", "false",
         WINDOW(1, ",\"server_cpu_ns\":1000000000,\"rss_bytes\":1048576,\"peak_bytes\":7,"
                   "\"energy_uj\":8000000,\"power_scope\":\"wall\"") COUNT(1, 100)
             WINDOW(2, ",\"server_cpu_ns\":2000000000,\"rss_bytes\":3145728,"
                       "\"peak_bytes\":9,\"energy_uj\":4000000,"
                       "\"power_scope\":\"wall\"") COUNT(2, 300) END);
    assert_int_equal(row.repeats, 2);
    assert_int_equal(row.verified, 400);
    near(row.rate, 100);                               // median of 50 and 150
    near(row.rate_ci, 12.7062 * sqrt(5000) / sqrt(2)); // one degree of freedom
    near(row.cpu_percent, 75);
    near(row.cpu_ns_per_call, 7500000);
    near(row.memory_bytes, 2 << 20);
    near(row.peak_bytes, 9);
    near(row.rate_per_mib, 50);
    near(row.watts, 3);
    near(row.rate_per_watt, 400 / 12.0);
    near(row.joule_per_call, 12.0 / 400);
    near(row.rate_per_watt * row.joule_per_call, 1);
    assert_true(isnan(row.instructions_per_call) && isnan(row.system_calls_per_call));
    assert_true(isnan(row.size_bytes));
    assert_true(isnan(row.p50) && isnan(row.latency_mean));
    edge_row_free(&row);
    edge_row_free(&row);
    edge_result_free(&result);
}

// Of the whole load, not of the window.
static void counts(void **state)
{
    (void)state;
    struct edge_row row;
    struct edge_result result;
    make(&row, &result, "fixture_a", "true", "false",
         WINDOW(1, "") COUNT(1, 90) LOAD(1, 100, ",\"instructions\":5000,\"system_calls\":50")
             WINDOW(2, "") COUNT(2, 190) LOAD(2, 300, ",\"instructions\":7000") END);
    near(row.instructions_per_call, 30);
    near(row.instructions_spread, (50 - 70.0 / 3) / 2 / 30);
    near(row.system_calls_per_call, 0.5); // of the one repeat that has them
    edge_row_free(&row);
    edge_result_free(&result);
}

// Of a hundred calls one was given up on.
static void lower_bounds(void **state)
{
    (void)state;
    struct edge_row row;
    struct edge_result result;
    make(&row, &result, "fixture_a", "false", "false",
         WINDOW(1, "") COUNT(1, 100) "{\"type\":\"hist\",\"repeat\":1,\"name\":\"service\","
                                     "\"count\":100,\"sum_ns\":1990,"
                                     "\"min_ns\":10,\"max_ns\":1000,\"clamped\":0,\"censored\":1,"
                                     "\"bins\":[[10,99],[1000,1]]}\n" END);
    near(row.bounds_from, 99);
    assert_string_equal(row.bounds,
                        "latency above 99 % is a lower bound: these calls were given up on\n");
    edge_row_free(&row);
    edge_result_free(&result);
}

// Of 10000 calls ten lie above 99.9 %: just enough for a point of the curve.
static void a_point_of_the_curve_has_ten_calls_above_it(void **state)
{
    (void)state;
    struct edge_row row;
    struct edge_result result;
    make(&row, &result, "fixture_a", "false", "false",
         WINDOW(1, "") COUNT(1, 10000) "{\"type\":\"hist\",\"repeat\":1,\"name\":\"service\","
                                       "\"count\":10000,\"sum_ns\":109900,"
                                       "\"min_ns\":10,\"max_ns\":1000,\"clamped\":0,\"censored\":0,"
                                       "\"bins\":[[10,9990],[1000,10]]}\n" END);
    for (size_t i = 0; i < EDGE_ROW_CURVE; i++) {
        if (edge_row_curve_percents[i] <= 99.9)
            near(row.curve[i], 10);
        else
            assert_true(isnan(row.curve[i]));
    }
    edge_row_free(&row);
    edge_result_free(&result);
}

static void nothing_measured(void **state)
{
    (void)state;
    struct edge_row row;
    struct edge_result result;
    make(&row, &result, "fixture_a", "false", "false", "");
    assert_int_equal(row.group, EDGE_ROW_NOT_RANKED); // interrupted
    assert_int_equal(row.repeats, 0);
    const double all[] = {row.rate,
                          row.rate_ci,
                          row.latency_mean,
                          row.p50,
                          row.p999,
                          row.cpu_percent,
                          row.memory_bytes,
                          row.peak_bytes,
                          row.cpu_ns_per_call,
                          row.watts,
                          row.rate_per_watt,
                          row.joule_per_call,
                          row.rate_per_mib,
                          row.instructions_per_call};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_true(isnan(all[i]));
    edge_row_free(&row);
    edge_result_free(&result);
}

// CPU time without a single verified call is no cost per call.
static void no_calls(void **state)
{
    (void)state;
    struct edge_row row;
    struct edge_result result;
    make(&row, &result, "fixture_a", "false", "false",
         WINDOW(1, ",\"server_cpu_ns\":1000000000,\"energy_uj\":5") COUNT(1, 0) END);
    near(row.rate, 0);
    near(row.cpu_percent, 50);
    assert_true(isnan(row.cpu_ns_per_call) && isnan(row.joule_per_call));
    edge_row_free(&row);
    edge_result_free(&result);
}

static void groups(void **state)
{
    (void)state;
    static const struct {
        const char *emulated;
        const char *calibration;
        const char *records;
        enum edge_row_group group;
    } cases[] = {
        {"false", "false", END, EDGE_ROW_RANKED},
        {"null", "null", END, EDGE_ROW_RANKED},
        {"true", "false", END, EDGE_ROW_NOT_RANKED}, // whatever the end record claims
        {"false", "true", END, EDGE_ROW_CALIBRATION},
        {"false", "false", "", EDGE_ROW_NOT_RANKED},
        {"false", "false", "{\"type\":\"end\",\"valid\":false}\n", EDGE_ROW_NOT_RANKED},
        {"false", "false", "{\"type\":\"end\"}\n", EDGE_ROW_NOT_RANKED},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_row row;
        struct edge_result result;
        make(&row, &result, "fixture_a", cases[i].emulated, cases[i].calibration, cases[i].records);
        assert_int_equal(row.group, cases[i].group);
        edge_row_free(&row);
        edge_result_free(&result);
    }
}

static const struct edge_row_order standard = {NULL, NULL, false};

static void order(void **state)
{
    (void)state;
    static const struct {
        const char *server;
        const char *records;
    } cases[] = {
        {"fixture_slow", WINDOW(1, "") COUNT(1, 10) END},
        {"fixture_cut", WINDOW(1, "") COUNT(1, 1000)},
        {"fixture_fast", WINDOW(1, "") COUNT(1, 90) END},
        {"fixture_slow", WINDOW(1, "") COUNT(1, 30) END},
    };
    struct edge_row rows[4];
    struct edge_result results[4];
    for (size_t i = 0; i < 4; i++)
        make(&rows[i], &results[i], cases[i].server, "false", "false", cases[i].records);
    assert_int_equal(edge_row_sort(rows, 4, &standard), 0);
    static const char *const expected[] = {"fixture_fast", "fixture_slow #1", "fixture_slow #2",
                                           "fixture_cut"};
    for (size_t i = 0; i < 4; i++) {
        char name[64];
        assert_string_equal(edge_row_name(&rows[i], name, sizeof(name)), expected[i]);
        edge_row_free(&rows[i]);
    }
    for (size_t i = 0; i < 4; i++)
        edge_result_free(&results[i]);
}

static void names_fit(void **state)
{
    (void)state;
    struct edge_row row;
    struct edge_result result;
    char name[64];
    make(&row, &result, "fixture_of_exactly_thirty_byte", "false", "false", END);
    assert_string_equal(edge_row_name(&row, name, sizeof(name)), "fixture_of_exactly_thirty_byte");
    row.ordinal = 12;
    assert_string_equal(edge_row_name(&row, name, sizeof(name)), "fixture_of_exactly_thirty~ #12");
    row.emulated = true;
    assert_string_equal(edge_row_name(&row, name, sizeof(name)), "fixture_of_exa~ #12 (emulated)");
    // Never through the middle of a character.
    free(row.facts.at[EDGE_FACT_SERVER]);
    row.facts.at[EDGE_FACT_SERVER] = strdup("fixture_äöüäöüäöüäöüäöüäöü");
    assert_string_equal(edge_row_name(&row, name, sizeof(name)), "fixture_äöüäöü~ #12 (emulated)");
    edge_row_free(&row);
    edge_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(lower_bounds),
        cmocka_unit_test(counts),
        cmocka_unit_test(a_point_of_the_curve_has_ten_calls_above_it),
        cmocka_unit_test(nothing_measured),
        cmocka_unit_test(no_calls),
        cmocka_unit_test(groups),
        cmocka_unit_test(order),
        cmocka_unit_test(names_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
