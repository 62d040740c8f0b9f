#include "load/json_message.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grpc/protobuf.h"
#include "load/json_text.h"

#define DEPTH_MAX 64

static int put_fixed(struct edge_buffer *out, uint32_t field, enum edge_wire_type type,
                     uint64_t value)
{
    uint8_t bytes[5 + 8];
    uint64_t tag = (uint64_t)field << 3 | (uint64_t)type;
    size_t len = 0, width = type == EDGE_WIRE_FIXED64 ? 8 : 4;
    for (; tag >= 0x80; tag >>= 7)
        bytes[len++] = (uint8_t)(tag | 0x80);
    bytes[len++] = (uint8_t)tag;
    for (size_t i = 0; i < width; i++)
        bytes[len++] = (uint8_t)(value >> (8 * i));
    return edge_buffer_append(out, bytes, len);
}

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value < 0 ? -1 : 0);
}

// A whole number, also as a string of decimal digits. False: it is none, or out of range.
static bool read_signed(const json_t *value, int64_t min, int64_t max, int64_t *number)
{
    if (json_is_integer(value)) {
        *number = json_integer_value(value);
    } else if (json_is_string(value)) {
        char *end;
        const char *text = json_string_value(value);
        errno = 0;
        *number = strtoll(text, &end, 10);
        if (end == text || *end != '\0' || errno != 0 || isspace((unsigned char)*text))
            return false;
    } else {
        return false;
    }
    return *number >= min && *number <= max;
}

static bool read_unsigned(const json_t *value, uint64_t max, uint64_t *number)
{
    if (json_is_integer(value)) {
        if (json_integer_value(value) < 0)
            return false;
        *number = (uint64_t)json_integer_value(value);
    } else if (json_is_string(value)) {
        char *end;
        const char *text = json_string_value(value);
        errno = 0;
        *number = strtoull(text, &end, 10);
        if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0)
            return false;
    } else {
        return false;
    }
    return *number <= max;
}

static bool read_real(const json_t *value, double *number)
{
    if (json_is_number(value)) {
        *number = json_number_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    if (text == NULL)
        return false;
    if (strcmp(text, "NaN") == 0)
        *number = NAN;
    else if (strcmp(text, "Infinity") == 0)
        *number = INFINITY;
    else if (strcmp(text, "-Infinity") == 0)
        *number = -INFINITY;
    else
        return false;
    return true;
}

static int encode_float(const struct edge_json_source *source, const struct edge_json_path *path,
                        uint32_t field, const json_t *value, struct edge_buffer *out)
{
    double number;
    if (!read_real(value, &number) || (isfinite(number) && fabs(number) > 3.4028235677973366e38))
        return edge_json_fail(source, path, "a number that fits a float", value);
    float narrow = (float)number;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    return put_fixed(out, field, EDGE_WIRE_FIXED32, bits);
}

static int encode_double(const struct edge_json_source *source, const struct edge_json_path *path,
                         uint32_t field, const json_t *value, struct edge_buffer *out)
{
    double number;
    if (!read_real(value, &number))
        return edge_json_fail(source, path, "a number", value);
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return put_fixed(out, field, EDGE_WIRE_FIXED64, bits);
}

static int encode_integer(const struct edge_json_source *source, const struct edge_json_path *path,
                          const ProtobufCFieldDescriptor *field, const json_t *value,
                          struct edge_buffer *out)
{
    int64_t number = 0;
    uint64_t whole = 0;
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        if (!read_signed(value, INT32_MIN, INT32_MAX, &number))
            return edge_json_fail(source, path, "a whole number from -2147483648 to 2147483647",
                                  value);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        if (!read_unsigned(value, UINT32_MAX, &whole))
            return edge_json_fail(source, path, "a whole number from 0 to 4294967295", value);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        if (!read_unsigned(value, UINT64_MAX, &whole))
            return edge_json_fail(source, path, "a whole number from 0 to 18446744073709551615",
                                  value);
        break;
    default:
        if (!read_signed(value, INT64_MIN, INT64_MAX, &number))
            return edge_json_fail(source, path, "a whole number of 64 bits", value);
        break;
    }
    switch (field->type) {
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SINT64:
        return edge_protobuf_put_varint(out, field->id, zigzag(number));
    case PROTOBUF_C_TYPE_SFIXED32:
        return put_fixed(out, field->id, EDGE_WIRE_FIXED32, (uint64_t)number);
    case PROTOBUF_C_TYPE_FIXED32:
        return put_fixed(out, field->id, EDGE_WIRE_FIXED32, whole);
    case PROTOBUF_C_TYPE_SFIXED64:
        return put_fixed(out, field->id, EDGE_WIRE_FIXED64, (uint64_t)number);
    case PROTOBUF_C_TYPE_FIXED64:
        return put_fixed(out, field->id, EDGE_WIRE_FIXED64, whole);
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_UINT64:
        return edge_protobuf_put_varint(out, field->id, whole);
    default:
        return edge_protobuf_put_varint(out, field->id, (uint64_t)number);
    }
}

static int encode_enum(const struct edge_json_source *source, const struct edge_json_path *path,
                       const ProtobufCFieldDescriptor *field, const json_t *value,
                       struct edge_buffer *out)
{
    const ProtobufCEnumDescriptor *type = field->descriptor;
    const char *name = json_string_value(value);
    if (name != NULL) {
        const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value_by_name(type, name);
        if (known != NULL)
            return edge_protobuf_put_varint(out, field->id, (uint64_t)(int64_t)known->value);
    }
    int64_t number;
    if (json_is_integer(value) && read_signed(value, INT32_MIN, INT32_MAX, &number))
        return edge_protobuf_put_varint(out, field->id, (uint64_t)number);

    char expected[200] = "one of ";
    size_t len = strlen(expected);
    for (unsigned i = 0; i < type->n_values && len < sizeof(expected); i++)
        len += (size_t)snprintf(expected + len, sizeof(expected) - len, "%s%s", i == 0 ? "" : ", ",
                                type->values[i].name);
    return edge_json_fail(source, path, expected, value);
}

static int encode_object(const struct edge_json_source *source, const struct edge_json_path *path,
                         unsigned depth, const ProtobufCMessageDescriptor *type,
                         const json_t *object, struct edge_buffer *out);

static int encode_submessage(const struct edge_json_source *source,
                             const struct edge_json_path *path, unsigned depth,
                             const ProtobufCFieldDescriptor *field, const json_t *value,
                             struct edge_buffer *out)
{
    struct edge_buffer inner = {0};
    int error = encode_object(source, path, depth + 1, field->descriptor, value, &inner);
    if (error == 0)
        error = edge_protobuf_put_bytes(out, field->id, edge_buffer_head(&inner), inner.len);
    edge_buffer_free(&inner);
    return error;
}

static int encode_value(const struct edge_json_source *source, const struct edge_json_path *path,
                        unsigned depth, const ProtobufCFieldDescriptor *field, const json_t *value,
                        struct edge_buffer *out)
{
    char where[128];
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        return encode_submessage(source, path, depth, field, value, out);
    case PROTOBUF_C_TYPE_STRING:
        if (!json_is_string(value))
            return edge_json_fail(source, path, "a string", value);
        return edge_protobuf_put_bytes(out, field->id, json_string_value(value),
                                       json_string_length(value));
    case PROTOBUF_C_TYPE_BOOL:
        if (!json_is_boolean(value))
            return edge_json_fail(source, path, "true or false", value);
        return edge_protobuf_put_varint(out, field->id, json_is_true(value));
    case PROTOBUF_C_TYPE_FLOAT:
        return encode_float(source, path, field->id, value, out);
    case PROTOBUF_C_TYPE_DOUBLE:
        return encode_double(source, path, field->id, value, out);
    case PROTOBUF_C_TYPE_ENUM:
        return encode_enum(source, path, field, value, out);
    case PROTOBUF_C_TYPE_BYTES:
        return edge_fail(source->message, EDGE_ERR_UNSUPPORTED,
                         "%s:%u: %s: fields of bytes cannot be given as JSON; use --binary-file",
                         source->name, edge_json_line(source->text, source->len, path),
                         edge_json_path_text(path, where, sizeof(where)));
    default:
        return encode_integer(source, path, field, value, out);
    }
}

static int encode_field(const struct edge_json_source *source, const struct edge_json_path *path,
                        unsigned depth, const ProtobufCFieldDescriptor *field, const json_t *value,
                        struct edge_buffer *out)
{
    if (field->label != PROTOBUF_C_LABEL_REPEATED)
        return encode_value(source, path, depth, field, value, out);
    if (!json_is_array(value))
        return edge_json_fail(source, path, "an array", value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct edge_json_path element = {.parent = path, .index = i};
        int error = encode_value(source, &element, depth, field, json_array_get(value, i), out);
        if (error < 0)
            return error;
    }
    return 0;
}

// "some_field" as "someField".
static bool is_camel_of(const char *camel, const char *name)
{
    for (; *name != '\0'; name++, camel++) {
        char want = *name;
        if (want == '_' && name[1] != '\0')
            want = (char)toupper((unsigned char)*++name);
        if (*camel != want)
            return false;
    }
    return *camel == '\0';
}

static const ProtobufCFieldDescriptor *find_field(const ProtobufCMessageDescriptor *type,
                                                  const char *key)
{
    for (unsigned i = 0; i < type->n_fields; i++) {
        const char *name = type->fields[i].name;
        if (strcmp(name, key) == 0 || is_camel_of(key, name))
            return &type->fields[i];
    }
    return NULL;
}

// Every member must be a field, no two of them the same one or alternatives of one oneof.
static int check_members(const struct edge_json_source *source, const struct edge_json_path *path,
                         const ProtobufCMessageDescriptor *type, const json_t *object)
{
    char where[128];
    const char *key;
    json_t *value;
    const char *given[64] = {0};
    json_object_foreach((json_t *)object, key, value)
    {
        struct edge_json_path member = {.parent = path, .key = key};
        unsigned line = edge_json_line(source->text, source->len, &member);
        edge_json_path_text(&member, where, sizeof(where));
        const ProtobufCFieldDescriptor *field = find_field(type, key);
        if (field == NULL) {
            char known[200] = "none";
            size_t len = 0;
            for (unsigned i = 0; i < type->n_fields && len < sizeof(known); i++)
                len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
                                        i == 0 ? "" : ", ", type->fields[i].name);
            return edge_fail(source->message, EDGE_ERR_FORMAT,
                             "%s:%u: %s: expected a field of %s (%s); found \"%.60s\"",
                             source->name, line, where, type->name, known, key);
        }
        if (json_is_null(value))
            continue;
        bool oneof = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
        for (unsigned i = 0; i < type->n_fields && i < 64; i++) {
            const ProtobufCFieldDescriptor *other = &type->fields[i];
            bool rival = oneof && (other->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
                         other->quantifier_offset == field->quantifier_offset;
            if (given[i] != NULL && (other == field || rival))
                return edge_fail(source->message, EDGE_ERR_FORMAT,
                                 "%s:%u: %s: expected only one of \"%s\" and \"%s\"; found both",
                                 source->name, line, where, given[i], key);
            if (other == field)
                given[i] = key;
        }
    }
    return 0;
}

static int encode_object(const struct edge_json_source *source, const struct edge_json_path *path,
                         unsigned depth, const ProtobufCMessageDescriptor *type,
                         const json_t *object, struct edge_buffer *out)
{
    char expected[128];
    if (!json_is_object(object)) {
        snprintf(expected, sizeof(expected), "an object (%s)", type->name);
        return edge_json_fail(source, path, expected, object);
    }
    if (depth > DEPTH_MAX)
        return edge_json_fail(source, path, "at most 64 levels", object);
    int error = check_members(source, path, type, object);
    for (unsigned i = 0; i < type->n_fields && error == 0; i++) {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)object, key, value)
        {
            if (find_field(type, key) != &type->fields[i] || json_is_null(value))
                continue;
            struct edge_json_path member = {.parent = path, .key = key};
            error = encode_field(source, &member, depth, &type->fields[i], value, out);
            if (error < 0)
                return error;
        }
    }
    return error;
}

int edge_json_message(const char *name, const char *text, size_t len,
                      const ProtobufCMessageDescriptor *type, struct edge_buffer *out,
                      struct edge_message *message)
{
    json_error_t parse_error;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &parse_error);
    if (root == NULL)
        return edge_fail(message, EDGE_ERR_FORMAT, "%s:%d: expected a JSON object (%s); found %s",
                         name, parse_error.line > 0 ? parse_error.line : 1, type->name,
                         parse_error.text);
    struct edge_json_source source = {name, text, len, message};
    struct edge_json_path path = {0};
    int error = encode_object(&source, &path, 0, type, root, out);
    json_decref(root);
    return error;
}
