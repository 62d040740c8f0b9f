// Two allocators for servers that must not call malloc per request.
//
// edge_pool: freelists by size class, for objects that come and go (streams, queue items).
// edge_arena: bump allocation, freed all at once, for one decoded message.
#ifndef EDGE_BASE_POOL_H
#define EDGE_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDGE_POOL_CLASSES 11 // 32, 64, ... 32768 bytes

struct edge_pool_chunk;

// All zero is an empty pool without a limit. Set `limit` to bound the bytes that it takes from the
// system. Blocks above 32 KiB go straight to malloc.
// Freed blocks are kept for the next request of their class until edge_pool_trim() or _free().
struct edge_pool {
    void *free_list[EDGE_POOL_CLASSES];
    struct edge_pool_chunk *chunks;  // newest first
    struct edge_pool_chunk *carving; // small blocks are cut from its rest; NULL: none
    size_t chunk_left;               // bytes of that rest
    size_t system_bytes;             // that it holds of the system, and what was charged
    size_t limit;                    // of those; 0: none
    uint64_t system_allocs;          // how often malloc was called: flat in steady state
};

// Like malloc(): aligned for any type, NULL when memory is out or over the limit. Size 0 gives a
// valid block.
void *edge_pool_alloc(struct edge_pool *pool, size_t size);
// Like realloc() and free() for blocks of the same pool.
void *edge_pool_realloc(struct edge_pool *pool, void *block, size_t size);
void edge_pool_release(struct edge_pool *pool, void *block);
// Counts `bytes` that the owner of the pool has from another allocator against the limit, until
// edge_pool_uncharge(). False: over the limit, and nothing is counted.
bool edge_pool_charge(struct edge_pool *pool, size_t bytes);
void edge_pool_uncharge(struct edge_pool *pool, size_t bytes);
// Gives the chunks that nobody uses a byte of back to the system: else what was once used for
// blocks of one class could not be had for others, and the limit would leave none for them. Returns
// the bytes that the pool still holds and nobody uses. It walks the free lists: for now and then.
size_t edge_pool_trim(struct edge_pool *pool);
// Gives all chunks back. Blocks above 32 KiB must have been released before. Safe twice.
void edge_pool_free(struct edge_pool *pool);

struct edge_arena_chunk;

// All zero is an empty arena without a limit. Set `limit` to bound the bytes between two resets.
struct edge_arena {
    struct edge_arena_chunk *chunks; // newest first
    size_t used;                     // bytes handed out since the last reset
    size_t limit;                    // 0: none
    uint64_t system_allocs;          // how often malloc was called: flat in steady state
};

// Memory, aligned for any type, until the next reset, or NULL: out of memory, or over the limit.
void *edge_arena_alloc(struct edge_arena *arena, size_t size);
// Grows `block` (NULL: a new one), in place if it is the newest. NULL as for alloc; `block` stays.
void *edge_arena_realloc(struct edge_arena *arena, void *block, size_t size);
// The size that `block` was last asked for.
size_t edge_arena_size(const void *block);
// Forgets all blocks. Keeps the largest chunk up to 64 KiB, and gives back what a rare large
// message took.
void edge_arena_reset(struct edge_arena *arena);
// Frees everything. Safe twice.
void edge_arena_free(struct edge_arena *arena);

#endif
