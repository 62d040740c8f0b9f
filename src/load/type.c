#include "load/type.h"

#include <string.h>

#include "grpc/utf8.h"

#define DEPTH_MAX 100u // protobuf's own limit

enum wire_type { VARINT = 0, FIXED64 = 1, BYTES = 2, GROUP = 3, GROUP_END = 4, FIXED32 = 5 };

struct cursor {
    const uint8_t *at, *end;
    const struct edge_type_field *field; // the innermost one begun
};

const struct edge_type_field *edge_type_find(const struct edge_type *message, uint32_t number)
{
    // Most messages number their fields from 1 without a gap.
    if (number - 1 < message->field_count && message->fields[number - 1].number == number)
        return &message->fields[number - 1];
    size_t low = 0, high = message->field_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (message->fields[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < message->field_count && message->fields[low].number == number
               ? &message->fields[low]
               : NULL;
}

static bool take_varint(struct cursor *cursor, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 70 && cursor->at < cursor->end; shift += 7) {
        uint8_t byte = *cursor->at++;
        if (shift < 64)
            *value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

static bool take(struct cursor *cursor, uint64_t len)
{
    if (len > (uint64_t)(cursor->end - cursor->at))
        return false;
    cursor->at += len;
    return true;
}

static enum wire_type wire_type_of(enum edge_type_kind kind)
{
    switch (kind) {
    case EDGE_TYPE_DOUBLE:
    case EDGE_TYPE_FIXED64:
    case EDGE_TYPE_SFIXED64:
        return FIXED64;
    case EDGE_TYPE_FLOAT:
    case EDGE_TYPE_FIXED32:
    case EDGE_TYPE_SFIXED32:
        return FIXED32;
    case EDGE_TYPE_STRING:
    case EDGE_TYPE_BYTES:
    case EDGE_TYPE_MESSAGE:
        return BYTES;
    case EDGE_TYPE_GROUP:
        return GROUP;
    default:
        return VARINT;
    }
}

static const char cut_short[] = "is cut short";

static const char *check(struct cursor *cursor, const struct edge_type *message, uint64_t group,
                         unsigned depth);

// A repeated number's values in one run of bytes.
static const char *check_packed(const struct cursor *cursor, enum wire_type type, uint64_t len)
{
    struct cursor run = {.at = cursor->at, .end = cursor->at + len};
    uint64_t value;
    if (type == FIXED64 || type == FIXED32)
        return len % (type == FIXED64 ? 8 : 4) == 0 ? NULL : "is a packed field with a part left";
    while (run.at < run.end) {
        if (!take_varint(&run, &value))
            return "is a packed field with a part left";
    }
    return NULL;
}

static const char *check_bytes(struct cursor *cursor, const struct edge_type_field *field,
                               unsigned depth)
{
    uint64_t len;
    if (!take_varint(cursor, &len) || len > (uint64_t)(cursor->end - cursor->at))
        return cut_short;
    const char *fault = NULL;
    if (field == NULL) {
        fault = NULL;
    } else if (field->kind == EDGE_TYPE_MESSAGE) {
        struct cursor inner = {.at = cursor->at, .end = cursor->at + len, .field = field};
        fault = check(&inner, field->type, 0, depth + 1);
        cursor->field = inner.field;
    } else if (field->kind == EDGE_TYPE_STRING) {
        fault = field->utf8 && !edge_utf8_valid(cursor->at, (size_t)len) ? "is not UTF-8" : NULL;
    } else if (field->kind != EDGE_TYPE_BYTES) {
        fault = check_packed(cursor, wire_type_of(field->kind), len);
    }
    cursor->at += len;
    return fault;
}

// The value behind a tag. `field` is NULL if it is unknown.
static const char *check_value(struct cursor *cursor, const struct edge_type_field *field,
                               uint64_t number, unsigned type, unsigned depth)
{
    uint64_t value;
    if (field != NULL) {
        enum wire_type expected = wire_type_of(field->kind);
        bool packed = type == BYTES && field->repeated && expected != GROUP;
        if (type != expected && !packed)
            return "has another wire type than its field";
    }
    switch (type) {
    case VARINT:
        return take_varint(cursor, &value) ? NULL : cut_short;
    case FIXED64:
        return take(cursor, 8) ? NULL : cut_short;
    case FIXED32:
        return take(cursor, 4) ? NULL : cut_short;
    case BYTES:
        return check_bytes(cursor, field, depth);
    case GROUP:
        return check(cursor, field != NULL ? field->type : NULL, number, depth + 1);
    default:
        return "has a wire type that does not exist";
    }
}

// Fields up to the end of the bytes, or of group number `group` (0: none). `message` may be NULL.
static const char *check(struct cursor *cursor, const struct edge_type *message, uint64_t group,
                         unsigned depth)
{
    if (depth > DEPTH_MAX)
        return "is nested too deeply";
    const struct edge_type_field *outer = cursor->field;
    while (cursor->at < cursor->end) {
        uint64_t tag;
        cursor->field = outer;
        if (!take_varint(cursor, &tag))
            return cut_short;
        uint64_t number = tag >> 3;
        if (number == 0 || number > 0x1fffffff)
            return "has a field number that does not exist";
        if ((tag & 7) == GROUP_END)
            return number == group ? NULL : "ends a group that did not begin";
        const struct edge_type_field *field =
            message != NULL ? edge_type_find(message, (uint32_t)number) : NULL;
        if (field != NULL)
            cursor->field = field;
        const char *fault = check_value(cursor, field, number, (unsigned)(tag & 7), depth);
        if (fault != NULL)
            return fault;
    }
    cursor->field = outer;
    return group == 0 ? NULL : cut_short;
}

const char *edge_type_check(const struct edge_type *message, const uint8_t *bytes, size_t len,
                            const struct edge_type_field **field)
{
    *field = NULL;
    if (len == 0)
        return NULL; // `bytes` may be NULL then
    struct cursor cursor = {.at = bytes, .end = bytes + len};
    const char *fault = check(&cursor, message, 0, 0);
    if (fault != NULL)
        *field = cursor.field;
    return fault;
}
