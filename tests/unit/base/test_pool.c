#include "cmocka_headers.h"

#include <stddef.h>
#include <string.h>

#include "base/pool.h"

static void blocks_are_aligned_and_apart(void **state)
{
    (void)state;
    struct edge_pool pool = {0};
    uint8_t *blocks[200];
    for (size_t i = 0; i < 200; i++) {
        size_t size = i * 537 % 40000;
        blocks[i] = edge_pool_alloc(&pool, size);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        memset(blocks[i], (int)i, size);
    }
    for (size_t i = 0; i < 200; i++) {
        size_t size = i * 537 % 40000;
        for (size_t k = 0; k < size; k++)
            assert_int_equal(blocks[i][k], (uint8_t)i);
        edge_pool_release(&pool, blocks[i]);
    }
    edge_pool_free(&pool);
    edge_pool_free(&pool);
}

static void steady_use_does_not_call_malloc(void **state)
{
    (void)state;
    struct edge_pool pool = {0};
    for (int round = 0; round < 3; round++) {
        void *blocks[64];
        uint64_t before = pool.system_allocs;
        for (size_t i = 0; i < 64; i++)
            blocks[i] = edge_pool_alloc(&pool, 100 + i * i * 7);
        for (size_t i = 0; i < 64; i++)
            edge_pool_release(&pool, blocks[i]);
        if (round > 0)
            assert_int_equal(pool.system_allocs, before);
    }
    edge_pool_free(&pool);
}

static void pool_realloc_keeps_contents(void **state)
{
    (void)state;
    struct edge_pool pool = {0};
    char *block = edge_pool_realloc(&pool, NULL, 8);
    memcpy(block, "1234567", 8);
    static const size_t sizes[] = {10, 100, 5000, 100000, 50, 8};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        block = edge_pool_realloc(&pool, block, sizes[i]);
        assert_non_null(block);
        assert_string_equal(block, "1234567");
    }
    for (size_t less = 0; less < 64; less++) // what wraps around is not small
        assert_null(edge_pool_realloc(&pool, block, SIZE_MAX - less));
    assert_string_equal(block, "1234567");
    edge_pool_release(&pool, block);
    edge_pool_release(&pool, NULL);
    assert_null(edge_pool_alloc(&pool, SIZE_MAX));
    edge_pool_free(&pool);
}

static void a_pool_stops_at_its_limit(void **state)
{
    (void)state;
    struct edge_pool pool = {.limit = 200000};
    void *large = edge_pool_alloc(&pool, 100000);
    assert_non_null(large);
    assert_null(edge_pool_alloc(&pool, 100000));
    void *small = NULL;
    size_t count = 0;
    for (void *block = large; block != NULL; count++) {
        block = edge_pool_alloc(&pool, 100);
        small = block != NULL ? block : small;
    }
    assert_true(count > 500 && count < 1000);
    assert_true(pool.system_bytes <= 200000);
    // What is given back can be had again: blocks of a chunk as such blocks, others as anything.
    edge_pool_release(&pool, small);
    assert_true(edge_pool_trim(&pool) >= 128);
    assert_non_null(edge_pool_alloc(&pool, 100));
    assert_true(edge_pool_trim(&pool) < 128);
    edge_pool_release(&pool, large);
    large = edge_pool_alloc(&pool, 100000);
    assert_non_null(large);
    edge_pool_release(&pool, large);
    edge_pool_free(&pool);
}

// Takes blocks of `size` until there are none; returns how many.
static size_t take_all(struct edge_pool *pool, size_t size, void **blocks, size_t max)
{
    size_t count = 0;
    while (count < max && (blocks[count] = edge_pool_alloc(pool, size)) != NULL)
        count++;
    assert_true(count < max);
    return count;
}

// What was filled with blocks of one size can be used for those of another.
static void memory_does_not_stay_with_a_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {20000, 10, 5000, 300, 9000, 100};
    static void *blocks[40000];
    const size_t most = sizeof(blocks) / sizeof(blocks[0]);
    struct edge_pool pool = {.limit = 1 << 20};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t count = take_all(&pool, sizes[i], blocks, most);
        assert_true(count * (sizes[i] + 16) > (1 << 20) / 3);
        assert_null(edge_pool_alloc(&pool, 33000));
        for (size_t k = 0; k < count; k++)
            edge_pool_release(&pool, blocks[k]);
        assert_int_equal(edge_pool_trim(&pool), 0);
        assert_int_equal(pool.system_bytes, 0);
    }
    edge_pool_free(&pool);
}

// Trims among blocks of all sizes that come and go: what is in use stays as it is.
static void a_trim_touches_nothing_that_is_used(void **state)
{
    (void)state;
    enum { BLOCKS = 300 };
    struct edge_pool pool = {0};
    uint8_t *blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    unsigned seed = 5;
    for (unsigned step = 0; step < 30000; step++) {
        seed = seed * 1103515245u + 12345u;
        size_t i = (seed >> 8) % BLOCKS;
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(blocks[i][k], (uint8_t)i);
        edge_pool_release(&pool, blocks[i]);
        blocks[i] = NULL;
        sizes[i] = 0;
        if ((seed >> 24) % 3 > 0) {
            sizes[i] = (seed >> 4) % (size_t)(16 << (seed >> 20) % 12);
            blocks[i] = edge_pool_alloc(&pool, sizes[i]);
            assert_non_null(blocks[i]);
            memset(blocks[i], (int)i, sizes[i]);
        }
        if (step % 500 == 0)
            assert_true(edge_pool_trim(&pool) <= pool.system_bytes);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        edge_pool_release(&pool, blocks[i]);
    assert_int_equal(edge_pool_trim(&pool), 0);
    assert_int_equal(pool.system_bytes, 0);
    assert_non_null(edge_pool_alloc(&pool, 10)); // it goes on
    edge_pool_free(&pool);
}

static void what_others_allocate_can_be_charged(void **state)
{
    (void)state;
    struct edge_pool pool = {.limit = 100000};
    assert_true(edge_pool_charge(&pool, 60000));
    assert_false(edge_pool_charge(&pool, 60000));
    assert_null(edge_pool_alloc(&pool, 50000));
    edge_pool_uncharge(&pool, 60000);
    void *block = edge_pool_alloc(&pool, 50000);
    assert_non_null(block);
    assert_false(edge_pool_charge(&pool, 60000));
    edge_pool_release(&pool, block);
    edge_pool_free(&pool);
}

static void arena_grows_its_newest_block_in_place(void **state)
{
    (void)state;
    struct edge_arena arena = {0};
    char *first = edge_arena_alloc(&arena, 20);
    memcpy(first, "first", 6);
    assert_ptr_equal(edge_arena_realloc(&arena, first, 200), first);
    char *second = edge_arena_alloc(&arena, 20);
    char *moved = edge_arena_realloc(&arena, first, 400);
    assert_ptr_not_equal(moved, first);
    assert_string_equal(moved, "first");
    assert_int_equal((uintptr_t)second % _Alignof(max_align_t), 0);
    edge_arena_free(&arena);
    edge_arena_free(&arena);
}

static void arena_knows_the_size_of_a_block(void **state)
{
    (void)state;
    struct edge_arena arena = {0};
    char *block = edge_arena_alloc(&arena, 20);
    assert_int_equal(edge_arena_size(block), 20);
    assert_int_equal(edge_arena_size(edge_arena_realloc(&arena, block, 33)), 33);
    edge_arena_free(&arena);
}

static void arena_reset_serves_ordinary_use_without_malloc(void **state)
{
    (void)state;
    struct edge_arena arena = {0};
    assert_non_null(edge_arena_alloc(&arena, 1 << 20)); // a rare large message comes first
    edge_arena_reset(&arena);
    assert_non_null(edge_arena_alloc(&arena, 1000));
    edge_arena_reset(&arena);
    uint64_t before = arena.system_allocs;
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 10; k++)
            assert_non_null(edge_arena_alloc(&arena, 100));
        edge_arena_reset(&arena);
    }
    assert_int_equal(arena.system_allocs, before);
    edge_arena_free(&arena);
}

static void arena_keeps_the_chunk_of_usual_messages(void **state)
{
    (void)state;
    struct edge_arena arena = {0};
    uint64_t before = 0;
    for (int round = 0; round < 5; round++) {
        assert_non_null(edge_arena_alloc(&arena, 100));
        assert_non_null(edge_arena_alloc(&arena, 20000));
        if (round == 1)
            before = arena.system_allocs;
        edge_arena_reset(&arena);
    }
    assert_int_equal(arena.system_allocs, before);
    edge_arena_free(&arena);
}

static void arena_stops_at_its_limit(void **state)
{
    (void)state;
    struct edge_arena arena = {.limit = 1000};
    size_t got = 0;
    while (edge_arena_alloc(&arena, 40) != NULL)
        got += 40;
    assert_in_range(got, 400, 1000);
    assert_null(edge_arena_alloc(&arena, SIZE_MAX));
    void *block = NULL;
    edge_arena_reset(&arena);
    block = edge_arena_realloc(&arena, block, 500);
    assert_non_null(block);
    assert_null(edge_arena_realloc(&arena, block, 2000));
    for (size_t less = 0; less < 64; less++) // what wraps around is not small
        assert_null(edge_arena_realloc(&arena, block, SIZE_MAX - less));
    assert_int_equal(edge_arena_size(block), 500);
    edge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_apart),
        cmocka_unit_test(steady_use_does_not_call_malloc),
        cmocka_unit_test(pool_realloc_keeps_contents),
        cmocka_unit_test(a_pool_stops_at_its_limit),
        cmocka_unit_test(memory_does_not_stay_with_a_size),
        cmocka_unit_test(a_trim_touches_nothing_that_is_used),
        cmocka_unit_test(what_others_allocate_can_be_charged),
        cmocka_unit_test(arena_grows_its_newest_block_in_place),
        cmocka_unit_test(arena_knows_the_size_of_a_block),
        cmocka_unit_test(arena_reset_serves_ordinary_use_without_malloc),
        cmocka_unit_test(arena_keeps_the_chunk_of_usual_messages),
        cmocka_unit_test(arena_stops_at_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
