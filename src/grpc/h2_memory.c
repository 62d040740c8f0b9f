#include "grpc/h2_memory.h"

#include <string.h>

static void *memory_alloc(size_t size, void *pool)
{
    return edge_pool_alloc(pool, size);
}

static void memory_free(void *block, void *pool)
{
    edge_pool_release(pool, block);
}

static void *memory_calloc(size_t count, size_t size, void *pool)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    void *block = edge_pool_alloc(pool, total);
    if (block != NULL)
        memset(block, 0, total);
    return block;
}

static void *memory_realloc(void *block, size_t size, void *pool)
{
    return edge_pool_realloc(pool, block, size);
}

nghttp2_mem edge_h2_memory(struct edge_pool *pool)
{
    return (nghttp2_mem){.mem_user_data = pool,
                         .malloc = memory_alloc,
                         .free = memory_free,
                         .calloc = memory_calloc,
                         .realloc = memory_realloc};
}
