#include "grpc/h2_fields.h"

#include <string.h>

#define BORROWED (NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE)

// What a field adds to the size of a list (RFC 9113, 6.5.2), and what the others of ours add up to.
#define FIELD_OVERHEAD 32u
#define OTHER_FIELDS   192u

static nghttp2_nv field(const char *name, const char *value, size_t value_len)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name),
                        value_len, BORROWED};
}

static nghttp2_nv text(const char *name, const char *value)
{
    return field(name, value, strlen(value));
}

size_t edge_h2_fields_response(nghttp2_nv fields[EDGE_H2_FIELDS_MAX])
{
    fields[0] = text(":status", "200");
    fields[1] = text("content-type", "application/grpc");
    return 2;
}

size_t edge_h2_fields_trailers(nghttp2_nv fields[EDGE_H2_FIELDS_MAX], const struct edge_call *call,
                               uint32_t list_max)
{
    fields[0] = text("grpc-status", edge_status_digits(call->status));
    if (call->message_len == 0)
        return 1;
    nghttp2_nv message = field("grpc-message", call->message, call->message_len);
    if (message.namelen + message.valuelen + FIELD_OVERHEAD + OTHER_FIELDS > list_max)
        return 1;
    // Words differ: they must not push out what repeats.
    message.flags |= NGHTTP2_NV_FLAG_NO_INDEX;
    fields[1] = message;
    return 2;
}

size_t edge_h2_fields_trailers_only(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                                    const struct edge_call *call, uint32_t list_max)
{
    size_t count = edge_h2_fields_response(fields);
    return count + edge_h2_fields_trailers(fields + count, call, list_max);
}

size_t edge_h2_fields_refusal(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                              const struct edge_refusal *refusal)
{
    size_t count = 0;
    fields[count++] = text(":status", refusal->http_status);
    if (refusal->status >= 0) {
        fields[count++] = text("content-type", "application/grpc");
        fields[count++] = text("grpc-status", edge_status_digits(refusal->status));
        fields[count++] = text("grpc-message", refusal->message);
    }
    if (refusal->list_encodings)
        fields[count++] = text("grpc-accept-encoding", "identity");
    return count;
}
