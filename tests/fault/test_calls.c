// System calls that are interrupted, move a few bytes only, or find the connection reset: on the
// server's side, on the generator's, on both.
#include "cmocka_headers.h"

#include <stdio.h>

#include "base/clock.h"
#include "calls.h"
#include "load/load.h"
#include "server_child.h"

static const struct calls_faults none;
static const struct calls_faults interrupted = {.interrupt = 2};
static const struct calls_faults short_ones = {.longest = 700};
static const struct calls_faults all = {.interrupt = 3, .longest = 100};

static void start_server(struct server_child *server, const struct calls_faults *faults)
{
    const uint32_t numbers[] = {faults->interrupt, faults->longest, faults->reset};
    char text[3][16];
    const char *argv[7] = {EDGE_SERVER};
    for (size_t i = 0; i < 3; i++) {
        snprintf(text[i], sizeof(text[i]), "%u", numbers[i]);
        argv[i + 1] = text[i];
    }
    argv[4] = "--port";
    argv[5] = "0";
    server_child_start(server, argv);
}

// 0, or what kept it from connecting.
static int run_load(const struct server_child *server, uint64_t total,
                    struct edge_load_result *result)
{
    struct edge_payload payload;
    struct edge_message message = {""};
    assert_int_equal(edge_payload_load(&payload, "string_10kB", NULL, 0, &message), 0);
    const struct edge_load_config config = {
        .address = server->address,
        .payload = &payload,
        .connections = 3,
        .concurrency = 12,
        .total = total,
        .timeout_ns = 20 * EDGE_NS_PER_S,
        .drain_ns = 10 * EDGE_NS_PER_S,
    };
    struct edge_load *load;
    int error = edge_load_start(&config, &load, &message);
    if (error == 0) {
        assert_int_equal(edge_load_finish(load, result), 0);
        assert_true(result->balanced);
    }
    edge_payload_free(&payload);
    return error;
}

// Every call comes through.
static void all_right(const struct calls_faults *server_faults,
                      const struct calls_faults *load_faults)
{
    struct server_child server;
    struct edge_load_result result;
    start_server(&server, server_faults);
    calls_set(load_faults);
    assert_int_equal(run_load(&server, 200, &result), 0);
    if (result.outcomes[EDGE_OUTCOME_OK] != 200)
        fail_msg("%s", result.first_error);
    edge_load_result_free(&result);
    calls_set(&none);
    server_child_stop(&server);
}

static void interrupted_calls(void **state)
{
    (void)state;
    all_right(&interrupted, &none);
    all_right(&none, &interrupted);
}

static void short_calls(void **state)
{
    (void)state;
    all_right(&short_ones, &none);
    all_right(&none, &short_ones);
}

static void both(void **state)
{
    (void)state;
    all_right(&all, &all);
}

// A connection that is reset takes its calls with it, and nothing else.
static void check_after_reset(const struct server_child *server)
{
    struct edge_load_result result;
    if (run_load(server, 100, &result) == 0) { // else it was reset before it could begin
        assert_int_equal(
            result.outcomes[EDGE_OUTCOME_OK] + result.outcomes[EDGE_OUTCOME_CONNECTION], 100);
        edge_load_result_free(&result);
    }
    calls_set(&none);
    assert_int_equal(run_load(server, 100, &result), 0);
    assert_int_equal(result.outcomes[EDGE_OUTCOME_OK], 100);
    edge_load_result_free(&result);
}

static void reset_of_server(void **state)
{
    (void)state;
    struct server_child server;
    for (uint32_t at = 1; at <= 40; at++) {
        start_server(&server, &(struct calls_faults){.reset = at});
        check_after_reset(&server);
        server_child_stop(&server);
    }
}

static void reset_of_generator(void **state)
{
    (void)state;
    struct server_child server;
    start_server(&server, &none);
    for (uint32_t at = 1; at <= 40; at++) {
        calls_set(&(struct calls_faults){.reset = at});
        check_after_reset(&server);
    }
    server_child_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_calls),
        cmocka_unit_test(short_calls),
        cmocka_unit_test(both),
        cmocka_unit_test(reset_of_server),
        cmocka_unit_test(reset_of_generator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
