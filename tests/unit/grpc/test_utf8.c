#include "cmocka_headers.h"

#include <string.h>

#include "grpc/utf8.h"

static void well_formed_text_is_valid(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "ascii only, and longer than a word",
        "\xc2\x80\xdf\xbf",
        "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
        "eight888\xe2\x98\xbamore text behind it",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_true(edge_utf8_valid(rows[i], strlen(rows[i])));
    assert_true(edge_utf8_valid("a\0b", 3));
    assert_true(edge_utf8_valid(NULL, 0));
}

static void malformed_text_is_not(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "\x80",             // continuation alone
        "\xc0\x80",         // overlong
        "\xc1\xbf",         //
        "\xe0\x9f\xbf",     //
        "\xf0\x8f\xbf\xbf", //
        "\xed\xa0\x80",     // surrogate
        "\xf4\x90\x80\x80", // above U+10FFFF
        "\xf5\x80\x80\x80", //
        "\xff",             //
        "\xe2\x98",         // cut
        "\xe2\x98z",        //
        "\xf0\x9f\x98",     //
        "12345678\xfe",     // behind a whole word
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_false(edge_utf8_valid(rows[i], strlen(rows[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed_text_is_valid),
        cmocka_unit_test(malformed_text_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
