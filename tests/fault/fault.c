#include "fault.h"

#include "cmocka_headers.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
void *__real_edge_pool_alloc(struct edge_pool *pool, size_t size);
void *__wrap_edge_pool_alloc(struct edge_pool *pool, size_t size);
void *__real_edge_arena_alloc(struct edge_arena *arena, size_t size);
void *__wrap_edge_arena_alloc(struct edge_arena *arena, size_t size);

static _Thread_local bool exempt;
static atomic_bool armed;
static atomic_uint_fast64_t seen; // allocations since it was armed
static uint64_t failing;          // the first one that fails
static bool lasting;              // ... and all after it

void fault_exempt_thread(void)
{
    exempt = true;
}

static bool fails(void)
{
    if (exempt || !atomic_load(&armed))
        return false;
    uint64_t number = atomic_fetch_add(&seen, 1);
    return lasting ? number >= failing : number == failing;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return fails() ? NULL : __real_realloc(block, size);
}

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

void *__wrap_edge_pool_alloc(struct edge_pool *pool, size_t size)
{
    return fails() ? NULL : __real_edge_pool_alloc(pool, size);
}

void *__wrap_edge_arena_alloc(struct edge_arena *arena, size_t size)
{
    return fails() ? NULL : __real_edge_arena_alloc(arena, size);
}

// Returns what the path returns; *count is how often it asked for memory.
static int run(fault_path *path, uint64_t at, bool lasts, uint64_t *count)
{
    failing = at;
    lasting = lasts;
    atomic_store(&seen, 0);
    atomic_store(&armed, true);
    int result = path();
    atomic_store(&armed, false);
    *count = atomic_load(&seen);
    return result;
}

void fault_each_allocation(fault_path *path, uint64_t runs)
{
    uint64_t total, count;
    json_set_alloc_funcs(__wrap_malloc, free);
    assert_int_equal(run(path, UINT64_MAX, false, &total), 0);
    assert_true(total > 0);
    uint64_t step = total / runs + 1;
    for (unsigned lasts = 0; lasts < 2; lasts++)
        for (uint64_t at = 0; at < total; at += step)
            assert_true(run(path, at, lasts, &count) <= 0);
    print_message("%llu allocations, each %llu. failed\n", (unsigned long long)total,
                  (unsigned long long)step);
    // Nothing that happened before spoils a run without a fault.
    assert_int_equal(run(path, UINT64_MAX, false, &count), 0);
}
