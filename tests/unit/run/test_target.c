#include "cmocka_headers.h"

#include <string.h>

#include "run/target.h"

static void expect_split(const char *allowed, uint64_t server, uint64_t client,
                         const char *server_cpus, const char *client_cpus, const char *others)
{
    struct edge_cpuset set;
    struct edge_target target;
    struct edge_message message;
    char text[128];
    assert_int_equal(edge_cpuset_parse(allowed, &set), 0);
    assert_int_equal(edge_target_split(&target, &set, server, client, &message), 0);
    assert_string_equal(edge_cpuset_text(&target.server_cpus, text, sizeof(text)), server_cpus);
    assert_string_equal(edge_cpuset_text(&target.client_cpus, text, sizeof(text)), client_cpus);
    assert_string_equal(edge_cpuset_text(&target.other_cpus, text, sizeof(text)), others);
    assert_int_equal(target.shared, strcmp(server_cpus, client_cpus) == 0);
}

static void server_and_generator_get_cpus_of_their_own(void **state)
{
    (void)state;
    expect_split("0-1", 1, 1, "0", "1", "1");
    expect_split("0-3", 1, 1, "0", "1", "1-3");
    expect_split("0-3", 2, 2, "0-1", "2-3", "2-3");
    expect_split("2,5,7", 1, 2, "2", "5,7", "5,7");
}

static void a_single_cpu_is_shared(void **state)
{
    (void)state;
    expect_split("3", 1, 1, "3", "3", "3");
}

static void too_few_cpus_are_a_usage_error(void **state)
{
    (void)state;
    static const uint64_t asked[][2] = {{1, 2}, {2, 1}, {3, 1}, {UINT64_MAX, 2}};
    struct edge_cpuset set;
    struct edge_target target;
    assert_int_equal(edge_cpuset_parse("0-1", &set), 0);
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        struct edge_message message = {""};
        assert_int_equal(edge_target_split(&target, &set, asked[i][0], asked[i][1], &message),
                         EDGE_ERR_USAGE);
        assert_non_null(strstr(message.text, "found 2 that may be used (0-1)"));
    }
    assert_int_equal(edge_cpuset_parse("0", &set), 0);
    assert_int_equal(edge_target_split(&target, &set, 1, 2, NULL), EDGE_ERR_USAGE);
}

static void two_machines_have_cpus_of_their_own(void **state)
{
    (void)state;
    struct edge_cpuset board, here;
    struct edge_target target;
    struct edge_message message;
    char text[128];
    assert_int_equal(edge_cpuset_parse("0-3", &board), 0);
    assert_int_equal(edge_cpuset_parse("0,5", &here), 0);
    assert_int_equal(edge_target_split_apart(&target, &board, &here, 2, 2, &message), 0);
    assert_string_equal(edge_cpuset_text(&target.server_cpus, text, sizeof(text)), "0-1");
    assert_string_equal(edge_cpuset_text(&target.client_cpus, text, sizeof(text)), "0,5");
    assert_string_equal(edge_cpuset_text(&target.other_cpus, text, sizeof(text)), "0,5");
    assert_int_equal(edge_target_split_apart(&target, &board, &here, 5, 1, &message),
                     EDGE_ERR_USAGE);
    assert_non_null(strstr(message.text, "the board has 4"));
    assert_int_equal(edge_target_split_apart(&target, &board, &here, 1, 3, &message),
                     EDGE_ERR_USAGE);
    assert_non_null(strstr(message.text, "this machine has 2"));
}

static void unknown_targets_and_boards_are_usage_errors(void **state)
{
    (void)state;
    struct edge_target target;
    struct edge_message message;
    struct edge_target_config config = {.name = "lokal", .server_cpus = 1, .client_cpus = 1};
    assert_int_equal(edge_target_init(&target, &config, &message), EDGE_ERR_USAGE);
    assert_non_null(strstr(message.text, "\"local\", \"qemu:BOARD\" or \"ssh://"));
    config.name = "qemu:rpizro";
    assert_int_equal(edge_target_init(&target, &config, &message), EDGE_ERR_NOT_FOUND);
    assert_non_null(strstr(message.text, "rpizero"));
    edge_target_free(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(server_and_generator_get_cpus_of_their_own),
        cmocka_unit_test(a_single_cpu_is_shared),
        cmocka_unit_test(too_few_cpus_are_a_usage_error),
        cmocka_unit_test(two_machines_have_cpus_of_their_own),
        cmocka_unit_test(unknown_targets_and_boards_are_usage_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
