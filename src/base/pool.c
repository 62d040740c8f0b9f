#include "base/pool.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Stands before each block, which keeps malloc's alignment: 16 bytes, or 8 on 32-bit ARM. In a free
// list the first word leads to the next block.
struct block_header {
    _Alignas(max_align_t) size_t size; // as asked for
    size_t place; // of a class: bytes from its chunk to here, then a byte of the class's index
};
#define FROM_MALLOC ((size_t)EDGE_POOL_CLASSES) // a place

// Blocks of one class, or of many small ones.
struct edge_pool_chunk {
    _Alignas(max_align_t) struct edge_pool_chunk *next;
    size_t bytes;  // with this
    size_t carved; // bytes that are blocks
    size_t unused; // of those, found by a trim
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
static struct edge_pool_chunk *new_chunk(struct edge_pool *pool, size_t bytes)
{
    bytes += sizeof(struct edge_pool_chunk);
    struct edge_pool_chunk *chunk = take_from_system(pool, bytes);
    if (chunk == NULL)
        return NULL;
    *chunk = (struct edge_pool_chunk){.next = pool->chunks, .bytes = bytes};
    pool->chunks = chunk;
    return chunk;
}

// A new block of a class, or NULL.
SLOW_PATH static struct block_header *carve(struct edge_pool *pool, size_t index)
{
    const size_t bytes = CLASS_MIN << index;
    struct edge_pool_chunk *chunk = pool->carving;
    if (bytes > CHUNK_BYTES / 4) {
        chunk = new_chunk(pool, bytes); // in a shared chunk the rest would be wasted
    } else if (pool->chunk_left < bytes) {
        chunk = new_chunk(pool, CHUNK_BYTES);
        if (chunk != NULL) {
            pool->carving = chunk;
            pool->chunk_left = CHUNK_BYTES;
        }
    }
    if (chunk == NULL)
        return NULL;
    const size_t offset = sizeof(*chunk) + chunk->carved;
    struct block_header *header = (struct block_header *)(void *)((char *)chunk + offset);
    header->place = offset << 8 | index;
    chunk->carved += bytes;
    if (chunk == pool->carving)
        pool->chunk_left -= bytes;
    return header;
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
        if (header != NULL)
            header->place = FROM_MALLOC;
    } else if (pool->free_list[index] != NULL) {
        header = pool->free_list[index];
        memcpy(&pool->free_list[index], header, sizeof(void *));
    } else {
        header = carve(pool, index);
    }
    if (header == NULL)
        return NULL;
    header->size = size;
    return header + 1;
}

void edge_pool_release(struct edge_pool *pool, void *block)
{
    if (block == NULL)
        return;
    struct block_header *header = (struct block_header *)block - 1;
    size_t index = (uint8_t)header->place;
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
    size_t index = (uint8_t)header->place;
    if (index < EDGE_POOL_CLASSES && size <= (CLASS_MIN << index) - sizeof(*header)) {
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

static struct edge_pool_chunk *chunk_of(struct block_header *header)
{
    return (struct edge_pool_chunk *)(void *)((char *)header - (header->place >> 8));
}

static bool is_unused(const struct edge_pool_chunk *chunk)
{
    return chunk->unused == chunk->carved;
}

// Takes the blocks of unused chunks out of a free list.
static void thin_out(void **list)
{
    struct block_header *kept = NULL;
    for (struct block_header *header = *list, *next; header != NULL; header = next) {
        memcpy(&next, header, sizeof(void *));
        if (is_unused(chunk_of(header)))
            continue;
        memcpy(header, &kept, sizeof(void *));
        kept = header;
    }
    *list = kept;
}

// Frees unused chunks. Returns what is unused in the others.
static size_t free_unused(struct edge_pool *pool)
{
    size_t spare = 0;
    struct edge_pool_chunk **link = &pool->chunks;
    while (*link != NULL) {
        struct edge_pool_chunk *chunk = *link;
        if (!is_unused(chunk)) {
            spare += chunk->unused;
            link = &chunk->next;
            continue;
        }
        *link = chunk->next;
        if (chunk == pool->carving) {
            pool->carving = NULL;
            pool->chunk_left = 0;
        }
        edge_pool_uncharge(pool, chunk->bytes);
        free(chunk);
    }
    return spare + pool->chunk_left;
}

size_t edge_pool_trim(struct edge_pool *pool)
{
    for (struct edge_pool_chunk *chunk = pool->chunks; chunk != NULL; chunk = chunk->next)
        chunk->unused = 0;
    for (size_t index = 0; index < EDGE_POOL_CLASSES; index++) {
        struct block_header *header = pool->free_list[index];
        while (header != NULL) {
            chunk_of(header)->unused += CLASS_MIN << index;
            memcpy(&header, header, sizeof(void *));
        }
    }
    for (size_t index = 0; index < EDGE_POOL_CLASSES; index++)
        thin_out(&pool->free_list[index]);
    return free_unused(pool);
}

void edge_pool_free(struct edge_pool *pool)
{
    struct edge_pool_chunk *chunk = pool->chunks;
    while (chunk != NULL) {
        struct edge_pool_chunk *next = chunk->next;
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
