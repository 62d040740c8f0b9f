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

// Not inlined, as most calls have none. Appends what fits beside `used` bytes of fields. Returns
// the new count.
__attribute__((noinline)) static size_t add_metadata(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                                                     size_t count, size_t used,
                                                     const struct edge_metadata *list,
                                                     uint32_t list_max)
{
    for (const struct edge_metadata_entry *entry = list->first; entry != NULL;
         entry = entry->next) {
        used += entry->name_len + entry->value_len + FIELD_OVERHEAD;
        if (used > list_max)
            break;
        fields[count] =
            field(entry->name, entry->name_len, (const char *)entry->value, entry->value_len);
        fields[count++].flags |= NGHTTP2_NV_FLAG_NO_INDEX;
    }
    return count;
}

size_t edge_h2_fields_response(nghttp2_nv fields[EDGE_H2_FIELDS_MAX], const struct edge_call *call,
                               uint32_t list_max)
{
    size_t count = 0;
    fields[count++] = field(TEXT(":status"), TEXT("200"));
    fields[count++] = field(TEXT("content-type"), TEXT("application/grpc"));
    if (call->gzip_replies)
        fields[count++] = field(TEXT("grpc-encoding"), TEXT("gzip"));
    if (call->metadata != NULL)
        count = add_metadata(fields, count, OTHER_FIELDS, &call->metadata->initial, list_max);
    return count;
}

// Appends the trailers behind `used` bytes of fields. Returns the new count.
static size_t add_trailers(nghttp2_nv fields[EDGE_H2_FIELDS_MAX], size_t count, size_t used,
                           const struct edge_call *call, uint32_t list_max)
{
    fields[count++] = status_field(call->status);
    if (call->message_len > 0) {
        nghttp2_nv message = field(TEXT("grpc-message"), call->message, call->message_len);
        size_t size = message.namelen + message.valuelen + FIELD_OVERHEAD;
        if (used + size <= list_max) {
            // Words differ: they must not push out what repeats.
            message.flags |= NGHTTP2_NV_FLAG_NO_INDEX;
            fields[count++] = message;
            used += size;
        }
    }
    if (call->metadata != NULL)
        count = add_metadata(fields, count, used, &call->metadata->trailing, list_max);
    return count;
}

size_t edge_h2_fields_trailers(nghttp2_nv fields[EDGE_H2_FIELDS_MAX], const struct edge_call *call,
                               uint32_t list_max)
{
    return add_trailers(fields, 0, OTHER_FIELDS, call, list_max);
}

size_t edge_h2_fields_trailers_only(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                                    const struct edge_call *call, uint32_t list_max)
{
    size_t count = edge_h2_fields_response(fields, call, list_max);
    size_t used = OTHER_FIELDS;
    for (size_t i = 0; i < count; i++)
        used += fields[i].namelen + fields[i].valuelen + FIELD_OVERHEAD;
    return add_trailers(fields, count, used, call, list_max);
}

size_t edge_h2_fields_refusal(nghttp2_nv fields[EDGE_H2_FIELDS_MAX],
                              const struct edge_refusal *refusal, uint32_t list_max)
{
    size_t count = 0;
    fields[count++] = field(TEXT(":status"), refusal->http_status, strlen(refusal->http_status));
    if (refusal->status >= 0) {
        fields[count++] = field(TEXT("content-type"), TEXT("application/grpc"));
        fields[count++] = status_field(refusal->status);
        nghttp2_nv message =
            field(TEXT("grpc-message"), refusal->message, strlen(refusal->message));
        if (message.namelen + message.valuelen + FIELD_OVERHEAD + OTHER_FIELDS <= list_max)
            fields[count++] = message;
    }
    if (refusal->list_encodings)
        fields[count++] = field(TEXT("grpc-accept-encoding"), TEXT("identity,gzip"));
    return count;
}
