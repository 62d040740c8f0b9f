#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "grpc/status.h"

static void codes_have_names_and_digits(void **state)
{
    (void)state;
    assert_string_equal(edge_status_name(EDGE_STATUS_OK), "OK");
    assert_string_equal(edge_status_name(EDGE_STATUS_UNAUTHENTICATED), "UNAUTHENTICATED");
    assert_string_equal(edge_status_digits(EDGE_STATUS_DEADLINE_EXCEEDED), "4");
    assert_string_equal(edge_status_digits(16), "16");
    // What does not exist is UNKNOWN, as clients see it.
    assert_string_equal(edge_status_name(17), "UNKNOWN");
    assert_string_equal(edge_status_name(-1), "UNKNOWN");
    assert_string_equal(edge_status_digits(99), "2");
}

static void digits_parse_back(void **state)
{
    (void)state;
    for (int code = 0; code < EDGE_STATUS_CODES; code++) {
        const char *digits = edge_status_digits(code);
        assert_int_equal(edge_status_parse(digits, strlen(digits)), code);
    }
    assert_int_equal(edge_status_parse("2000000000", 10), 2000000000);
}

static void junk_is_refused(void **state)
{
    (void)state;
    static const char *const junk[] = {"",   " 0", "0 ",         "-1",
                                       "+1", "1x", "4294967296", "2147483648"};
    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++)
        assert_int_equal(edge_status_parse(junk[i], strlen(junk[i])), EDGE_ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_names_and_digits),
        cmocka_unit_test(digits_parse_back),
        cmocka_unit_test(junk_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
