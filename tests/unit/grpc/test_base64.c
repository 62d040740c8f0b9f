#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "grpc/base64.h"

static void known_texts(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *bare, *padded;
    } rows[] = {
        {"", "", ""},
        {"f", "Zg", "Zg=="},
        {"fo", "Zm8", "Zm8="},
        {"foo", "Zm9v", "Zm9v"},
        {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
        {"\xfb\xff\xfe", "+//+", "+//+"},
        {"\xab\xab\xab", "q6ur", "q6ur"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[16];
        size_t len = strlen(rows[i].bytes);
        size_t text_len = edge_base64_encode((const uint8_t *)rows[i].bytes, len, text);
        assert_int_equal(text_len, strlen(rows[i].bare));
        assert_true(text_len <= EDGE_BASE64_ENCODED(len));
        assert_memory_equal(text, rows[i].bare, text_len);
        const char *const forms[] = {rows[i].bare, rows[i].padded};
        for (size_t k = 0; k < 2; k++) {
            uint8_t bytes[16];
            size_t got;
            assert_int_equal(edge_base64_decode(forms[k], strlen(forms[k]), bytes, &got), 0);
            assert_int_equal(got, len);
            assert_memory_equal(bytes, rows[i].bytes, len);
        }
    }
}

static void what_is_not_base64_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"A",    "AAAAA", "AA=",   "AAA==", "A===", "=",   "====",
                                        "AA A", "AA-_",  "AAAA=", "AA==A", "AA\n", "A=A="};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        size_t len;
        assert_int_equal(edge_base64_decode(texts[i], strlen(texts[i]), NULL, &len),
                         EDGE_ERR_FORMAT);
    }
}

// A sanitizer sees a write beyond the room that the macros give.
static void any_bytes_come_back(void **state)
{
    (void)state;
    for (size_t len = 1; len < 100; len++) {
        uint8_t *bytes = malloc(len);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)(i * 37 + len);
        char *text = malloc(EDGE_BASE64_ENCODED(len));
        size_t text_len = edge_base64_encode(bytes, len, text);
        uint8_t *back = malloc(EDGE_BASE64_DECODED(text_len));
        size_t back_len;
        assert_int_equal(edge_base64_decode(text, text_len, back, &back_len), 0);
        assert_int_equal(back_len, len);
        assert_memory_equal(back, bytes, len);
        free(bytes);
        free(text);
        free(back);
    }
}

static void lists_are_checked_item_by_item(void **state)
{
    (void)state;
    assert_true(edge_base64_list_valid("", 0));
    assert_true(edge_base64_list_valid("AA,AAA=,,AAAA", 13));
    assert_false(edge_base64_list_valid("AA,A", 4));
    assert_false(edge_base64_list_valid("AA, AA", 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),
        cmocka_unit_test(what_is_not_base64_is_refused),
        cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(lists_are_checked_item_by_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
