#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/slo.h"

static void goals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *column;
        enum edge_relation relation;
        double limit;
        const char *again;
    } cases[] = {
        {"p99<5ms", "p99", EDGE_GOAL_LESS, 5e6, "p99<5ms"},
        {"p99_ns <= 1.5s", "p99", EDGE_GOAL_AT_MOST, 1.5e9, "p99<=1.5s"},
        {"p99.9<0.5us", "p99.9", EDGE_GOAL_LESS, 500, "p99.9<500ns"},
        {"latency_mean<0.5ns", "latency_mean", EDGE_GOAL_LESS, 0.5, "latency_mean<0.5ns"},
        {"p50<2m", "p50", EDGE_GOAL_LESS, 120e9, "p50<2m"},
        {" req_per_s >10000 ", "req_per_s", EDGE_GOAL_MORE, 1e4, "req_per_s>10k"},
        {"req_per_s>=10k", "req_per_s", EDGE_GOAL_AT_LEAST, 1e4, "req_per_s>=10k"},
        {"failed<=0", "failed", EDGE_GOAL_AT_MOST, 0, "failed<=0"},
        {"memory<64MiB", "memory", EDGE_GOAL_LESS, 64 << 20, "memory<64MiB"},
        {"memory<64m", "memory", EDGE_GOAL_LESS, 64 << 20, "memory<64MiB"},
        {"binary<300KiB", "binary", EDGE_GOAL_LESS, 300 << 10, "binary<300KiB"},
        {"cpu<=80%", "cpu", EDGE_GOAL_AT_MOST, 80, "cpu<=80%"},
        {"power<3.5 W", "power", EDGE_GOAL_LESS, 3.5, "power<3.5W"},
        {"energy_per_req<0.3mJ", "energy_per_req", EDGE_GOAL_LESS, 0.3e-3, "energy_per_req<300uJ"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_slo slo;
        struct edge_message message;
        char text[96];
        if (edge_slo_parse(cases[i].text, &slo, &message) != 0)
            fail_msg("%s: %s", cases[i].text, message.text);
        assert_string_equal(slo.column->name, cases[i].column);
        assert_int_equal(slo.goal.relation, cases[i].relation);
        assert_true(fabs(slo.goal.limit - cases[i].limit) <= 1e-12 * cases[i].limit);
        assert_string_equal(edge_goal_text(&slo.goal, text, sizeof(text)), cases[i].again);
    }
}

static void no_goals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"", "expected a goal such as p99<5ms"},
        {"p99", "expected < <= > or >= after p99, found \"\""},
        {"p99=5ms", "expected < <= > or >= after p99, found \"=5ms\""},
        {"p99<5", "expected a time such as 5ms after p99 <, found \"5\""},
        {"p99<5MiB", "expected a time"},
        {"p99<ms", "expected a time"},
        {"p99<-5ms", "expected a time"},
        {"p99<nans", "expected a time"},
        {"p99<infs", "expected a time"},
        {"p99<0x5ms", "expected a time"},
        {"p99<5e3ms", "expected a time"},
        {"p99<5.ms", "expected a time"},
        {"p99<1111111111111111111111111ms", "expected a time"},
        {"req_per_s>5 apples", "expected a number such as 250 or 10k"},
        {"board<5", "\"board\" is not a figure"},
        {"p98<5ms", "there is no column \"p98\"; did you mean p9"},
        {"<5ms", "expected a goal"},
        {"a_name_that_is_longer_than_any_of_the_columns<5", "expected a goal"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_slo slo;
        struct edge_message message;
        assert_int_equal(edge_slo_parse(cases[i].text, &slo, &message), EDGE_ERR_USAGE);
        if (strstr(message.text, cases[i].message) == NULL)
            fail_msg("%s: expected \"%s\", found \"%s\"", cases[i].text, cases[i].message,
                     message.text);
    }
}

static void relations(void **state)
{
    (void)state;
    static const char *const texts[] = {"failed<5", "failed<=5", "failed>5", "failed>=5"};
    static const bool kept[4][3] = {
        {true, false, false}, {true, true, false}, {false, false, true}, {false, true, true}};
    for (size_t i = 0; i < 4; i++) {
        struct edge_slo slo;
        assert_int_equal(edge_slo_parse(texts[i], &slo, NULL), 0);
        for (int value = 4; value <= 6; value++)
            assert_int_equal(edge_goal_kept(&slo.goal, value), kept[i][value - 4]);
        assert_false(edge_goal_kept(&slo.goal, NAN));
    }
}

static void percents(void **state)
{
    (void)state;
    double fraction = 0;
    struct edge_message message;
    assert_int_equal(edge_slo_percent("5%", &fraction, &message), 0);
    assert_true(fabs(fraction - 0.05) < 1e-12);
    assert_int_equal(edge_slo_percent("2.5 %", &fraction, &message), 0);
    assert_true(fabs(fraction - 0.025) < 1e-12);
    static const char *const bad[] = {"", "5", "%", "-5%", "5%%", "nan%", "5 percent"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(edge_slo_percent(bad[i], &fraction, &message), EDGE_ERR_USAGE);
}

static void numbers(void **state)
{
    (void)state;
    double value = 0;
    assert_string_equal(edge_number_parse("12.5x", &value), "x");
    assert_true(fabs(value - 12.5) < 1e-12);
    assert_string_equal(edge_number_parse("7.", &value), ".");
    assert_null(edge_number_parse(".5", &value));
    assert_null(edge_number_parse("+5", &value));
    assert_null(edge_number_parse(" 5", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals),    cmocka_unit_test(no_goals), cmocka_unit_test(relations),
        cmocka_unit_test(percents), cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
