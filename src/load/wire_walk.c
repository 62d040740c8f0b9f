#include "load/wire_walk.h"

#define DEPTH_MAX 64

struct walk {
    const uint8_t *bytes;
    size_t max;
    size_t at, len; // the best so far; len 0: none
};

static bool read_varint(const uint8_t *bytes, size_t end, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

// True if the string at bytes[at..at + len) settles the search.
static bool consider(struct walk *walk, size_t at, size_t len)
{
    if (len > walk->max)
        len = walk->max;
    for (size_t i = 0; i < len; i++) {
        if (walk->bytes[at + i] & 0x80)
            return false;
    }
    if (len >= EDGE_WALK_ENOUGH || (walk->len == 0 && len > 0)) {
        walk->at = at;
        walk->len = len;
    }
    return len >= EDGE_WALK_ENOUGH;
}

static bool visit(struct walk *walk, const ProtobufCMessageDescriptor *type, size_t at, size_t end,
                  unsigned depth)
{
    while (at < end) {
        uint64_t tag, number;
        if (!read_varint(walk->bytes, end, &at, &tag))
            return false;
        switch (tag & 7) {
        case 0:
            if (!read_varint(walk->bytes, end, &at, &number))
                return false;
            continue;
        case 1:
            at += 8;
            continue;
        case 5:
            at += 4;
            continue;
        case 2:
            break;
        default:
            return false;
        }
        if (!read_varint(walk->bytes, end, &at, &number) || number > end - at)
            return false;
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
        if (field != NULL && field->type == PROTOBUF_C_TYPE_STRING &&
            consider(walk, at, (size_t)number))
            return true;
        if (field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE && depth < DEPTH_MAX &&
            visit(walk, field->descriptor, at, at + (size_t)number, depth + 1))
            return true;
        at += (size_t)number;
    }
    return false;
}

bool edge_wire_walk_string(const ProtobufCMessageDescriptor *type, const uint8_t *bytes,
                           size_t bytes_len, size_t max, size_t *at, size_t *len)
{
    struct walk walk = {.bytes = bytes, .max = max};
    visit(&walk, type, 0, bytes_len, 0);
    *at = walk.at;
    *len = walk.len;
    return walk.len > 0;
}
