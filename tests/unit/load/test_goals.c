#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "load/books.h"
#include "load/goals.h"

static const struct edge_load_config closed_loop = {.connections = 1};
static const struct edge_load_config open_loop = {.connections = 1, .rate = 100};

// A thousand calls of 1 to 1000 us, all right.
static void fill(struct edge_load_result *result)
{
    assert_int_equal(edge_books_init(result), 0);
    result->window_stop_ns = 2000000000;
    for (uint64_t us = 1; us <= 1000; us++) {
        edge_histogram_record(&result->service, us * 1000);
        edge_histogram_record(&result->response, us * 2000);
    }
    result->due = result->sent = result->ok_in_window = result->outcomes[EDGE_OUTCOME_OK] = 1000;
}

static struct edge_verdict judge(const char *text, const struct edge_load_config *config,
                                 const struct edge_load_result *result)
{
    struct edge_goals goals = {.count = 0};
    struct edge_message message;
    if (edge_goals_add(&goals, text, &message) != 0)
        fail_msg("%s: %s", text, message.text);
    assert_int_equal(goals.count, 1);
    struct edge_verdict verdict = edge_goals_judge(&goals.at[0], config, result);
    assert_int_equal(verdict.kept, edge_goals_kept(&goals, config, result));
    return verdict;
}

static void every_figure(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool kept;
    } cases[] = {
        {"p99<991us", true},     {"p99<989us", false},         {"p50<=501us", true},
        {"p37.5<376us", true},   {"p100<1001us", true},        {"max<1001us", true},
        {"max<1ms", false},      {"latency_mean<501us", true}, {"latency_mean<500us", false},
        {"req_per_s>499", true}, {"req_per_s>500", false},     {"errors<=0", true},
        {"errors<0.1%", true},
    };
    struct edge_load_result result;
    fill(&result);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (judge(cases[i].text, &closed_loop, &result).kept != cases[i].kept)
            fail_msg("%s", cases[i].text);
    // In an open loop it is response time.
    assert_false(judge("p99<991us", &open_loop, &result).kept);
    assert_true(judge("p99<1982us", &open_loop, &result).kept);
    edge_load_result_free(&result);
}

static void refused_is_not_failed(void **state)
{
    (void)state;
    struct edge_load_result result;
    fill(&result);
    result.sent = result.due = 1030;
    result.outcomes[EDGE_OUTCOME_REFUSED] = 20;
    assert_true(judge("errors<=0", &closed_loop, &result).kept);
    result.outcomes[EDGE_OUTCOME_RESET] = 10;
    assert_false(judge("errors<0.9%", &closed_loop, &result).kept);
    assert_true(judge("errors<1%", &closed_loop, &result).kept);
    edge_load_result_free(&result);
}

// What had no end is slower than the rest, whatever its lower bound is.
static void lower_bounds_count_against_it(void **state)
{
    (void)state;
    struct edge_load_result result;
    fill(&result);
    for (int i = 0; i < 5; i++)
        edge_histogram_record_bound(&result.service, 1000);
    assert_true(judge("p99<1ms", &closed_loop, &result).kept);
    assert_true(judge("p99.4<1001us", &closed_loop, &result).kept);
    struct edge_verdict verdict = judge("p99.9<1001us", &closed_loop, &result);
    assert_true(verdict.at_least && !verdict.kept);
    verdict = judge("max<1s", &closed_loop, &result);
    assert_true(verdict.at_least && !verdict.kept);
    assert_true(judge("max>=1ms", &closed_loop, &result).kept);
    edge_load_result_free(&result);
}

static void what_was_not_measured_is_not_kept(void **state)
{
    (void)state;
    static const char *const texts[] = {"p99<1s", "max<1s",       "latency_mean<1s",
                                        "p99>1s", "req_per_s>=0", "errors<=100%"};
    struct edge_load_result result;
    assert_int_equal(edge_books_init(&result), 0);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct edge_verdict verdict = judge(texts[i], &closed_loop, &result);
        assert_true(isnan(verdict.found) && !verdict.kept);
    }
    edge_load_result_free(&result);
}

static void lists(void **state)
{
    (void)state;
    struct edge_goals goals = {.count = 0};
    struct edge_message message;
    assert_int_equal(edge_goals_add(&goals, "p99<10ms,errors<0.1%", &message), 0);
    assert_int_equal(edge_goals_add(&goals, "max<1s", &message), 0);
    assert_int_equal(goals.count, 3);
    assert_int_equal(edge_goals_calls(&goals), 10000); // ten errors at 0.1 %
    static const char *const bad[] = {"",       "p99<10ms,", "p0<5ms",     "p101<5ms",
                                      "px<5ms", "p99<5",     "errors<5ms", "count>5"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(edge_goals_add(&goals, bad[i], &message), EDGE_ERR_USAGE);
    struct edge_goals p99 = {.count = 0};
    assert_int_equal(edge_goals_add(&p99, "p99<10ms", &message), 0);
    assert_int_equal(edge_goals_calls(&p99), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure),
        cmocka_unit_test(refused_is_not_failed),
        cmocka_unit_test(lower_bounds_count_against_it),
        cmocka_unit_test(what_was_not_measured_is_not_kept),
        cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
