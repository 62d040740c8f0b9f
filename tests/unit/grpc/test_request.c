#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "grpc/limits.h"
#include "grpc/request.h"

static void content_types_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        enum edge_content_type type;
    } rows[] = {
        {"application/grpc", EDGE_CONTENT_GRPC},
        {"application/grpc+proto", EDGE_CONTENT_GRPC},
        {"application/grpc;charset=utf-8", EDGE_CONTENT_GRPC},
        {"application/grpc+proto ; a=b", EDGE_CONTENT_GRPC},
        {"Application/GRPC+Proto", EDGE_CONTENT_GRPC},
        {"application/grpc+json", EDGE_CONTENT_UNKNOWN},
        {"application/grpc+", EDGE_CONTENT_UNKNOWN},
        {"application/grpc+protox", EDGE_CONTENT_UNKNOWN},
        {"application/grpcfoo", EDGE_CONTENT_NONE},
        {"application/grpc-web", EDGE_CONTENT_NONE},
        {"application/gr", EDGE_CONTENT_NONE},
        {"image/jpeg", EDGE_CONTENT_NONE},
        {"", EDGE_CONTENT_NONE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(edge_request_content_type(rows[i].value, strlen(rows[i].value)),
                         rows[i].type);
}

static int add(struct edge_request *request, const char *name, const char *value)
{
    return edge_request_header(request, name, strlen(name), value, strlen(value));
}

static struct edge_request good(void)
{
    struct edge_request request = {0};
    add(&request, ":method", "POST");
    add(&request, "content-type", "application/grpc");
    return request;
}

// The verdict on a good request with one more field (which replaces an earlier one).
static int verdict(const char *name, const char *value, struct edge_refusal *refusal)
{
    struct edge_request request = good();
    if (name != NULL)
        assert_int_equal(add(&request, name, value), 0);
    return edge_request_refused(&request, true, true, refusal);
}

static void requests_are_judged_by_their_fields(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        const char *http_status; // NULL: not refused
        int status;
    } rows[] = {
        {NULL, NULL, NULL, 0},
        {":method", "GET", "405", EDGE_STATUS_INTERNAL},
        {":method", "POSTS", "405", EDGE_STATUS_INTERNAL},
        {"content-type", "text/html", "415", -1},
        {"content-type", "application/grpc+json", "200", EDGE_STATUS_UNIMPLEMENTED},
        {"grpc-timeout", "1S", NULL, 0},
        {"grpc-timeout", "1", "200", EDGE_STATUS_INTERNAL},
        {"grpc-encoding", "identity", NULL, 0},
        {"grpc-encoding", "gzip", NULL, 0},
        {"grpc-encoding", "deflate", "200", EDGE_STATUS_UNIMPLEMENTED},
        {"x-bin", "AA,AAA,AAAA,AA==", NULL, 0},
        {"x-bin", "A", "200", EDGE_STATUS_INTERNAL},
        {"grpc-encoding", "", "200", EDGE_STATUS_UNIMPLEMENTED},
        {"grpc-accept-encoding", "gzip", NULL, 0},
        {"x-anything", "goes", NULL, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct edge_refusal refusal;
        assert_int_equal(verdict(rows[i].name, rows[i].value, &refusal),
                         rows[i].http_status != NULL);
        if (rows[i].http_status == NULL)
            continue;
        assert_string_equal(refusal.http_status, rows[i].http_status);
        assert_int_equal(refusal.status, rows[i].status);
        assert_int_equal(refusal.list_encodings, strcmp(rows[i].name, "grpc-encoding") == 0);
    }
}

static void missing_fields_refuse(void **state)
{
    (void)state;
    struct edge_refusal refusal;
    struct edge_request request = {0};
    assert_true(edge_request_refused(&request, true, true, &refusal));
    assert_string_equal(refusal.http_status, "405");
    add(&request, ":method", "POST");
    assert_true(edge_request_refused(&request, true, true, &refusal));
    assert_string_equal(refusal.http_status, "415");
}

static void unknown_paths_say_what_is_unknown(void **state)
{
    (void)state;
    struct edge_refusal refusal;
    struct edge_request request = good();
    assert_true(edge_request_refused(&request, false, true, &refusal));
    assert_int_equal(refusal.status, EDGE_STATUS_UNIMPLEMENTED);
    assert_string_equal(refusal.message, "unknown method");
    assert_true(edge_request_refused(&request, false, false, &refusal));
    assert_string_equal(refusal.message, "unknown service");
}

static void the_last_of_repeated_fields_counts(void **state)
{
    (void)state;
    struct edge_refusal refusal;
    struct edge_request request = good();
    add(&request, "grpc-timeout", "junk");
    add(&request, "grpc-timeout", "7n");
    assert_false(edge_request_refused(&request, true, true, &refusal));
    assert_int_equal(request.timeout_ns, 7);
}

static void header_lists_have_a_soft_and_a_hard_limit(void **state)
{
    (void)state;
    struct edge_refusal refusal;
    struct edge_request request = good();
    while (request.list_bytes + 32 + 1 + 100 <= EDGE_LIMIT_HEADER_SOFT)
        edge_request_header(&request, "x", 1,
                            "0123456789012345678901234567890123456789012345678901234567890123456789"
                            "012345678901234567890123456789",
                            100);
    assert_false(edge_request_refused(&request, true, true, &refusal));
    char big[200] = "";
    edge_request_header(&request, "x", 1, big, sizeof(big));
    assert_true(edge_request_refused(&request, true, true, &refusal));
    assert_int_equal(refusal.status, EDGE_STATUS_RESOURCE_EXHAUSTED);
    int error = 0;
    while (error == 0)
        error = edge_request_header(&request, "x", 1, big, sizeof(big));
    assert_int_equal(error, EDGE_ERR_LIMIT);
    assert_true(request.list_bytes > EDGE_LIMIT_HEADER_HARD);

    request = good();
    error = 0;
    while (error == 0)
        error = edge_request_header(&request, "x", 1, "", 0);
    assert_true(request.list_count > EDGE_LIMIT_HEADER_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_types_are_told_apart),
        cmocka_unit_test(requests_are_judged_by_their_fields),
        cmocka_unit_test(missing_fields_refuse),
        cmocka_unit_test(unknown_paths_say_what_is_unknown),
        cmocka_unit_test(the_last_of_repeated_fields_counts),
        cmocka_unit_test(header_lists_have_a_soft_and_a_hard_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
