#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "report/grid.h"

static void width(void **state)
{
    (void)state;
    assert_int_equal(edge_grid_width(""), 0);
    assert_int_equal(edge_grid_width("abc"), 3);
    assert_int_equal(edge_grid_width("1 ± 2 %"), 7);
    assert_int_equal(edge_grid_width("µ"), 1);
}

static void grid(void **state)
{
    (void)state;
    static const struct edge_grid_row rows[] = {
        {.cells = {"name", "req/s"}},
        {.cells = {"a", "5 ± 1 %"}},
        {.section = "not ranked"},
        {.cells = {"longer", "-"}},
    };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    edge_grid_print(rows, 4, 2, out);
    fclose(out);
    assert_string_equal(text, "--------------------\n"
                              "| name   |   req/s |\n"
                              "--------------------\n"
                              "| a      | 5 ± 1 % |\n"
                              "-- not ranked ------\n"
                              "| longer |       - |\n"
                              "--------------------\n");
    free(text);
}

// A divider that is wider than the table is not cut, and nothing wraps around.
static void narrow(void **state)
{
    (void)state;
    static const struct edge_grid_row rows[] = {{.cells = {"a"}}, {.section = "not ranked"}};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    edge_grid_print(rows, 2, 1, out);
    fclose(out);
    assert_string_equal(text, "-----\n| a |\n-----\n-- not ranked \n-----\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width),
        cmocka_unit_test(grid),
        cmocka_unit_test(narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
