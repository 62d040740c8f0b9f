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

static void add(struct edge_grid *grid, size_t count, const char *const *cells)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i][0] == '#')
            edge_grid_section(grid, cells[i] + 1);
        else
            edge_grid_add(grid, cells[i]);
}

static void expect(struct edge_grid *grid, enum edge_grid_style style, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(edge_grid_print(grid, style, out), 0);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void grid(void **state)
{
    (void)state;
    static const char *const cells[] = {"name",        "req/s",  "a", "5 ± 1 %",
                                        "#not ranked", "longer", "-"};
    struct edge_grid grid = {.columns = 2};
    add(&grid, 7, cells);
    expect(&grid, EDGE_GRID_TEXT,
           "--------------------\n"
           "| name   |   req/s |\n"
           "--------------------\n"
           "| a      | 5 ± 1 % |\n"
           "-- not ranked ------\n"
           "| longer |       - |\n"
           "--------------------\n");
    edge_grid_free(&grid);
    edge_grid_free(&grid);
}

// A divider that is wider than the table is not cut, and nothing wraps around.
static void narrow(void **state)
{
    (void)state;
    static const char *const cells[] = {"a", "b", "#not ranked at all"};
    struct edge_grid grid = {.columns = 2};
    add(&grid, 3, cells);
    expect(&grid, EDGE_GRID_TEXT,
           "---------\n| a | b |\n---------\n-- not ranked at all \n---------\n");
    edge_grid_free(&grid);
}

static void markdown(void **state)
{
    (void)state;
    static const char *const cells[] = {"name",        "req/s", "a|<b>_c_d*", "5",
                                        "#not ranked", "_x",    "`-`"};
    struct edge_grid grid = {.columns = 2};
    add(&grid, 7, cells);
    expect(&grid, EDGE_GRID_MARKDOWN,
           "| name | req/s |\n"
           "|:--|--:|\n"
           "| a\\|\\<b\\>\\_c_d\\* | 5 |\n"
           "| **not ranked** |  |\n"
           "| \\_x | \\`-\\` |\n");
    edge_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width),
        cmocka_unit_test(grid),
        cmocka_unit_test(narrow),
        cmocka_unit_test(markdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
