// What makes a request malformed (RFC 9113, 8.1 to 8.3): pseudo-header fields missing, repeated,
// unknown or behind regular fields; names with upper case; characters that do not belong;
// connection-specific fields; a content-length that is not what came.
//
// nghttp2 knows these rules too, and applies them to each field of each request anew. Here they
// stand apart, so that a header list that was seen before need not be judged again.
#ifndef EDGE_GRPC_H2_RULES_H
#define EDGE_GRPC_H2_RULES_H

#include <stddef.h>
#include <stdint.h>

// One request, from its first field to its end. All zero is the start.
struct edge_h2_rules {
    uint64_t content_length;
    uint64_t received; // bytes of DATA
    uint16_t seen;     // bits, see h2_rules.c
};

// Each returns 0, or EDGE_ERR_PROTOCOL: the stream is to be reset with PROTOCOL_ERROR.

// Takes one field of the header list, or of the trailers.
int edge_h2_rules_field(struct edge_h2_rules *rules, const uint8_t *name, size_t name_len,
                        const uint8_t *value, size_t value_len);
// The header list is whole. What comes now is trailers.
int edge_h2_rules_request(struct edge_h2_rules *rules);
// `len` bytes of DATA have come.
int edge_h2_rules_data(struct edge_h2_rules *rules, size_t len);
// The request has ended.
int edge_h2_rules_end(const struct edge_h2_rules *rules);

#endif
