// The header lists that a server sends, as nghttp2 takes them. Names and values are borrowed:
// static, or the call's own.
#ifndef EDGE_GRPC_H2_FIELDS_H
#define EDGE_GRPC_H2_FIELDS_H

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

#include "grpc/call.h"
#include "grpc/request.h"

#define EDGE_H2_FIELDS_MAX 5

// Each writes to `fields` and returns how many.

// The response HEADERS: :status 200 and content-type.
size_t edge_h2_fields_response(nghttp2_nv fields[EDGE_H2_FIELDS_MAX]);
// The trailers: grpc-status, and grpc-message unless it does not fit in `list_max`, the client's
// SETTINGS_MAX_HEADER_LIST_SIZE.
size_t edge_h2_fields_trailers(nghttp2_nv fields[EDGE_H2_FIELDS_MAX], const struct edge_call *call,
                               uint32_t list_max);
// Response and trailers in one (Trailers-Only).
size_t edge_h2_fields_trailers_only(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                                    const struct edge_call *call, uint32_t list_max);
// The answer to a request that is refused.
size_t edge_h2_fields_refusal(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                              const struct edge_refusal *refusal);

#endif
