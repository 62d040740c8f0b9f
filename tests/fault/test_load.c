// The load generator, threads and all, when memory runs out, against a server that has enough.
#include "cmocka_headers.h"

#include "base/clock.h"
#include "fault.h"
#include "load/load.h"
#include "server_child.h"

static struct server_child server;
static const char *call;

static int load_path(void)
{
    struct edge_payload payload;
    struct edge_message message = {""};
    int error = edge_payload_load(&payload, "complex_proto", call, 0, &message);
    if (error < 0)
        return error;
    const struct edge_load_config config = {
        .address = server.address,
        .payload = &payload,
        .connections = 2,
        .concurrency = 4,
        .duration_ns = 5 * EDGE_NS_PER_MS,
        .timeout_ns = EDGE_NS_PER_S,
        .connect_timeout_ns = EDGE_NS_PER_S,
        .drain_ns = EDGE_NS_PER_S,
    };
    struct edge_load *load;
    struct edge_load_result result;
    error = edge_load_start(&config, &load, &message);
    assert_true(error == 0 || message.text[0] != '\0');
    if (error == 0)
        error = edge_load_finish(load, &result);
    if (error == 0) {
        // Whatever failed, no call is lost from the books.
        assert_true(result.balanced);
        assert_true(result.outcomes[EDGE_OUTCOME_WRONG_REPLY] == 0);
        edge_load_result_free(&result);
    }
    edge_payload_free(&payload);
    return error;
}

static void unary(void **state)
{
    (void)state;
    call = "SayHello";
    fault_each_allocation(load_path, 150);
}

static void streaming(void **state)
{
    (void)state;
    call = "SayHelloBidi";
    fault_each_allocation(load_path, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unary), cmocka_unit_test(streaming)};
    const char *const argv[] = {EDGE_SERVER, "--port", "0", NULL};
    server_child_start(&server, argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    server_child_stop(&server);
    return failed;
}
