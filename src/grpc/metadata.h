// Custom metadata of a call (gRPC over HTTP/2, Custom-Metadata): a list of names and values. Values
// of "-bin" names are bytes here, and base64 on the wire; others are printable ASCII.
#ifndef EDGE_GRPC_METADATA_H
#define EDGE_GRPC_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

#define EDGE_METADATA_SENT_MAX 64u // entries of one list that is sent

struct edge_metadata_entry {
    struct edge_metadata_entry *next;
    const char *name; // lower case
    const uint8_t *value;
    size_t name_len, value_len;
};

// In the order of adding. All zero is an empty list.
struct edge_metadata {
    struct edge_metadata_entry *first;
    struct edge_metadata_entry **end; // where the next is linked in; NULL: at `first`
    size_t count;
};

// Takes a field of a request, copied from its wire form. What is not metadata (pseudo-header
// fields, grpc-*, content-type, te), and text with characters that gRPC does not send, is left out.
// 0; EDGE_ERR_FORMAT: a "-bin" value is not base64; -ENOMEM.
int edge_metadata_take(struct edge_metadata *list, struct edge_pool *pool, const char *name,
                       size_t name_len, const char *value, size_t value_len);

// Adds an entry to be sent, copied into its wire form.
// 0; EDGE_ERR_FORMAT: the name or the value cannot be sent; EDGE_ERR_LIMIT: too many; -ENOMEM.
int edge_metadata_put(struct edge_metadata *list, struct edge_pool *pool, const char *name,
                      const void *value, size_t value_len);

// The next entry of that name behind `after` (NULL: from the start), or NULL.
const struct edge_metadata_entry *edge_metadata_find(const struct edge_metadata *list,
                                                     const struct edge_metadata_entry *after,
                                                     const char *name);

// Gives the memory back. Safe twice.
void edge_metadata_free(struct edge_metadata *list, struct edge_pool *pool);

#endif
