#include "cmocka_headers.h"

#include "load/search.h"

// Searches for `capacity`, the highest rate that is kept. Returns how many rates were tried.
static unsigned search_for(uint64_t start, uint64_t capacity, uint64_t highest,
                           struct edge_search *search)
{
    unsigned tries = 0;
    edge_search_init(search, start);
    for (; search->next > 0; tries++) {
        assert_true(search->next <= highest);
        assert_true(tries < 100);
        edge_search_take(search, search->next <= capacity, highest);
    }
    return tries;
}

static void finds_it_from_below_and_above(void **state)
{
    (void)state;
    static const uint64_t starts[] = {1, 7, 1000, 1000000};
    static const uint64_t capacities[] = {1, 2, 3, 99, 1000, 12345, 7777777};
    for (size_t s = 0; s < 4; s++) {
        for (size_t c = 0; c < 7; c++) {
            struct edge_search search;
            unsigned tries = search_for(starts[s], capacities[c], 1000000000, &search);
            assert_true(search.kept > 0 && search.kept <= capacities[c]);
            assert_true(search.kept >= capacities[c] - capacities[c] / 50);
            assert_true(tries <= 40);
        }
    }
}

static void ends_at_the_highest_rate(void **state)
{
    (void)state;
    struct edge_search search;
    search_for(3, 5000, 1000, &search);
    assert_int_equal(search.kept, 1000);
    assert_int_equal(search.missed, 0);
}

static void nothing_is_kept(void **state)
{
    (void)state;
    struct edge_search search;
    assert_int_equal(search_for(1000, 0, 1000000, &search), 10);
    assert_int_equal(search.kept, 0);
    assert_int_equal(search.missed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_it_from_below_and_above),
        cmocka_unit_test(ends_at_the_highest_rate),
        cmocka_unit_test(nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
