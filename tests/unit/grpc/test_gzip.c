#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "grpc/gzip.h"

static struct edge_gzip gzip;

// Compresses into memory of the exact size, so that a sanitizer sees a read beyond it.
static uint8_t *pack(const void *bytes, size_t len, size_t *packed_len)
{
    assert_int_equal(edge_gzip_deflate(&gzip, bytes, len), 0);
    *packed_len = gzip.packed.len;
    uint8_t *packed = malloc(*packed_len);
    memcpy(packed, edge_buffer_head(&gzip.packed), *packed_len);
    return packed;
}

static void messages_come_back(void **state)
{
    (void)state;
    static uint8_t bytes[300000];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * i >> 7);
    for (size_t len = 0; len <= sizeof(bytes); len = len * 3 + 1) {
        size_t packed_len;
        uint8_t *packed = pack(bytes, len, &packed_len);
        assert_int_equal(packed[0], 0x1f); // gzip, and not zlib
        assert_int_equal(edge_gzip_inflate(&gzip, packed, packed_len, len), 0);
        assert_int_equal(gzip.plain.len, len);
        if (len > 0)
            assert_memory_equal(edge_buffer_head(&gzip.plain), bytes, len);
        if (len > 0)
            assert_int_equal(edge_gzip_inflate(&gzip, packed, packed_len, len - 1), EDGE_ERR_LIMIT);
        free(packed);
    }
    edge_gzip_free(&gzip);
}

// A bomb takes no more memory than the limit, whatever it would become.
static void a_bomb_stops_at_the_limit(void **state)
{
    (void)state;
    const size_t size = 16 << 20;
    const size_t limit = 1 << 16;
    uint8_t *zeros = calloc(1, size);
    size_t packed_len;
    uint8_t *packed = pack(zeros, size, &packed_len);
    assert_true(packed_len < size / 200);
    assert_int_equal(edge_gzip_inflate(&gzip, packed, packed_len, limit), EDGE_ERR_LIMIT);
    assert_true(gzip.plain.cap <= 2 * limit);
    free(packed);
    free(zeros);
    edge_gzip_free(&gzip);
}

static void several_members_are_one_message(void **state)
{
    (void)state;
    size_t len;
    uint8_t *member = pack("abc", 3, &len);
    uint8_t *both = malloc(2 * len);
    memcpy(both, member, len);
    memcpy(both + len, member, len);
    assert_int_equal(edge_gzip_inflate(&gzip, both, 2 * len, 6), 0);
    assert_int_equal(gzip.plain.len, 6);
    assert_memory_equal(edge_buffer_head(&gzip.plain), "abcabc", 6);
    assert_int_equal(edge_gzip_inflate(&gzip, both, 2 * len, 5), EDGE_ERR_LIMIT);
    free(both);
    free(member);
    edge_gzip_free(&gzip);
}

static void what_is_broken_is_refused(void **state)
{
    (void)state;
    size_t len;
    uint8_t *packed = pack("some text, some text, some text", 31, &len);
    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *part = malloc(cut + 1);
        memcpy(part, packed, cut);
        assert_int_equal(edge_gzip_inflate(&gzip, part, cut, 1000), EDGE_ERR_FORMAT);
        free(part);
    }
    packed[len - 5] ^= 1; // of the checksum
    assert_int_equal(edge_gzip_inflate(&gzip, packed, len, 1000), EDGE_ERR_FORMAT);
    packed[len - 5] ^= 1;
    uint8_t *longer = malloc(len + 3);
    memcpy(longer, packed, len);
    memset(longer + len, 'x', 3);
    assert_int_equal(edge_gzip_inflate(&gzip, longer, len + 3, 1000), EDGE_ERR_FORMAT);
    // What follows an error is not touched by it.
    assert_int_equal(edge_gzip_inflate(&gzip, packed, len, 1000), 0);
    assert_int_equal(gzip.plain.len, 31);
    free(longer);
    free(packed);
    edge_gzip_free(&gzip);
    edge_gzip_free(&gzip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_back),
        cmocka_unit_test(a_bomb_stops_at_the_limit),
        cmocka_unit_test(several_members_are_one_message),
        cmocka_unit_test(what_is_broken_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
