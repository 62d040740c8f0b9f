// The protobuf wire format, read and written field by field: for the few messages of health and
// reflection, which must not depend on a codec. Tags and lengths are checked, UTF-8 is not.
#ifndef EDGE_GRPC_PROTOBUF_H
#define EDGE_GRPC_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum edge_wire_type {
    EDGE_WIRE_VARINT = 0,
    EDGE_WIRE_FIXED64 = 1,
    EDGE_WIRE_BYTES = 2,
    EDGE_WIRE_FIXED32 = 5,
};

struct edge_protobuf_field {
    uint32_t number;
    enum edge_wire_type type;
    uint64_t value;       // varint or fixed
    const uint8_t *bytes; // EDGE_WIRE_BYTES, borrowed from the message
    size_t len;
};

// Takes the next field from *bytes, *len (both are advanced).
// 1: *field is set; 0: the message has ended; EDGE_ERR_FORMAT: malformed (groups included).
int edge_protobuf_next(const uint8_t **bytes, size_t *len, struct edge_protobuf_field *field);

// True if the field holds exactly this text.
bool edge_protobuf_is(const struct edge_protobuf_field *field, const char *text);

// Writers: append a field. 0 or -ENOMEM.
int edge_protobuf_put_varint(struct edge_buffer *out, uint32_t number, uint64_t value);
int edge_protobuf_put_bytes(struct edge_buffer *out, uint32_t number, const void *bytes,
                            size_t len);

#endif
