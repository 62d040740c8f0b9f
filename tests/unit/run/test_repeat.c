#include "cmocka_headers.h"

#include "run/repeat.h"

static void every_server_comes_once_in_a_repeat(void **state)
{
    (void)state;
    for (uint64_t repeat = 1; repeat <= 7; repeat++) {
        unsigned seen = 0;
        for (size_t i = 0; i < 3; i++)
            seen |= 1u << edge_repeat_order(3, repeat, i);
        assert_int_equal(seen, 7);
    }
}

static void each_server_comes_first_once(void **state)
{
    (void)state;
    static const size_t expected[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    for (uint64_t repeat = 1; repeat <= 6; repeat++)
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(edge_repeat_order(3, repeat, i), expected[(repeat - 1) % 3][i]);
    assert_int_equal(edge_repeat_order(1, 5, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_server_comes_once_in_a_repeat),
        cmocka_unit_test(each_server_comes_first_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
