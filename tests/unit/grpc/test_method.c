#include "cmocka_headers.h"

#include <string.h>

#include "grpc/method.h"

static const struct edge_method greeter[] = {
    {.path = "/pkg.Greeter/Hello"}, {.path = "/pkg.Greeter/Bye"}, {.path = NULL}};
static const struct edge_method other[] = {{.path = "/pkg.Other/Hello"}, {.path = NULL}};
static const struct edge_method *const tables[] = {greeter, other, NULL};

static const struct edge_method *look_up(const char *path)
{
    return edge_method_find(tables, path, strlen(path));
}

static void whole_paths_are_found(void **state)
{
    (void)state;
    assert_ptr_equal(look_up("/pkg.Greeter/Bye"), &greeter[1]);
    assert_ptr_equal(look_up("/pkg.Other/Hello"), &other[0]);
    static const char *const unknown[] = {"",
                                          "/",
                                          "/pkg.Greeter/",
                                          "/pkg.Greeter/hello",
                                          "/pkg.Greeter/Hell",
                                          "/pkg.Greeter/Helloo",
                                          "pkg.Greeter/Hello",
                                          "/pkg.Greeter/Hello/"};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        assert_null(look_up(unknown[i]));
}

static void services_are_known_by_any_of_their_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool known;
    } rows[] = {{"/pkg.Greeter/Nope", true},
                {"/pkg.Greeter/", true},
                {"/pkg.Greeter", false},
                {"/pkg.Greete/Hello", false},
                {"/", false},
                {"", false},
                {"//", false},
                {"/pkg.Other/x", true}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(edge_method_has_service(tables, rows[i].path, strlen(rows[i].path)),
                         rows[i].known);
}

static void services_are_named_once(void **state)
{
    (void)state;
    static const struct edge_method one[] = {
        {.path = "/a.A/X"}, {.path = "/a.A/Y"}, {.path = "/a.B/X"}, {.path = NULL}};
    static const struct edge_method none[] = {{.path = NULL}};
    static const struct edge_method two[] = {{.path = "/a.AB/X"}, {.path = NULL}};
    static const struct edge_method *const all[] = {none, one, two, NULL};
    static const char *const names[] = {"a.A", "a.B", "a.AB"};
    const char *name = NULL;
    size_t len = 0;
    for (size_t i = 0; i < 3; i++) {
        name = edge_method_next_service(all, name, &len);
        assert_non_null(name);
        assert_int_equal(len, strlen(names[i]));
        assert_memory_equal(name, names[i], len);
    }
    assert_null(edge_method_next_service(all, name, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_paths_are_found),
        cmocka_unit_test(services_are_known_by_any_of_their_paths),
        cmocka_unit_test(services_are_named_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
