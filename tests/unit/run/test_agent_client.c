// Against the real agent, and against scripts that play a bad one.
#include "cmocka_headers.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "run/agent_client.h"

static const char *const agent_argv[] = {EDGE_PROGRAM, "agent", NULL};

static int script(struct edge_agent_client *client, const char *text, struct edge_message *message)
{
    const char *argv[] = {"sh", "-c", text, NULL};
    return edge_agent_client_start(client, argv, NULL, message);
}

static void shakes_hands_and_relates_clocks(void **state)
{
    (void)state;
    struct edge_agent_client client;
    struct edge_message message;
    struct edge_agent_sync sync;
    assert_int_equal(edge_agent_client_start(&client, agent_argv, NULL, &message), 0);
    assert_true(client.board.cores > 0);
    assert_true(client.version[0] != '\0');
    assert_int_equal(edge_agent_client_sync(&client, &sync, &message), 0);
    // One machine, one clock: the offset is within the error that the round trip allows.
    uint64_t offset_ns = (uint64_t)(client.offset_ns < 0 ? -client.offset_ns : client.offset_ns);
    assert_true(offset_ns <= sync.round_trip_ns);
    edge_agent_client_stop(&client);
    edge_agent_client_stop(&client);
}

static void errors_carry_the_agents_words(void **state)
{
    (void)state;
    struct edge_agent_client client;
    struct edge_message message;
    assert_int_equal(edge_agent_client_start(&client, agent_argv, NULL, &message), 0);
    assert_int_equal(edge_agent_client_call(&client, json_pack("{ss}", "op", "dance"),
                                            EDGE_NS_PER_S * 10, NULL, &message),
                     EDGE_ERR_FAILED);
    assert_non_null(strstr(message.text, "dance"));
    edge_agent_client_stop(&client);
}

static void events_wait_while_an_answer_is_awaited(void **state)
{
    (void)state;
    struct edge_agent_client client;
    struct edge_message message;
    assert_int_equal(script(&client,
                            "read x; echo '{\"event\":\"sample\",\"n\":1}';"
                            "echo '{\"re\":1}'; echo '{\"event\":\"sample\",\"n\":2}'; read x",
                            &message),
                     0);
    while (json_array_size(client.inbox) < 2)
        assert_int_equal(
            edge_agent_client_wait(&client, -1, edge_clock_ns() + EDGE_NS_PER_S, &message), 0);
    for (int i = 1; i <= 2; i++) {
        json_t *event = edge_agent_client_event(&client);
        assert_int_equal(json_integer_value(json_object_get(event, "n")), i);
        json_decref(event);
    }
    assert_null(edge_agent_client_event(&client));
    edge_agent_client_stop(&client);
}

static void a_bad_agent_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int error;
        const char *words;
    } cases[] = {
        {"exit 7", EDGE_ERR_CLOSED, "exited with code 7"},
        {"echo hello; read x; read x", EDGE_ERR_FORMAT, "unexpected"},
        {"read x; echo '{\"event\":\"error\",\"re\":1,\"text\":\"too old\"}'; read x",
         EDGE_ERR_FAILED, "too old"},
        {"head -c 200000 /dev/zero | tr '\\0' x; read x; read x", EDGE_ERR_FORMAT, "a line above"},
    };
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_agent_client client;
        struct edge_message message = {""};
        assert_int_equal(script(&client, cases[i].text, &message), cases[i].error);
        if (!strstr(message.text, cases[i].words))
            fail_msg("case %zu: %s", i, message.text);
    }
    const char *argv[] = {"/nonexistent/agent", NULL};
    struct edge_agent_client client;
    struct edge_message message;
    assert_int_equal(edge_agent_client_start(&client, argv, NULL, &message), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shakes_hands_and_relates_clocks),
        cmocka_unit_test(errors_carry_the_agents_words),
        cmocka_unit_test(events_wait_while_an_answer_is_awaited),
        cmocka_unit_test(a_bad_agent_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
