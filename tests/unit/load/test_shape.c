#include "cmocka_headers.h"

#include <string.h>

#include "base/clock.h"
#include "load/shape.h"

#define S  EDGE_NS_PER_S
#define MS EDGE_NS_PER_MS

static const uint64_t rates[] = {1, 3, 7, 1000, 333333, 999999937, EDGE_SHAPE_VALUE_MAX};
#define RATES (sizeof(rates) / sizeof(rates[0]))

static void init(struct edge_shape *shape, struct edge_shape_config config, uint64_t hold_ns)
{
    struct edge_message message;
    if (edge_shape_init(shape, &config, hold_ns, "load", &message) != 0)
        fail_msg("%s", message.text);
}

// The definition itself, number / rate seconds, by long division: nine decimal digits.
static uint64_t due_by_definition(uint64_t rate, uint64_t number)
{
    uint64_t ns = number / rate;
    uint64_t rest = number % rate;
    for (int digit = 0; digit < 9; digit++) {
        ns = ns * 10 + rest * 10 / rate;
        rest = rest * 10 % rate;
    }
    return ns;
}

static void due_is_exact_over_long_runs(void **state)
{
    (void)state;
    for (size_t r = 0; r < RATES; r++) {
        struct edge_shape shape;
        init(&shape, (struct edge_shape_config){.start = rates[r]}, 0);
        for (uint64_t number = 0; number < 1000; number++)
            assert_int_equal(edge_shape_due(&shape, number, 0),
                             due_by_definition(rates[r], number));
        // To the end of the tenth year.
        for (uint64_t number = rates[r] * 86400 * 3650; number > 0; number /= 3)
            assert_int_equal(edge_shape_due(&shape, number, 0),
                             due_by_definition(rates[r], number));
        edge_shape_free(&shape);
    }
}

// count(t) is how many numbers are due before t, over steps up and down, too.
static void count_is_due_turned_around(void **state)
{
    (void)state;
    for (size_t r = 0; r < RATES + 2; r++) {
        struct edge_shape shape;
        if (r < RATES)
            init(&shape, (struct edge_shape_config){.start = rates[r]}, 0);
        else
            init(&shape,
                 (struct edge_shape_config){.kind = EDGE_SHAPE_STEP,
                                            .start = r == RATES ? 10 : 500,
                                            .end = r == RATES ? 500 : 10,
                                            .step = r == RATES ? 77 : -77,
                                            .step_duration_ns = 133 * MS},
                 50 * MS);
        uint64_t before_ns = 0;
        for (uint64_t number = 0; number < 2000; number++) {
            uint64_t due_ns = edge_shape_due(&shape, number, 0);
            assert_true(due_ns >= before_ns);
            assert_true(edge_shape_count(&shape, due_ns) <= number);
            assert_true(edge_shape_count(&shape, due_ns + 1) > number);
            assert_true(edge_shape_due(&shape, number, 0x80000000u) >= due_ns);
            assert_true(edge_shape_due(&shape, number, 0xffffffffu) <=
                        edge_shape_due(&shape, number + 1, 0));
            before_ns = due_ns;
        }
        assert_int_equal(edge_shape_count(&shape, 0), 0);
        edge_shape_free(&shape);
    }
}

static void steps(void **state)
{
    (void)state;
    struct edge_shape shape;
    init(&shape,
         (struct edge_shape_config){.kind = EDGE_SHAPE_STEP,
                                    .start = 100,
                                    .end = 250,
                                    .step = 100,
                                    .step_duration_ns = 2 * S},
         S);
    // 3 s of 100 (one is warm-up), 2 s of 200, 250 for ever.
    assert_int_equal(shape.count, 3);
    assert_int_equal(shape.length_ns, 6 * S);
    assert_int_equal(edge_shape_value(&shape, 0), 100);
    assert_int_equal(edge_shape_value(&shape, 3 * S - 1), 100);
    assert_int_equal(edge_shape_value(&shape, 3 * S), 200);
    assert_int_equal(edge_shape_value(&shape, 500 * S), 250);
    assert_int_equal(edge_shape_highest(&shape), 250);
    assert_int_equal(edge_shape_change(&shape, 0), 3 * S);
    assert_int_equal(edge_shape_change(&shape, 3 * S), 5 * S);
    assert_true(edge_shape_change(&shape, 5 * S) == UINT64_MAX);
    assert_int_equal(edge_shape_count(&shape, 3 * S), 300);
    assert_int_equal(edge_shape_count(&shape, 5 * S), 700);
    assert_int_equal(edge_shape_count(&shape, 7 * S), 1200);
    edge_shape_free(&shape);
    edge_shape_free(&shape);
}

static void open_ended_steps(void **state)
{
    (void)state;
    struct edge_shape shape;
    struct edge_shape_config config = {.kind = EDGE_SHAPE_STEP,
                                       .start = 100,
                                       .step = -60,
                                       .step_duration_ns = S,
                                       .max_duration_ns = 10 * S};
    init(&shape, config, 0); // 100, 40, then the least there is
    assert_int_equal(shape.count, 3);
    assert_int_equal(edge_shape_value(&shape, 9 * S), 1);
    edge_shape_free(&shape);
    config.step = 50;
    config.max_duration_ns = 3 * S;
    init(&shape, config, 0);
    assert_int_equal(edge_shape_value(&shape, 100 * S), 200);
    assert_int_equal(edge_shape_highest(&shape), 200);
    edge_shape_free(&shape);
}

// It goes on for a year at the bound, and for no longer here than it takes to say so.
static void open_ended_steps_that_reach_their_bound(void **state)
{
    (void)state;
    const uint64_t year_ns = 8784 * 3600 * S;
    struct edge_shape shape;
    init(&shape,
         (struct edge_shape_config){.kind = EDGE_SHAPE_STEP,
                                    .start = 3,
                                    .step = -1,
                                    .step_duration_ns = 1000,
                                    .max_duration_ns = year_ns},
         0);
    assert_int_equal(shape.count, 3);
    assert_int_equal(edge_shape_value(&shape, year_ns), 1);
    assert_int_equal(shape.length_ns, year_ns);
    edge_shape_free(&shape);
    init(&shape,
         (struct edge_shape_config){.kind = EDGE_SHAPE_STEP,
                                    .start = EDGE_SHAPE_VALUE_MAX,
                                    .step = 1,
                                    .step_duration_ns = 10,
                                    .max_duration_ns = 25},
         0);
    assert_int_equal(shape.count, 1);
    assert_int_equal(shape.length_ns, 30);
    edge_shape_free(&shape);
}

static void a_step_for_a_year_each(void **state)
{
    (void)state;
    struct edge_shape shape;
    init(&shape,
         (struct edge_shape_config){.kind = EDGE_SHAPE_STEP,
                                    .start = 1,
                                    .end = 5000,
                                    .step = 1,
                                    .step_duration_ns = 8784 * 3600 * S},
         0);
    assert_true(shape.length_ns > UINT64_MAX / 2); // and not what is left of a sum that ran over
    edge_shape_free(&shape);
}

static void line(void **state)
{
    (void)state;
    struct edge_shape shape;
    init(&shape,
         (struct edge_shape_config){.kind = EDGE_SHAPE_LINE, .start = 50, .end = 450, .step = 100},
         0);
    assert_int_equal(shape.count, 41);
    assert_int_equal(edge_shape_value(&shape, S), 150);
    assert_int_equal(edge_shape_value(&shape, 3 * S / 2), 200);
    assert_int_equal(edge_shape_value(&shape, 4 * S), 450);
    // The area under the line, 1000 calls in 4 s, to the coarseness of the steps.
    uint64_t calls = edge_shape_count(&shape, 4 * S);
    assert_true(calls > 970 && calls <= 1000);
    edge_shape_free(&shape);
}

static void what_cannot_be(void **state)
{
    (void)state;
    static const struct {
        struct edge_shape_config config;
        const char *said;
    } cases[] = {
        {{EDGE_SHAPE_STEP, 0, 5, 1, S, 0}, "--load-start, --load-end: expected 1 to"},
        {{EDGE_SHAPE_STEP, 5, 9, 0, S, 0}, "needs a --load-step other than 0"},
        {{EDGE_SHAPE_STEP, 5, 9, 1, 0, 0}, "needs a --load-step-duration"},
        {{EDGE_SHAPE_LINE, 5, 0, 1, 0, 0}, "expected --load-end or --load-max-duration"},
        {{EDGE_SHAPE_STEP, 5, 9, -1, S, 0},
         "--load-step -1 never gets from --load-start 5 to --load-end 9"},
        {{EDGE_SHAPE_STEP, 5, 5, 1, S, 0}, "are both 5"},
        {{EDGE_SHAPE_STEP, 1, 100000, 1, S, 0}, "more than 10000 steps"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_shape shape;
        struct edge_message message;
        assert_int_equal(edge_shape_init(&shape, &cases[i].config, 0, "load", &message),
                         EDGE_ERR_USAGE);
        if (strstr(message.text, cases[i].said) == NULL)
            fail_msg("expected \"%s\", found \"%s\"", cases[i].said, message.text);
        edge_shape_free(&shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due_is_exact_over_long_runs),
        cmocka_unit_test(count_is_due_turned_around),
        cmocka_unit_test(steps),
        cmocka_unit_test(open_ended_steps),
        cmocka_unit_test(open_ended_steps_that_reach_their_bound),
        cmocka_unit_test(a_step_for_a_year_each),
        cmocka_unit_test(line),
        cmocka_unit_test(what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
