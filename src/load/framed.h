// A gRPC message as it is on the wire: prefix and contents in one run of bytes, with the field that
// varies. Copied out piece by piece on the way out, compared piece by piece on the way in.
#ifndef EDGE_LOAD_FRAMED_H
#define EDGE_LOAD_FRAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/payload.h"

#define EDGE_FRAMED_PREFIX                                                                         \
    5u // compressed flag, 32-bit length (gRPC over HTTP/2, Length-Prefixed-Message)

struct edge_framed {
    uint8_t *bytes;
    size_t len;     // with the prefix
    size_t vary_at; // from the prefix's first byte
    size_t vary_len;
    size_t plain_len;           // of the contents, before they were packed
    struct edge_patch *patches; // from the prefix's first byte; NULL: none
    size_t patch_count;
};

// 0; -ENOMEM; EDGE_ERR_LIMIT (its length does not fit the prefix).
int edge_framed_init(struct edge_framed *framed, const struct edge_template *template);
// Safe twice.
void edge_framed_free(struct edge_framed *framed);

// Writes bytes [from, from + len) of the message whose varied text is that of `number`.
void edge_framed_copy(const struct edge_framed *framed, uint64_t number, size_t from, uint8_t *out,
                      size_t len);

// True if `bytes` equal bytes [from, from + len) of that message.
bool edge_framed_equal(const struct edge_framed *framed, uint64_t number, size_t from,
                       const uint8_t *bytes, size_t len);

#endif
