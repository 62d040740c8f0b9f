#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "report/columns.h"

static void table_is_sound(void **state)
{
    (void)state;
    size_t facts = 0;
    size_t count = 0;
    for (const struct edge_column *c = edge_columns_table(); c->name != NULL; c++, count++) {
        char key[64];
        assert_non_null(c->title);
        assert_int_equal(strcspn(c->name, " ,<>="), strlen(c->name)); // goals and lists name it
        assert_ptr_equal(edge_columns_find(c->name, NULL), c);
        assert_ptr_equal(edge_columns_find(edge_column_key(c, key, sizeof(key)), NULL), c);
        if (c->unit != EDGE_UNIT_TEXT) {
            assert_non_null(c->help);
            assert_int_equal(c->fact, EDGE_FACTS);
        } else if (c->fact < EDGE_FACTS) {
            assert_string_equal(c->name, edge_fact_describe(c->fact)->name);
            assert_string_equal(c->title, edge_fact_describe(c->fact)->title);
            assert_int_equal(edge_fact_find(c->name), c->fact);
            facts++;
        } else {
            assert_non_null(c->show);
        }
    }
    assert_int_equal(facts, EDGE_FACTS);
    assert_true(count <= EDGE_COLUMNS_MAX); // all of them fit into a list
}

static void unknown_names(void **state)
{
    (void)state;
    struct edge_message message;
    struct edge_column_list list;
    assert_null(edge_columns_find("req_per_d", &message));
    assert_non_null(strstr(message.text, "did you mean req_per_s?"));
    assert_null(edge_columns_find("something_else", &message));
    assert_non_null(strstr(message.text, "Figures: req_per_s "));
    assert_int_equal(edge_columns_parse("p99,,p50", &list, &message), EDGE_ERR_USAGE);
    assert_int_equal(edge_columns_parse("", &list, &message), EDGE_ERR_USAGE);
    assert_int_equal(edge_columns_parse("p99,p50_ns,server", &list, &message), 0);
    assert_int_equal(list.count, 3);
    char many[4 * EDGE_COLUMNS_MAX + 8] = "p99";
    for (size_t i = 0; i < EDGE_COLUMNS_MAX; i++)
        strcat(many, ",p99");
    assert_int_equal(edge_columns_parse(many, &list, &message), EDGE_ERR_USAGE);
}

static void shown(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
        const char *text;
    } cases[] = {
        {"req_per_s", 12345.6, "12346"}, {"req_per_s", 12.5, "12.50"},
        {"req_per_s", 12, "12"},         {"p99", 1.5e6, "1.50 ms"},
        {"memory", 3 << 20, "3.00 MiB"}, {"cpu", 97.25, "97.2 %"},
        {"power", 4.567, "4.57 W"},      {"energy_per_req", 1.5e-4, "0.1500 mJ"},
        {"req_per_s", (double)NAN, "-"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        const struct edge_column *column = edge_columns_find(cases[i].name, NULL);
        assert_string_equal(edge_column_show(column, cases[i].value, text, sizeof(text)),
                            cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
