// nghttp2's memory, from a pool: no malloc per frame or stream.
#ifndef EDGE_GRPC_H2_MEMORY_H
#define EDGE_GRPC_H2_MEMORY_H

#include <nghttp2/nghttp2.h>

#include "base/pool.h"

// Allocator hooks over `pool`, which must outlive the sessions that use them.
nghttp2_mem edge_h2_memory(struct edge_pool *pool);

#endif
