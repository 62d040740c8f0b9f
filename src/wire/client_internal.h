// What client.c (life, streams, frames out) and client_in.c (frames in) share.
#ifndef EDGE_WIRE_CLIENT_INTERNAL_H
#define EDGE_WIRE_CLIENT_INTERNAL_H

#include "wire/client.h"

// Notes why, queues GOAWAY with `code`. Returns EDGE_ERR_PROTOCOL, or -ENOMEM.
int edge_client_fail(struct edge_client *client, uint32_t code, const char *why);

// Appends an answer to a frame of the peer's to what edge_client_flush() sends. 0; -ENOMEM;
// EDGE_ERR_PROTOCOL: it asks for more than it reads.
int edge_client_queue(struct edge_client *client, const uint8_t *frame, size_t len);

// The record that stream `id` has or would have.
static inline struct edge_client_stream *edge_client_record(const struct edge_client *client,
                                                            uint32_t id)
{
    size_t index = (id >> 1) & (client->config.stream_count - 1);
    char *ring = client->config.streams;
    return (struct edge_client_stream *)(void *)(ring + index * client->config.stream_size);
}

#endif
