#include "cmocka_headers.h"

#include <string.h>

#include "load/patch.h"

static const struct edge_patch_values values = {
    .seed = 7, .number = 1234, .wall_ns = UINT64_C(1796060893711478140)};

static void expect(const struct edge_patch *patch, const char *bytes)
{
    uint8_t out[64] = {0};
    edge_patch_write(patch, &values, out);
    assert_memory_equal(out, bytes, patch->len);
    assert_int_equal(out[patch->len], 0);
}

static void forms(void **state)
{
    (void)state;
    struct edge_patch patch = {.source = EDGE_PATCH_COUNTER, .count = 100000, .len = 6};
    expect(&patch, "001234");
    patch.count = 1000;
    expect(&patch, "000234");
    patch = (struct edge_patch){.form = EDGE_PATCH_VARINT, .count = 1 << 20, .len = 3};
    expect(&patch, "\xd2\x89\x00"); // 1234 in three bytes
    patch = (struct edge_patch){.form = EDGE_PATCH_ZIGZAG, .count = 1 << 20, .len = 3};
    expect(&patch, "\xa4\x93\x00");
    patch = (struct edge_patch){.form = EDGE_PATCH_FIXED, .count = 1 << 20, .len = 4};
    expect(&patch, "\xd2\x04\x00\x00");
    patch.len = 8;
    expect(&patch, "\xd2\x04\x00\x00\x00\x00\x00\x00");
    patch = (struct edge_patch){.form = EDGE_PATCH_FLOAT, .count = 1 << 20, .len = 4};
    expect(&patch, "\x00\x40\x9a\x44");
    patch.len = 8;
    expect(&patch, "\x00\x00\x00\x00\x00\x48\x93\x40");
    patch = (struct edge_patch){.source = EDGE_PATCH_TIMESTAMP, .unit_ns = 1000000, .len = 13};
    expect(&patch, "1796060893711");
}

static void widths(void **state)
{
    (void)state;
    assert_int_equal(edge_patch_varint_len(1), 1);
    assert_int_equal(edge_patch_varint_len(128), 1);
    assert_int_equal(edge_patch_varint_len(129), 2);
    assert_int_equal(edge_patch_varint_len(UINT64_C(1) << 31), 5);
    assert_int_equal(edge_patch_varint_len(EDGE_PATCH_COUNT_MAX), 9);
    assert_int_equal(edge_patch_digits(1), 1);
    assert_int_equal(edge_patch_digits(10), 1);
    assert_int_equal(edge_patch_digits(11), 2);
    assert_int_equal(edge_patch_digits(UINT64_C(10000000000)), 10);
}

static void random_is_seeded(void **state)
{
    (void)state;
    struct edge_patch patch = {.source = EDGE_PATCH_RANDOM, .count = 10, .salt = 3};
    unsigned seen = 0;
    for (uint64_t number = 0; number < 200; number++) {
        struct edge_patch_values at = {.seed = 7, .number = number};
        uint64_t value = edge_patch_value(&patch, &at);
        assert_true(value < 10);
        assert_int_equal(value, edge_patch_value(&patch, &at));
        seen |= 1u << value;
    }
    assert_int_equal(seen, 0x3ff);
    assert_true(edge_patch_random(1, 2, 3) != edge_patch_random(2, 2, 3));
    assert_true(edge_patch_random(1, 2, 3) != edge_patch_random(1, 3, 3));
    assert_true(edge_patch_random(1, 2, 3) != edge_patch_random(1, 2, 4));
}

static void uuid(void **state)
{
    (void)state;
    const struct edge_patch patch = {.source = EDGE_PATCH_UUID, .len = 36};
    char text[37] = "";
    edge_patch_write(&patch, &values, (uint8_t *)text);
    assert_int_equal(strspn(text, "0123456789abcdef-"), 36);
    for (size_t i = 0; i < 36; i++)
        assert_int_equal(text[i] == '-', i == 8 || i == 13 || i == 18 || i == 23);
    assert_int_equal(text[14], '4');
    assert_non_null(strchr("89ab", text[19]));
}

// Any piece of a message is that piece of the whole.
static void pieces(void **state)
{
    (void)state;
    const struct edge_patch patches[] = {
        {.source = EDGE_PATCH_COUNTER, .count = 10000, .at = 2, .len = 4},
        {.source = EDGE_PATCH_RANDOM,
         .form = EDGE_PATCH_FIXED,
         .count = 1 << 30,
         .at = 8,
         .len = 8},
    };
    uint8_t whole[20] = {0};
    edge_patch_apply(patches, 2, &values, 0, whole, sizeof(whole));
    assert_memory_equal(whole + 2, "1234", 4);
    for (size_t from = 0; from <= sizeof(whole); from++) {
        for (size_t len = 0; from + len <= sizeof(whole); len++) {
            uint8_t piece[20] = {0};
            edge_patch_apply(patches, 2, &values, from, piece, len);
            assert_memory_equal(piece, whole + from, len);
            for (size_t i = len; i < sizeof(piece); i++)
                assert_int_equal(piece[i], 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms), cmocka_unit_test(widths), cmocka_unit_test(random_is_seeded),
        cmocka_unit_test(uuid),  cmocka_unit_test(pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
