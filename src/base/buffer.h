// A growable run of bytes: appended at the end, consumed at the front.
#ifndef EDGE_BASE_BUFFER_H
#define EDGE_BASE_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// All zero is an empty buffer. `data + start` is the first unconsumed byte, `len` counts from
// there.
struct edge_buffer {
    uint8_t *data;
    size_t start;
    size_t len;
    size_t cap;
};

// Frees the memory and leaves an empty buffer. Safe twice.
void edge_buffer_free(struct edge_buffer *buffer);

// Makes room for `more` bytes behind the contents (moving or growing them). 0 or -ENOMEM.
int edge_buffer_reserve(struct edge_buffer *buffer, size_t more);

// Copies `len` bytes to the end. 0 or -ENOMEM (then nothing was added).
int edge_buffer_append(struct edge_buffer *buffer, const void *bytes, size_t len);

// Drops `len` <= buffer->len bytes from the front.
void edge_buffer_consume(struct edge_buffer *buffer, size_t len);

// The first unconsumed byte; NULL if the buffer never held any.
static inline uint8_t *edge_buffer_head(struct edge_buffer *buffer)
{
    return buffer->start > 0 ? buffer->data + buffer->start : buffer->data;
}

// Where the next byte goes. Valid after edge_buffer_reserve(); then set buffer->len yourself.
static inline uint8_t *edge_buffer_tail(struct edge_buffer *buffer)
{
    return buffer->data + buffer->start + buffer->len;
}

// Bytes that can be written at the tail without reserving.
static inline size_t edge_buffer_room(const struct edge_buffer *buffer)
{
    return buffer->cap - buffer->start - buffer->len;
}

#endif
