#include "cmocka_headers.h"

#include <string.h>

#include "run/readiness.h"

static void counts_tries_by_kind(void **state)
{
    (void)state;
    struct edge_readiness readiness = {.calls = 0};
    struct edge_load_result result = {.sent = 1};
    char text[256];
    assert_false(edge_readiness_answered(&readiness));
    result.outcomes[EDGE_OUTCOME_TIMEOUT] = 1;
    assert_false(edge_readiness_add(&readiness, &result));
    assert_false(edge_readiness_answered(&readiness)); // silence is no answer
    result.outcomes[EDGE_OUTCOME_TIMEOUT] = 0;
    result.outcomes[EDGE_OUTCOME_GRPC_STATUS] = 1;
    result.grpc_status[13] = 1;
    strcpy(result.first_error, "grpc-status 13");
    assert_false(edge_readiness_add(&readiness, &result));
    strcpy(result.first_error, "later");
    assert_false(edge_readiness_add(&readiness, &result));
    assert_true(edge_readiness_answered(&readiness));
    assert_int_equal(readiness.grpc_status[13], 2);
    assert_string_equal(edge_readiness_text(&readiness, text, sizeof(text)),
                        "answered 3 calls, none was verified: 2 grpc_status 1 timeout; "
                        "first: grpc-status 13");
    result.outcomes[EDGE_OUTCOME_OK] = 1;
    assert_true(edge_readiness_add(&readiness, &result));
}

static void a_refusal_is_an_answer(void **state)
{
    (void)state;
    struct edge_readiness readiness = {.calls = 0};
    char text[256], cut[12];
    edge_readiness_add_refusal(&readiness, "no HTTP/2 there");
    assert_true(edge_readiness_answered(&readiness));
    assert_non_null(strstr(edge_readiness_text(&readiness, text, sizeof(text)), "no HTTP/2"));
    assert_string_equal(edge_readiness_text(&readiness, cut, sizeof(cut)), "answered 1 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_tries_by_kind),
        cmocka_unit_test(a_refusal_is_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
