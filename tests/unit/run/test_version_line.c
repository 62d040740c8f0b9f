#include "cmocka_headers.h"

#include "run/version_line.h"

static void a_version_line_is_taken_apart(void **state)
{
    (void)state;
    static const char line[] =
        "srv 0.1.0 codec=nanopb nghttp2=1.52.0 git=abc compiler=\"GNU 12.2.0\" "
        "flags=\"-O2 a=b\" tls=off build=Release target=x";
    struct edge_record_build build;
    edge_version_line_parse(line, "srv", &build);
    assert_string_equal(build.program, "server");
    assert_string_equal(build.version, "0.1.0 nghttp2=1.52.0");
    assert_string_equal(build.codec, "nanopb");
    assert_string_equal(build.git, "abc");
    assert_string_equal(build.compiler, "GNU 12.2.0");
    assert_string_equal(build.flags, "-O2 a=b");
    assert_string_equal(build.tls, "off");
    assert_string_equal(build.build, "Release");
    assert_string_equal(build.target, "x");
}

static void a_foreign_version_line_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *line, *version, *flags;
    } cases[] = {
        {"", "", ""},
        {"go1.22 server", "go1.22 server", ""},
        {"other 1", "other 1", ""},
        {"srv", "srv", ""},
        {"flags=\"never closed", "", "never closed"},
        {"flags= x", "x", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct edge_record_build build;
        edge_version_line_parse(cases[i].line, "srv", &build);
        assert_string_equal(build.version, cases[i].version);
        assert_string_equal(build.flags, cases[i].flags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_line_is_taken_apart),
        cmocka_unit_test(a_foreign_version_line_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
