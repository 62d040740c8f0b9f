#include "base/pool.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Stands before each block, which keeps malloc's alignment: 16 bytes, or 8 on 32-bit ARM.
struct block_header {
    _Alignas(max_align_t) size_t size; // as asked for
    size_t class_index;                // EDGE_POOL_CLASSES: from malloc
};

#define CLASS_MIN   ((size_t)32)
#define CHUNK_BYTES ((size_t)32 * 1024)

// The class of the smallest block that holds `bytes`: log2, rounded up.
static size_t class_of(size_t bytes)
{
    if (bytes <= CLASS_MIN)
        return 0;
    size_t index = (size_t)(63 - __builtin_clzll((bytes - 1) / (CLASS_MIN / 2)));
    return index < EDGE_POOL_CLASSES ? index : EDGE_POOL_CLASSES;
}

// Kept out of line: inlined, it would make the usual case save registers that it does not need.
#define SLOW_PATH __attribute__((noinline))

bool edge_pool_charge(struct edge_pool *pool, size_t bytes)
{
    if (pool->limit != 0 && bytes > pool->limit - pool->system_bytes)
        return false;
    pool->system_bytes += bytes;
    return true;
}

void edge_pool_uncharge(struct edge_pool *pool, size_t bytes)
{
    pool->system_bytes -= bytes;
}

// malloc() within the limit. The caller knows the size when it gives the memory back.
SLOW_PATH static void *take_from_system(struct edge_pool *pool, size_t bytes)
{
    if (!edge_pool_charge(pool, bytes))
        return NULL;
    void *memory = malloc(bytes);
    if (memory == NULL) {
        edge_pool_uncharge(pool, bytes);
        return NULL;
    }
    pool->system_allocs++;
    return memory;
}

// A new chunk with room for `bytes`, or NULL.
static uint8_t *new_chunk(struct edge_pool *pool, size_t bytes)
{
    void **chunk = take_from_system(pool, sizeof(struct block_header) + bytes);
    if (chunk == NULL)
        return NULL;
    *chunk = pool->chunks;
    pool->chunks = chunk;
    return (uint8_t *)chunk + sizeof(struct block_header);
}

SLOW_PATH static void *carve(struct edge_pool *pool, size_t bytes)
{
    if (bytes > CHUNK_BYTES / 4)
        return new_chunk(pool, bytes); // in a shared chunk the rest would be wasted
    if (pool->chunk_left < bytes) {
        uint8_t *at = new_chunk(pool, CHUNK_BYTES);
        if (at == NULL)
            return NULL;
        pool->chunk_at = at;
        pool->chunk_left = CHUNK_BYTES;
    }
    void *block = pool->chunk_at;
    pool->chunk_at += bytes;
    pool->chunk_left -= bytes;
    return block;
}

void *edge_pool_alloc(struct edge_pool *pool, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t total = size + sizeof(struct block_header);
    size_t index = class_of(total);
    struct block_header *header;
    if (index == EDGE_POOL_CLASSES) {
        header = take_from_system(pool, total);
    } else if (pool->free_list[index] != NULL) {
        header = pool->free_list[index];
        memcpy(&pool->free_list[index], header, sizeof(void *));
    } else {
        header = carve(pool, CLASS_MIN << index);
    }
    if (header == NULL)
        return NULL;
    header->size = size;
    header->class_index = index;
    return header + 1;
}

void edge_pool_release(struct edge_pool *pool, void *block)
{
    if (block == NULL)
        return;
    struct block_header *header = (struct block_header *)block - 1;
    size_t index = header->class_index;
    if (index == EDGE_POOL_CLASSES) {
        edge_pool_uncharge(pool, header->size + sizeof(*header));
        free(header);
        return;
    }
    memcpy(header, &pool->free_list[index], sizeof(void *));
    pool->free_list[index] = header;
}

void *edge_pool_realloc(struct edge_pool *pool, void *block, size_t size)
{
    if (block == NULL)
        return edge_pool_alloc(pool, size);
    struct block_header *header = (struct block_header *)block - 1;
    if (header->class_index < EDGE_POOL_CLASSES &&
        size <= (CLASS_MIN << header->class_index) - sizeof(*header)) {
        header->size = size;
        return block;
    }
    void *bigger = edge_pool_alloc(pool, size);
    if (bigger == NULL)
        return NULL;
    memcpy(bigger, block, header->size < size ? header->size : size);
    edge_pool_release(pool, block);
    return bigger;
}

size_t edge_pool_spare(const struct edge_pool *pool)
{
    size_t spare = pool->chunk_left;
    for (size_t index = 0; index < EDGE_POOL_CLASSES; index++) {
        const void *block = pool->free_list[index];
        while (block != NULL) {
            spare += CLASS_MIN << index;
            memcpy(&block, block, sizeof(block));
        }
    }
    return spare;
}

void edge_pool_free(struct edge_pool *pool)
{
    void *chunk = pool->chunks;
    while (chunk != NULL) {
        void *next;
        memcpy(&next, chunk, sizeof(next));
        free(chunk);
        chunk = next;
    }
    *pool = (struct edge_pool){0};
}

#define ARENA_CHUNK_MIN  ((size_t)4096)
#define ARENA_CHUNK_KEEP ((size_t)64 * 1024)

struct edge_arena_chunk {
    struct edge_arena_chunk *next;
    size_t used;
    size_t cap;
    _Alignas(max_align_t) uint8_t bytes[];
};

static size_t round_up(size_t size)
{
    return (size + 15u) & ~(size_t)15u;
}

// A new chunk with room for `total`, or NULL.
static struct edge_arena_chunk *add_chunk(struct edge_arena *arena, size_t total)
{
    size_t cap = arena->chunks == NULL ? ARENA_CHUNK_MIN : arena->chunks->cap * 2;
    while (cap < total)
        cap *= 2;
    struct edge_arena_chunk *chunk = malloc(sizeof(*chunk) + cap);
    if (chunk == NULL)
        return NULL;
    arena->system_allocs++;
    *chunk = (struct edge_arena_chunk){.next = arena->chunks, .cap = cap};
    arena->chunks = chunk;
    return chunk;
}

// Each block is preceded by its size, so that realloc can copy it.
static void *take(struct edge_arena *arena, struct edge_arena_chunk *chunk, size_t size)
{
    size_t total = round_up(size) + 16;
    uint8_t *at = chunk->bytes + chunk->used;
    memcpy(at, &size, sizeof(size));
    chunk->used += total;
    arena->used += total;
    return at + 16;
}

SLOW_PATH static void *take_from_new_chunk(struct edge_arena *arena, size_t size)
{
    size_t total = round_up(size) + 16;
    if (size > SIZE_MAX / 4 || (arena->limit != 0 && total > arena->limit - arena->used))
        return NULL;
    struct edge_arena_chunk *chunk = add_chunk(arena, total);
    return chunk == NULL ? NULL : take(arena, chunk, size);
}

void *edge_arena_alloc(struct edge_arena *arena, size_t size)
{
    struct edge_arena_chunk *chunk = arena->chunks;
    size_t total = round_up(size) + 16;
    if (chunk == NULL || size > SIZE_MAX / 4 || total > chunk->cap - chunk->used ||
        (arena->limit != 0 && total > arena->limit - arena->used))
        return take_from_new_chunk(arena, size);
    return take(arena, chunk, size);
}

void *edge_arena_realloc(struct edge_arena *arena, void *block, size_t size)
{
    if (block == NULL || size > SIZE_MAX / 4)
        return edge_arena_alloc(arena, size);
    uint8_t *at = (uint8_t *)block - 16;
    size_t old;
    memcpy(&old, at, sizeof(old));
    if (round_up(size) <= round_up(old)) {
        memcpy(at, &size, sizeof(size));
        return block;
    }
    struct edge_arena_chunk *chunk = arena->chunks;
    size_t grow = round_up(size) - round_up(old);
    int newest = at + 16 + round_up(old) == chunk->bytes + chunk->used;
    if (newest && chunk->cap - chunk->used >= grow &&
        (arena->limit == 0 || grow <= arena->limit - arena->used)) {
        chunk->used += grow;
        arena->used += grow;
        memcpy(at, &size, sizeof(size));
        return block;
    }
    void *bigger = edge_arena_alloc(arena, size);
    if (bigger != NULL)
        memcpy(bigger, block, old);
    return bigger;
}

size_t edge_arena_size(const void *block)
{
    size_t size;
    memcpy(&size, (const uint8_t *)block - 16, sizeof(size));
    return size;
}

void edge_arena_reset(struct edge_arena *arena)
{
    struct edge_arena_chunk *keep = NULL;
    struct edge_arena_chunk *chunk = arena->chunks;
    arena->used = 0;
    // Newest first, and each is larger than the one before it.
    while (chunk != NULL) {
        struct edge_arena_chunk *next = chunk->next;
        if (keep == NULL && chunk->cap <= ARENA_CHUNK_KEEP)
            keep = chunk;
        else
            free(chunk);
        chunk = next;
    }
    if (keep != NULL) {
        keep->next = NULL;
        keep->used = 0;
    }
    arena->chunks = keep;
}

void edge_arena_free(struct edge_arena *arena)
{
    edge_arena_reset(arena);
    free(arena->chunks);
    arena->chunks = NULL;
}
