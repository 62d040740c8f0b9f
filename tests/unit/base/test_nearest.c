#include "cmocka_headers.h"

#include "base/nearest.h"

static void counts_edits(void **state)
{
    (void)state;
    assert_int_equal(edge_nearest_distance("", ""), 0);
    assert_int_equal(edge_nearest_distance("report", "report"), 0);
    assert_int_equal(edge_nearest_distance("reprot", "report"), 2);
    assert_int_equal(edge_nearest_distance("rn", "run"), 1);
    assert_int_equal(edge_nearest_distance("runs", "run"), 1);
    assert_int_equal(edge_nearest_distance("", "load"), 4);
    assert_int_equal(edge_nearest_distance("agent", ""), 5);
}

static void a_long_name_is_far(void **state)
{
    (void)state;
    char name[80] = "";
    for (size_t i = 0; i < 64; i++)
        name[i] = 'a';
    assert_true(edge_nearest_distance("a", name) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_edits),
        cmocka_unit_test(a_long_name_is_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
