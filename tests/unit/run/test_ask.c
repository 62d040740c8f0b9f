#include "cmocka_headers.h"

#include <errno.h>
#include <string.h>

#include "run/ask.h"

static void both_outputs_are_kept(void **state)
{
    (void)state;
    static const char *const argv[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
    char out[64], err[64];
    assert_int_equal(edge_ask(argv, false, out, sizeof(out), err, sizeof(err), NULL), 0);
    assert_string_equal(out, "out\n");
    assert_string_equal(err, "err\n");
}

static void one_line_is_enough_where_it_is_asked_for(void **state)
{
    (void)state;
    static const char *const argv[] = {"sh", "-c", "echo first; exec sleep 60", NULL};
    char out[64];
    assert_int_equal(edge_ask(argv, true, out, sizeof(out), NULL, 0, NULL), 0);
    assert_string_equal(out, "first\n");
}

static void what_does_not_fit_is_cut(void **state)
{
    (void)state;
    static const char *const argv[] = {"echo", "0123456789", NULL};
    char out[6];
    assert_int_equal(edge_ask(argv, false, out, sizeof(out), NULL, 0, NULL), 0);
    assert_string_equal(out, "01234");
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    static const char *const argv[] = {"/nowhere/program", NULL};
    char out[8] = "x", err[8] = "x";
    struct edge_message message;
    assert_int_equal(edge_ask(argv, false, out, sizeof(out), err, sizeof(err), &message), -ENOENT);
    assert_string_equal(out, "");
    assert_string_equal(err, "");
    assert_non_null(strstr(message.text, "/nowhere/program"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_outputs_are_kept),
        cmocka_unit_test(one_line_is_enough_where_it_is_asked_for),
        cmocka_unit_test(what_does_not_fit_is_cut),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
