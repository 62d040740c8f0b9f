#include "cmocka_headers.h"

#include "base/clock.h"
#include "run/command.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_speed_takes_the_usual_load),
        cmocka_unit_test(counts_take_a_small_one),
        cmocka_unit_test(what_is_given_counts_for_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
