#include "cmocka_headers.h"

#include <string.h>

#include "base/error.h"
#include "load/gzip.h"

static void there_and_back(void **state)
{
    (void)state;
    static uint8_t bytes[100000];
    struct edge_buffer packed = {0}, plain = {0};
    if (!edge_gzip_available())
        skip();
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i % 251);
    for (size_t len = 0; len <= sizeof(bytes); len = 3 * len + 1) {
        packed.len = plain.len = 0;
        assert_int_equal(edge_buffer_append(&plain, "x", 1), 0);
        assert_int_equal(edge_gzip_pack(bytes, len, &packed), 0);
        assert_int_equal(edge_gzip_unpack(packed.data, packed.len, len, &plain), 0);
        assert_int_equal(plain.len, 1 + len);
        assert_memory_equal(plain.data + 1, bytes, len);
        if (len > 0)
            assert_int_equal(edge_gzip_unpack(packed.data, packed.len, len - 1, &plain),
                             EDGE_ERR_LIMIT);
    }
    edge_buffer_free(&packed);
    edge_buffer_free(&plain);
}

static void damaged(void **state)
{
    (void)state;
    struct edge_buffer packed = {0}, plain = {0};
    if (!edge_gzip_available())
        skip();
    assert_int_equal(edge_gzip_pack((const uint8_t *)"hello, hello", 12, &packed), 0);
    for (size_t len = 0; len < packed.len; len++)
        assert_int_equal(edge_gzip_unpack(packed.data, len, 100, &plain), EDGE_ERR_FORMAT);
    assert_int_equal(edge_buffer_append(&packed, "", 1), 0);
    assert_int_equal(edge_gzip_unpack(packed.data, packed.len, 100, &plain), EDGE_ERR_FORMAT);
    packed.data[packed.len - 3] ^= 1;
    assert_int_equal(edge_gzip_unpack(packed.data, packed.len - 1, 100, &plain), EDGE_ERR_FORMAT);
    edge_buffer_free(&packed);
    edge_buffer_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
