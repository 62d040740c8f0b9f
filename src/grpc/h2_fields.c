#include "grpc/h2_fields.h"

#include <string.h>

#define BORROWED (NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE)

// What a field adds to the size of a list (RFC 9113, 6.5.2), and what the others of ours add up to.
#define FIELD_OVERHEAD 32u
#define OTHER_FIELDS   192u

static nghttp2_nv field(const char *name, size_t name_len, const char *value, size_t value_len)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, name_len,
                        value_len, BORROWED};
}

#define TEXT(literal) (literal), sizeof(literal) - 1

static nghttp2_nv status_field(int status)
{
    const char *digits = edge_status_digits(status);
    return field(TEXT("grpc-status"), digits, digits[1] == '\0' ? 1 : 2);
}

size_t edge_h2_fields_response(nghttp2_nv fields[EDGE_H2_FIELDS_MAX])
{
    fields[0] = field(TEXT(":status"), TEXT("200"));
    fields[1] = field(TEXT("content-type"), TEXT("application/grpc"));
    return 2;
}

size_t edge_h2_fields_trailers(nghttp2_nv fields[EDGE_H2_FIELDS_MAX], const struct edge_call *call,
                               uint32_t list_max)
{
    fields[0] = status_field(call->status);
    if (call->message_len == 0)
        return 1;
    nghttp2_nv message = field(TEXT("grpc-message"), call->message, call->message_len);
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
    fields[count++] = field(TEXT(":status"), refusal->http_status, strlen(refusal->http_status));
    if (refusal->status >= 0) {
        fields[count++] = field(TEXT("content-type"), TEXT("application/grpc"));
        fields[count++] = status_field(refusal->status);
        fields[count++] = field(TEXT("grpc-message"), refusal->message, strlen(refusal->message));
    }
    if (refusal->list_encodings)
        fields[count++] = field(TEXT("grpc-accept-encoding"), TEXT("identity"));
    return count;
}
