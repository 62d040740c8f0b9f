#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
    } cases[] = {
        {"a", 1},
        {"\xc3\xa4", 2},         // ä
        {"\xe2\x82\xac", 3},     // the Euro sign
        {"\xf0\x9f\x98\x80", 4}, // a face
        {"", 0},
        {"\x1b[31m", 0},
        {"\x7f", 0},
        {"\xc2\x9b", 0}, // a C1 control
        {"\xff", 0},
        {"\xc3", 0}, // cut short
        {"\xe2\x82", 0},
        {"\xc0\xaf", 0}, // overlong
        {"\xe0\x80\xaf", 0},
        {"\xed\xa0\x80", 0},     // a surrogate
        {"\xf4\x90\x80\x80", 0}, // above the last
        {"\xf8\x90\x80\x80", 0}, // no lead byte, though what follows would do
        {"\xff\xbf\xbf\xbf", 0},
        {"\x80", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (edge_text_character(cases[i].text) != cases[i].len)
            fail_msg("case %zu: expected %zu, found %zu", i, cases[i].len,
                     edge_text_character(cases[i].text));
}

static void clean(void **state)
{
    (void)state;
    char text[] = "a\x1b[1m\xc3\xa4\xff\xc3";
    assert_string_equal(edge_text_clean(text), "a?[1m\xc3\xa4??");
}

static void expect(void (*print)(const char *, FILE *), const char *text, const char *expected)
{
    char *found = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&found, &size);
    print(text, out);
    fclose(out);
    assert_string_equal(found, expected);
    free(found);
}

static void printers(void **state)
{
    (void)state;
    expect(edge_text_html, "<a href=\"x\" b='y'>&",
           "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
    expect(edge_text_csv, "plain text", "plain text");
    expect(edge_text_csv, "a,\"b\"\nc", "\"a,\"\"b\"\"\nc\"");
    expect(edge_text_csv, "", "");
    expect(edge_text_markdown, "c_nghttp2 _x_ |<b>[a]`*",
           "c_nghttp2 \\_x\\_ \\|\\<b\\>\\[a\\]\\`\\*");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters),
        cmocka_unit_test(clean),
        cmocka_unit_test(printers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
