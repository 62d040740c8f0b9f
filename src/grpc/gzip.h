// gzip (RFC 1952) for messages, on zlib: each message is a whole stream of its own.
#ifndef EDGE_GRPC_GZIP_H
#define EDGE_GRPC_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct z_stream_s;

// One per thread: a message is done before the next begins. All zero is the start; what it needs is
// taken when it is first needed, and kept.
struct edge_gzip {
    struct z_stream_s *inflater; // about 40 KiB
    struct z_stream_s *deflater; // about 260 KiB
    struct edge_buffer plain;    // the message inflated last
    struct edge_buffer packed;   // the message deflated last
};

// Inflates one message into gzip->plain, where it stays until the next. Several members in a row
// are one message.
// 0; EDGE_ERR_LIMIT: more than `limit` bytes come out, which is noticed as they do;
// EDGE_ERR_FORMAT: no gzip, cut short, or a wrong checksum; -ENOMEM.
int edge_gzip_inflate(struct edge_gzip *gzip, const uint8_t *bytes, size_t len, size_t limit);

// The type of edge_gzip_deflate(): a server that never compresses need not link what it stands on.
typedef int edge_gzip_compress(struct edge_gzip *gzip, const uint8_t *bytes, size_t len);

// Deflates one message into gzip->packed, where it stays until the next. 0 or -ENOMEM.
int edge_gzip_deflate(struct edge_gzip *gzip, const uint8_t *bytes, size_t len);

// Frees everything. Safe twice.
void edge_gzip_free(struct edge_gzip *gzip);

#endif
