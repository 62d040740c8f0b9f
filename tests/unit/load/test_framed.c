#include "cmocka_headers.h"

#include <string.h>

#include "load/framed.h"

static const char text[] = "ab????cd";
static const struct edge_template template = {
    .bytes = (uint8_t *)(uintptr_t)text, .len = 8, .vary_at = 2, .vary_len = 4};

// Any piece of the message is that piece of the whole, and only the right bytes are equal.
static void pieces(void **state)
{
    (void)state;
    struct edge_framed framed;
    assert_int_equal(edge_framed_init(&framed, &template), 0);
    assert_int_equal(framed.len, 13);
    uint8_t whole[13];
    edge_framed_copy(&framed, 0x41, 0, whole, 13);
    assert_memory_equal(whole,
                        "\0\0\0\0\x08"
                        "ab1100cd",
                        13);
    for (size_t from = 0; from <= 13; from++) {
        for (size_t len = 0; from + len <= 13; len++) {
            uint8_t piece[13];
            edge_framed_copy(&framed, 0x41, from, piece, len);
            assert_memory_equal(piece, whole + from, len);
            assert_true(edge_framed_equal(&framed, 0x41, from, piece, len));
            for (size_t i = 0; i < len; i++) {
                piece[i] ^= 1;
                assert_false(edge_framed_equal(&framed, 0x41, from, piece, len));
                piece[i] ^= 1;
            }
        }
    }
    assert_false(edge_framed_equal(&framed, 0x42, 0, whole, 13));
    edge_framed_free(&framed);
    edge_framed_free(&framed);
}

static void nothing_varies(void **state)
{
    (void)state;
    struct edge_framed framed;
    const struct edge_template empty = {.bytes = (uint8_t *)(uintptr_t)text};
    assert_int_equal(edge_framed_init(&framed, &empty), 0);
    uint8_t bytes[5] = {9, 9, 9, 9, 9};
    edge_framed_copy(&framed, 1, 0, bytes, 5);
    assert_memory_equal(bytes, "\0\0\0\0\0", 5);
    assert_true(edge_framed_equal(&framed, 2, 0, bytes, 5));
    edge_framed_free(&framed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),
        cmocka_unit_test(nothing_varies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
