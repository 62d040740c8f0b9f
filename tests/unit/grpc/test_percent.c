#include "cmocka_headers.h"

#include <string.h>

#include "grpc/percent.h"

static const struct {
    const char *plain;
    const char *encoded;
} rows[] = {
    {"", ""},
    {"plain text !\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~",
     "plain text !\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"},
    {"100%", "100%25"},
    {"\t\ntest with whitespace\r\nand Unicode BMP \xe2\x98\xba and non-BMP \xf0\x9f\x98\x88\t\n",
     "%09%0Atest with whitespace%0D%0Aand Unicode BMP %E2%98%BA and non-BMP %F0%9F%98%88%09%0A"},
    {"\x7f\x01", "%7F%01"},
};

static void text_goes_there_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char out[256];
        size_t len =
            edge_percent_encode(rows[i].plain, strlen(rows[i].plain), out, sizeof(out) - 1);
        out[len] = '\0';
        assert_string_equal(out, rows[i].encoded);
        char back[256];
        len = edge_percent_decode(out, len, back, sizeof(back) - 1);
        back[len] = '\0';
        assert_string_equal(back, rows[i].plain);
    }
}

static void a_short_buffer_cuts_whole_characters(void **state)
{
    (void)state;
    const char text[] = "ab\xe2\x98\xba"; // "ab%E2%98%BA"
    char out[16];
    for (size_t cap = 0; cap <= 11; cap++) {
        size_t expected = cap < 2 ? cap : cap < 11 ? 2 : 11;
        assert_int_equal(edge_percent_encode(text, 5, out, cap), expected);
    }
}

static void decoding_is_lenient_and_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *encoded;
        const char *plain;
    } lenient[] = {
        {"%", "%"}, {"%4", "%4"}, {"%zz", "%zz"}, {"a%41", "aA"}, {"%e2%98%ba", "\xe2\x98\xba"}};
    for (size_t i = 0; i < sizeof(lenient) / sizeof(lenient[0]); i++) {
        char out[16];
        size_t len = edge_percent_decode(lenient[i].encoded, strlen(lenient[i].encoded), out, 15);
        out[len] = '\0';
        assert_string_equal(out, lenient[i].plain);
    }
    char out[2];
    assert_int_equal(edge_percent_decode("%41%42%43", 9, out, 2), 2);
    assert_memory_equal(out, "AB", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_goes_there_and_back),
        cmocka_unit_test(a_short_buffer_cuts_whole_characters),
        cmocka_unit_test(decoding_is_lenient_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
