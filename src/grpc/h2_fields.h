// The header lists that a server sends, as nghttp2 takes them. Names and values are borrowed:
// static, or the call's own.
#ifndef EDGE_GRPC_H2_FIELDS_H
#define EDGE_GRPC_H2_FIELDS_H

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

#include "grpc/call.h"
#include "grpc/request.h"

#define EDGE_H2_FIELDS_MAX (5 + 2 * EDGE_METADATA_SENT_MAX)

// Each writes to `fields` and returns how many. `list_max` is the client's
// SETTINGS_MAX_HEADER_LIST_SIZE: grpc-message, and then metadata, that do not fit are left out.

// The response HEADERS: :status 200, content-type, grpc-encoding if replies may be compressed, and
// the initial metadata.
size_t edge_h2_fields_response(nghttp2_nv fields[EDGE_H2_FIELDS_MAX], const struct edge_call *call,
                               uint32_t list_max);
// The trailers: grpc-status, grpc-message and the trailing metadata.
size_t edge_h2_fields_trailers(nghttp2_nv fields[EDGE_H2_FIELDS_MAX], const struct edge_call *call,
                               uint32_t list_max);
// Response and trailers in one (Trailers-Only).
size_t edge_h2_fields_trailers_only(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                                    const struct edge_call *call, uint32_t list_max);
// The answer to a request that is refused.
size_t edge_h2_fields_refusal(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                              const struct edge_refusal *refusal, uint32_t list_max);

#endif
