#include "cmocka_headers.h"

#include <errno.h>
#include <string.h>

#include "load/explain.h"
#include "wire/frame.h"

static const char *explain(enum edge_outcome outcome, const struct edge_explain *detail)
{
    static char text[256];
    static const struct edge_payload payload = {.messages_in = 10};
    static const struct edge_verify_plan plan = {.payload = &payload};
    static const struct edge_verify verify = {.messages = 9, .http_status = 404};
    text[0] = '\0';
    edge_explain(outcome, detail, &plan, &verify, text, sizeof(text));
    return text;
}

static void every_failure_has_words(void **state)
{
    (void)state;
    for (unsigned i = EDGE_OUTCOME_OK + 1; i < EDGE_OUTCOMES; i++)
        assert_true(strlen(explain(i, &(struct edge_explain){.error = EDGE_ERR_CLOSED})) > 10);
    assert_string_equal(explain(EDGE_OUTCOME_WRONG_COUNT, &(struct edge_explain){0}),
                        "expected 10 replies to a call; found 9");
    assert_string_equal(explain(EDGE_OUTCOME_HTTP_STATUS, &(struct edge_explain){0}),
                        "expected :status 200; found 404");
    assert_string_equal(
        explain(EDGE_OUTCOME_RESET, &(struct edge_explain){.h2_code = EDGE_H2_INTERNAL_ERROR}),
        "the server reset the stream (INTERNAL_ERROR)");
    assert_string_equal(
        explain(EDGE_OUTCOME_CONNECTION, &(struct edge_explain){.failure = "a PING of 7 bytes"}),
        "the server broke HTTP/2: a PING of 7 bytes");
}

static void what_the_peer_said(void **state)
{
    (void)state;
    struct edge_fields fields = {
        .list = {{"grpc-status", "13", 11, 2}, {"grpc-message", "no%0Aluck\x01", 12, 10}},
        .count = 2,
    };
    struct edge_explain detail = {.word = edge_verify_read_fields(&fields), .fields = &fields};
    assert_string_equal(explain(EDGE_OUTCOME_GRPC_STATUS, &detail),
                        "the server answered grpc-status 13 (INTERNAL): no?luck?");
    // What is no ASCII is shown alike whether the compiler's char is signed or not.
    fields.list[1].value = "na\xefve%FF\x7f";
    fields.list[1].value_len = 9;
    assert_string_equal(explain(EDGE_OUTCOME_GRPC_STATUS, &detail),
                        "the server answered grpc-status 13 (INTERNAL): na?ve??");
    detail = (struct edge_explain){.goaway = true,
                                   .h2_code = EDGE_H2_ENHANCE_YOUR_CALM,
                                   .text = "too_many_pings",
                                   .text_len = 14};
    assert_string_equal(
        explain(EDGE_OUTCOME_REFUSED, &detail),
        "the server sent GOAWAY (ENHANCE_YOUR_CALM: too_many_pings) before it took the call");
}

static void connections(void **state)
{
    (void)state;
    struct edge_message message;
    struct edge_explain detail = {.error = -ECONNREFUSED};
    assert_int_equal(edge_explain_connect(&message, &detail, "[::1]:5"), -ECONNREFUSED);
    assert_string_equal(message.text, "nothing listens on [::1]:5 (connection refused): start the "
                                      "server, or check host and port");
    detail = (struct edge_explain){.error = EDGE_ERR_CLOSED};
    assert_int_equal(edge_explain_connect(&message, &detail, "[::1]:5"), EDGE_ERR_PROTOCOL);
    detail = (struct edge_explain){.error = EDGE_ERR_PROTOCOL, .failure = "no HTTP/2"};
    assert_int_equal(edge_explain_connect(&message, &detail, "[::1]:5"), EDGE_ERR_PROTOCOL);
    assert_non_null(strstr(message.text, "found: no HTTP/2"));
    detail = (struct edge_explain){.error = -ENETUNREACH};
    assert_int_equal(edge_explain_connect(&message, &detail, "[::1]:5"), -ENETUNREACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failure_has_words),
        cmocka_unit_test(what_the_peer_said),
        cmocka_unit_test(connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
