// The header block of a request, in two forms.
//
// Indexed: the first request on a connection inserts its fields into the server's dynamic table,
// each later one is a byte per field: what gRPC clients in the field send. It needs the table size
// that every HTTP/2 peer starts with (4096). Stateless: literal fields, the same bytes each time,
// for a server that announced a smaller table.
#ifndef EDGE_LOAD_REQUEST_H
#define EDGE_LOAD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "load/metadata.h"

struct edge_request {
    struct edge_buffer insert;    // the first block of a connection
    struct edge_buffer indexed;   // each later one
    struct edge_buffer clear;     // sets the table size to 0, then as stateless
    struct edge_buffer stateless; // each one after `clear`
};

struct edge_request_config {
    const char *scheme; // "http" or "https"
    const char *path, *authority;
    uint64_t timeout_ns;                  // becomes grpc-timeout; 0: none
    const struct edge_metadata *metadata; // NULL: none
    bool gzip; // says that messages are packed so, and may be in the reply
};

// 0; -ENOMEM; EDGE_ERR_LIMIT with a message (path, authority and metadata do not fit).
int edge_request_init(struct edge_request *request, const struct edge_request_config *config,
                      struct edge_message *message);
// Safe twice.
void edge_request_free(struct edge_request *request);

// What one connection's server knows. Zero at the start of a connection.
enum edge_request_state { EDGE_REQUEST_FRESH, EDGE_REQUEST_INDEXED, EDGE_REQUEST_STATELESS };

// The next block to send to a server whose HEADER_TABLE_SIZE is `table_size`.
const struct edge_buffer *edge_request_next(const struct edge_request *request,
                                            enum edge_request_state *state, uint32_t table_size);

// Writes grpc-timeout's value: at most 8 digits and a unit, rounded up where it must be (gRPC over
// HTTP/2, "Timeout"). Returns text.
const char *edge_request_timeout_text(uint64_t timeout_ns, char text[24]);

#endif
