// gzip (RFC 1952), the encoding that every gRPC implementation has: zlib behind three functions. A
// build without it has gzip_none.c, and edge_gzip_available() is false.
#ifndef EDGE_LOAD_GZIP_H
#define EDGE_LOAD_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

bool edge_gzip_available(void);

// Appends bytes[len], packed: the same bytes each time. 0; -ENOMEM; EDGE_ERR_UNSUPPORTED.
int edge_gzip_pack(const uint8_t *bytes, size_t len, struct edge_buffer *out);

// Appends what was packed, at most `max` bytes. 0; -ENOMEM; EDGE_ERR_FORMAT (damaged, cut short, or
// followed by something); EDGE_ERR_LIMIT; EDGE_ERR_UNSUPPORTED.
int edge_gzip_unpack(const uint8_t *bytes, size_t len, size_t max, struct edge_buffer *out);

#endif
