#include "grpc/protobuf.h"

#include <string.h>

#include "base/error.h"

#define VARINT_MAX 10

static int take_varint(const uint8_t **bytes, size_t *len, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; *len > 0 && i < VARINT_MAX; i++) {
        uint8_t byte = *(*bytes)++;
        (*len)--;
        *value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0)
            return i < VARINT_MAX - 1 || byte <= 1 ? 0 : EDGE_ERR_FORMAT;
    }
    return EDGE_ERR_FORMAT;
}

static int take_fixed(const uint8_t **bytes, size_t *len, size_t width, uint64_t *value)
{
    if (*len < width)
        return EDGE_ERR_FORMAT;
    *value = 0;
    for (size_t i = 0; i < width; i++)
        *value |= (uint64_t)(*bytes)[i] << (8 * i);
    *bytes += width;
    *len -= width;
    return 0;
}

int edge_protobuf_next(const uint8_t **bytes, size_t *len, struct edge_protobuf_field *field)
{
    if (*len == 0)
        return 0;
    uint64_t tag;
    if (take_varint(bytes, len, &tag) < 0 || tag >> 3 == 0 || tag > UINT32_MAX)
        return EDGE_ERR_FORMAT;
    *field = (struct edge_protobuf_field){.number = (uint32_t)(tag >> 3),
                                          .type = (enum edge_wire_type)(tag & 7)};
    int error;
    switch (field->type) {
    case EDGE_WIRE_VARINT:
        error = take_varint(bytes, len, &field->value);
        break;
    case EDGE_WIRE_FIXED64:
        error = take_fixed(bytes, len, 8, &field->value);
        break;
    case EDGE_WIRE_FIXED32:
        error = take_fixed(bytes, len, 4, &field->value);
        break;
    case EDGE_WIRE_BYTES:
        error = take_varint(bytes, len, &field->value);
        if (error == 0 && field->value > *len)
            error = EDGE_ERR_FORMAT;
        if (error == 0) {
            field->bytes = *bytes;
            field->len = (size_t)field->value;
            *bytes += field->len;
            *len -= field->len;
        }
        break;
    default:
        error = EDGE_ERR_FORMAT;
    }
    return error < 0 ? error : 1;
}

bool edge_protobuf_is(const struct edge_protobuf_field *field, const char *text)
{
    return field->type == EDGE_WIRE_BYTES && field->len == strlen(text) &&
           memcmp(field->bytes, text, field->len) == 0;
}

static size_t put(uint8_t *at, uint64_t value)
{
    size_t len = 0;
    while (value >= 0x80) {
        at[len++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    at[len++] = (uint8_t)value;
    return len;
}

int edge_protobuf_put_varint(struct edge_buffer *out, uint32_t number, uint64_t value)
{
    uint8_t field[2 * VARINT_MAX];
    size_t len = put(field, (uint64_t)number << 3 | EDGE_WIRE_VARINT);
    len += put(field + len, value);
    return edge_buffer_append(out, field, len);
}

int edge_protobuf_put_bytes(struct edge_buffer *out, uint32_t number, const void *bytes, size_t len)
{
    uint8_t header[2 * VARINT_MAX];
    size_t header_len = put(header, (uint64_t)number << 3 | EDGE_WIRE_BYTES);
    header_len += put(header + header_len, len);
    int error = edge_buffer_append(out, header, header_len);
    return error < 0 ? error : edge_buffer_append(out, bytes, len);
}
