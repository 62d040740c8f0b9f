#include "cmocka_headers.h"

#include <sched.h>

#include "base/cpuset.h"
#include "base/error.h"

static void parses_lists(void **state)
{
    (void)state;
    struct edge_cpuset set;
    char text[64];
    assert_int_equal(edge_cpuset_parse("0,2-4,7", &set), 0);
    assert_int_equal(set.count, 5);
    assert_int_equal(set.cpus[3], 4);
    assert_string_equal(edge_cpuset_text(&set, text, sizeof(text)), "0,2-4,7");
    assert_int_equal(edge_cpuset_parse("3,1,2,2", &set), 0);
    assert_string_equal(edge_cpuset_text(&set, text, sizeof(text)), "1-3");
}

static void refuses_what_is_no_list(void **state)
{
    (void)state;
    static const char *const bad[] = {"",  ",",  "1,",  "-1",    "2-1",
                                      "a", "1 ", "256", "0-256", "1--2"};
    struct edge_cpuset set;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(edge_cpuset_parse(bad[i], &set), EDGE_ERR_FORMAT);
}

static void cuts_a_text_that_does_not_fit(void **state)
{
    (void)state;
    struct edge_cpuset set;
    char text[4];
    assert_int_equal(edge_cpuset_parse("0,2,4,6,8", &set), 0);
    assert_string_equal(edge_cpuset_text(&set, text, sizeof(text)), "0,2");
}

static void pins_the_thread(void **state)
{
    (void)state;
    struct edge_cpuset allowed;
    struct edge_cpuset one = {.count = 1};
    assert_int_equal(edge_cpuset_allowed(&allowed), 0);
    assert_true(allowed.count > 0);
    one.cpus[0] = allowed.cpus[allowed.count - 1];
    assert_int_equal(edge_cpuset_pin(0, &one), 0);
    assert_int_equal(sched_getcpu(), one.cpus[0]);
    assert_int_equal(edge_cpuset_pin(0, &allowed), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_lists),
        cmocka_unit_test(refuses_what_is_no_list),
        cmocka_unit_test(cuts_a_text_that_does_not_fit),
        cmocka_unit_test(pins_the_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
