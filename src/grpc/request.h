// The header fields of a request, judged by gRPC's rules (gRPC over HTTP/2, Requests).
#ifndef EDGE_GRPC_REQUEST_H
#define EDGE_GRPC_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grpc/status.h"

enum edge_content_type {
    EDGE_CONTENT_NONE,    // missing, or not gRPC
    EDGE_CONTENT_GRPC,    // application/grpc, application/grpc+proto, with or without parameters
    EDGE_CONTENT_UNKNOWN, // application/grpc+other
};

// All zero is the start.
struct edge_request {
    uint64_t timeout_ns; // valid if has_timeout
    uint32_t list_bytes; // sum of name + value + 32, as SETTINGS_MAX_HEADER_LIST_SIZE counts
    uint16_t list_count;
    uint8_t content_type; // enum edge_content_type
    bool post;
    bool has_timeout;
    bool bad_timeout;
    bool bad_encoding;
    bool gzip;         // grpc-encoding: gzip
    bool accepts_gzip; // grpc-accept-encoding lists it
    bool bad_metadata; // a "-bin" value is not base64
};

// Judges a content-type value.
enum edge_content_type edge_request_content_type(const char *value, size_t len);

// Takes one field; a repeated field replaces the one before, but lists add up. ":path" is the
// caller's own.
// 0, or EDGE_ERR_LIMIT: beyond the hard limit of grpc/limits.h.
int edge_request_header(struct edge_request *request, const char *name, size_t name_len,
                        const char *value, size_t value_len);

// The answer to a request that no method gets to see.
struct edge_refusal {
    const char *http_status; // "200", "405", "415"
    int status;              // enum edge_status, or -1: no grpc-status, for clients to map the 415
    const char *message;     // plain printable ASCII, or NULL
    bool list_encodings;     // add grpc-accept-encoding
};

// Judges the whole header list. `method_found` and `service_found` say what :path led to.
// True if it is refused; then *refusal is set.
bool edge_request_refused(const struct edge_request *request, bool method_found, bool service_found,
                          struct edge_refusal *refusal);

#endif
