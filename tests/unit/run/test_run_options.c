#include "cmocka_headers.h"

#include <string.h>

#include "base/clock.h"
#include "power/power.h"
#include "run/run_options.h"

// As the command does it.
static void parse(struct edge_run_options *options, int argc, const char *const *arguments)
{
    char *argv[8];
    int operands;
    for (int i = 0; i < argc; i++)
        argv[i] = (char *)(uintptr_t)arguments[i];
    edge_run_options_begin(options);
    assert_int_equal(
        edge_options_argv(&edge_run_command_options, options, argc, argv, &operands, NULL), 0);
    edge_run_options_settle(options);
}

static void a_speed_takes_the_usual_load(void **state)
{
    (void)state;
    struct edge_run_options options;
    parse(&options, 1, (const char *const[]){"run"});
    assert_int_equal(options.connections, 50);
    assert_int_equal(options.concurrency, 1000);
    assert_int_equal(options.duration_ns, 20 * EDGE_NS_PER_S);
    assert_int_equal(options.warmup_ns, 5 * EDGE_NS_PER_S);
}

static void counts_take_a_small_one(void **state)
{
    (void)state;
    struct edge_run_options options;
    parse(&options, 3, (const char *const[]){"run", "--target", "qemu:rpi4"});
    assert_int_equal(options.connections, 4);
    assert_int_equal(options.concurrency, 32);
    assert_int_equal(options.duration_ns, 3 * EDGE_NS_PER_S);
    assert_int_equal(options.warmup_ns, EDGE_NS_PER_S);
}

static void what_is_given_counts_for_both(void **state)
{
    (void)state;
    struct edge_run_options options;
    parse(
        &options, 6,
        (const char *const[]){"run", "--target=qemu:rpi4", "--connections", "50", "--warmup", "0"});
    assert_int_equal(options.connections, 50);
    assert_int_equal(options.warmup_ns, 0);
    assert_int_equal(options.concurrency, 32);
}

// Sums of times must not run over, nor a rate above what the schedule can compute with.
static void numbers_have_a_bound(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value;
    } cases[] = {
        {"--duration", "8785h"},      {"--warmup", "8785h"},
        {"--timeout", "8785h"},       {"--idle", "8785h"},
        {"--handshakes", "8785h"},    {"--ready-timeout", "8785h"},
        {"--rps", "1000000001"},      {"--connections", "65536"},
        {"--concurrency", "1000001"}, {"--server-ram", "8589934592g"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_run_options options;
        struct edge_message message = {""};
        char *argv[] = {(char *)(uintptr_t) "run", (char *)(uintptr_t)cases[i].option,
                        (char *)(uintptr_t)cases[i].value};
        int operands;
        edge_run_options_begin(&options);
        assert_int_equal(
            edge_options_argv(&edge_run_command_options, &options, 3, argv, &operands, &message),
            EDGE_ERR_USAGE);
        if (strstr(message.text, "must be at most") == NULL)
            fail_msg("%s: %s", cases[i].option, message.text);
    }
}

static void scopes_are_those_of_sources(void **state)
{
    (void)state;
    const struct edge_option *row = edge_run_command_options.options;
    while (strcmp(row->name, "power-scope") != 0)
        row++;
    for (size_t i = 0; edge_power_scopes[i] != NULL || row->choices[i + 1] != NULL; i++)
        assert_string_equal(row->choices[i + 1], edge_power_scopes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_speed_takes_the_usual_load),  cmocka_unit_test(counts_take_a_small_one),
        cmocka_unit_test(what_is_given_counts_for_both), cmocka_unit_test(numbers_have_a_bound),
        cmocka_unit_test(scopes_are_those_of_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
