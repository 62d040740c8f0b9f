// Length-prefixed messages: one flag byte, a 32-bit big-endian length, the message (gRPC over
// HTTP/2, Length-Prefixed-Message). DATA frame boundaries mean nothing here.
#ifndef EDGE_GRPC_FRAMING_H
#define EDGE_GRPC_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

#define EDGE_FRAMING_PREFIX 5

// The receiving side of one stream. All zero is the start.
struct edge_framing {
    uint8_t *body; // a message that came in pieces: `have` bytes of `need`; from the pool
    uint32_t cap;  // of body; grows with the bytes that came, not with the length promised
    uint32_t have;
    uint32_t need;
    uint8_t prefix[EDGE_FRAMING_PREFIX];
    uint8_t prefix_have;
    bool done; // body was handed out; its memory is free for the next message
};

// One whole message, borrowed: it points into the caller's bytes if it lay there in one piece, else
// into `framing`; valid until the next call.
struct edge_framing_message {
    const uint8_t *bytes;
    size_t len;
    bool compressed; // the flag byte was 1
};

// Takes from *bytes, *len (both are advanced) up to the end of one message.
//   1               *message is whole; call again for what is left
//   0               all bytes are taken; more are needed
//   EDGE_ERR_LIMIT  the prefix promises more than `limit` bytes; known before memory is taken
//   EDGE_ERR_FORMAT the flag byte is neither 0 nor 1
//   -ENOMEM
// After an error the stream of messages is lost.
int edge_framing_next(struct edge_framing *framing, struct edge_pool *pool, size_t limit,
                      const uint8_t **bytes, size_t *len, struct edge_framing_message *message);

// True between messages: the stream may end here.
static inline bool edge_framing_at_boundary(const struct edge_framing *framing)
{
    return framing->prefix_have == 0 || framing->done;
}

// Gives the memory back. Safe twice.
void edge_framing_free(struct edge_framing *framing, struct edge_pool *pool);

// Writes the prefix of an uncompressed message of `len` bytes.
static inline void edge_framing_prefix(uint8_t prefix[EDGE_FRAMING_PREFIX], uint32_t len)
{
    prefix[0] = 0;
    prefix[1] = (uint8_t)(len >> 24);
    prefix[2] = (uint8_t)(len >> 16);
    prefix[3] = (uint8_t)(len >> 8);
    prefix[4] = (uint8_t)len;
}

#endif
