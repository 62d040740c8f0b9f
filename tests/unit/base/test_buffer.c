#include "cmocka_headers.h"

#include <errno.h>

#include "base/buffer.h"

static void appends_and_consumes(void **state)
{
    (void)state;
    struct edge_buffer buffer = {0};
    assert_null(edge_buffer_head(&buffer));
    assert_int_equal(edge_buffer_append(&buffer, "hello ", 6), 0);
    assert_int_equal(edge_buffer_append(&buffer, "world", 5), 0);
    edge_buffer_consume(&buffer, 6);
    assert_int_equal(buffer.len, 5);
    assert_memory_equal(edge_buffer_head(&buffer), "world", 5);
    edge_buffer_consume(&buffer, 5);
    assert_int_equal(buffer.start, 0);
    edge_buffer_free(&buffer);
    edge_buffer_free(&buffer);
}

static void contents_survive_growth_at_every_offset(void **state)
{
    (void)state;
    uint8_t pattern[300];
    for (size_t i = 0; i < sizeof(pattern); i++)
        pattern[i] = (uint8_t)i;
    for (size_t drop = 0; drop <= sizeof(pattern); drop++) {
        struct edge_buffer buffer = {0};
        assert_int_equal(edge_buffer_append(&buffer, pattern, sizeof(pattern)), 0);
        edge_buffer_consume(&buffer, drop);
        assert_int_equal(edge_buffer_append(&buffer, pattern, sizeof(pattern)), 0);
        assert_int_equal(buffer.len, 2 * sizeof(pattern) - drop);
        assert_memory_equal(edge_buffer_head(&buffer), pattern + drop, sizeof(pattern) - drop);
        assert_memory_equal(edge_buffer_head(&buffer) + sizeof(pattern) - drop, pattern,
                            sizeof(pattern));
        edge_buffer_free(&buffer);
    }
}

static void sliding_reuses_memory(void **state)
{
    (void)state;
    struct edge_buffer buffer = {0};
    uint8_t bytes[100] = {0};
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(edge_buffer_append(&buffer, bytes, sizeof(bytes)), 0);
        if (buffer.len > 150)
            edge_buffer_consume(&buffer, 100);
    }
    assert_true(buffer.cap <= 1024);
    edge_buffer_free(&buffer);
}

static void refuses_impossible_sizes(void **state)
{
    (void)state;
    struct edge_buffer buffer = {0};
    assert_int_equal(edge_buffer_append(&buffer, "x", 1), 0);
    assert_int_equal(edge_buffer_reserve(&buffer, SIZE_MAX), -ENOMEM);
    assert_int_equal(buffer.len, 1);
    edge_buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_and_consumes),
        cmocka_unit_test(contents_survive_growth_at_every_offset),
        cmocka_unit_test(sliding_reuses_memory),
        cmocka_unit_test(refuses_impossible_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
