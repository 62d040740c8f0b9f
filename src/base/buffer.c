#include "base/buffer.h"

#include <errno.h>
#include <stdlib.h>

#define BUFFER_MIN 256

void edge_buffer_free(struct edge_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct edge_buffer){0};
}

int edge_buffer_reserve(struct edge_buffer *buffer, size_t more)
{
    if (edge_buffer_room(buffer) >= more)
        return 0;
    if (buffer->cap - buffer->len >= more && buffer->start >= buffer->len) {
        memcpy(buffer->data, buffer->data + buffer->start, buffer->len);
        buffer->start = 0;
        return 0;
    }
    size_t need;
    if (__builtin_add_overflow(buffer->len, more, &need) || need > SIZE_MAX / 2)
        return -ENOMEM;
    size_t cap = buffer->cap < BUFFER_MIN ? BUFFER_MIN : buffer->cap;
    while (cap < need)
        cap *= 2;
    uint8_t *data = malloc(cap);
    if (data == NULL)
        return -ENOMEM;
    if (buffer->len > 0)
        memcpy(data, buffer->data + buffer->start, buffer->len);
    free(buffer->data);
    buffer->data = data;
    buffer->start = 0;
    buffer->cap = cap;
    return 0;
}

int edge_buffer_append(struct edge_buffer *buffer, const void *bytes, size_t len)
{
    if (len == 0)
        return 0;
    int error = edge_buffer_reserve(buffer, len);
    if (error < 0)
        return error;
    memcpy(edge_buffer_tail(buffer), bytes, len);
    buffer->len += len;
    return 0;
}

void edge_buffer_consume(struct edge_buffer *buffer, size_t len)
{
    buffer->start += len;
    buffer->len -= len;
    if (buffer->len == 0)
        buffer->start = 0;
}
