#include "grpc/framing.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

static uint32_t length_of(const uint8_t prefix[EDGE_FRAMING_PREFIX])
{
    return (uint32_t)prefix[1] << 24 | (uint32_t)prefix[2] << 16 | (uint32_t)prefix[3] << 8 |
           prefix[4];
}

static int check_prefix(const uint8_t prefix[EDGE_FRAMING_PREFIX], size_t limit)
{
    if (prefix[0] > 1)
        return EDGE_ERR_FORMAT;
    return length_of(prefix) > limit ? EDGE_ERR_LIMIT : 0;
}

static int grow(struct edge_framing *framing, struct edge_pool *pool, uint32_t size)
{
    if (size <= framing->cap)
        return 0;
    uint32_t cap = framing->cap < 64 ? 64 : framing->cap;
    while (cap < size)
        cap = cap > UINT32_MAX / 2 ? UINT32_MAX : cap * 2;
    if (cap > framing->need)
        cap = framing->need;
    uint8_t *body = edge_pool_realloc(pool, framing->body, cap);
    if (body == NULL)
        return -ENOMEM;
    framing->body = body;
    framing->cap = cap;
    return 0;
}

static void advance(const uint8_t **bytes, size_t *len, size_t taken)
{
    *bytes += taken;
    *len -= taken;
}

int edge_framing_next(struct edge_framing *framing, struct edge_pool *pool, size_t limit,
                      const uint8_t **bytes, size_t *len, struct edge_framing_message *message)
{
    if (framing->done) {
        framing->done = false;
        framing->prefix_have = 0;
    }
    if (framing->prefix_have == 0 && *len >= EDGE_FRAMING_PREFIX) {
        int error = check_prefix(*bytes, limit);
        if (error < 0)
            return error;
        uint32_t size = length_of(*bytes);
        if (*len - EDGE_FRAMING_PREFIX >= size) {
            *message = (struct edge_framing_message){
                .bytes = *bytes + EDGE_FRAMING_PREFIX, .len = size, .compressed = **bytes == 1};
            advance(bytes, len, EDGE_FRAMING_PREFIX + size);
            return 1;
        }
    }
    while (framing->prefix_have < EDGE_FRAMING_PREFIX) {
        if (*len == 0)
            return 0;
        framing->prefix[framing->prefix_have++] = **bytes;
        advance(bytes, len, 1);
        if (framing->prefix_have < EDGE_FRAMING_PREFIX)
            continue;
        int error = check_prefix(framing->prefix, limit);
        if (error < 0)
            return error;
        framing->have = 0;
        framing->need = length_of(framing->prefix);
    }
    uint32_t take = framing->need - framing->have;
    if (take > *len)
        take = (uint32_t)*len;
    if (take > 0) {
        int error = grow(framing, pool, framing->have + take);
        if (error < 0)
            return error;
        memcpy(framing->body + framing->have, *bytes, take);
        framing->have += take;
        advance(bytes, len, take);
    }
    if (framing->have < framing->need)
        return 0;
    framing->done = true;
    // An empty message has no body: any address will do, but NULL would not.
    const uint8_t *body = framing->body != NULL ? framing->body : framing->prefix;
    *message = (struct edge_framing_message){
        .bytes = body, .len = framing->need, .compressed = framing->prefix[0] == 1};
    return 1;
}

void edge_framing_free(struct edge_framing *framing, struct edge_pool *pool)
{
    edge_pool_release(pool, framing->body);
    *framing = (struct edge_framing){0};
}
