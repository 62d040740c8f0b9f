// Types of protobuf messages as tables, whatever they were read from: what JSON has to fit, and
// what the bytes of every reply are checked against.
#ifndef EDGE_LOAD_TYPE_H
#define EDGE_LOAD_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As FieldDescriptorProto.Type of descriptor.proto numbers them.
enum edge_type_kind {
    EDGE_TYPE_DOUBLE = 1,
    EDGE_TYPE_FLOAT,
    EDGE_TYPE_INT64,
    EDGE_TYPE_UINT64,
    EDGE_TYPE_INT32,
    EDGE_TYPE_FIXED64,
    EDGE_TYPE_FIXED32,
    EDGE_TYPE_BOOL,
    EDGE_TYPE_STRING,
    EDGE_TYPE_GROUP,
    EDGE_TYPE_MESSAGE,
    EDGE_TYPE_BYTES,
    EDGE_TYPE_UINT32,
    EDGE_TYPE_ENUM,
    EDGE_TYPE_SFIXED32,
    EDGE_TYPE_SFIXED64,
    EDGE_TYPE_SINT32,
    EDGE_TYPE_SINT64,
};

struct edge_type_field {
    uint32_t number;
    enum edge_type_kind kind;
    bool repeated;                // maps included
    bool map;                     // `type` is the entry: fields 1 (key) and 2 (value)
    bool utf8;                    // a string that must be UTF-8, as proto3 wants it
    const char *name;             // as in the proto
    const char *json_name;        // as in JSON: lowerCamelCase
    const struct edge_type *type; // of a message or a group
    const char *const *names;     // of an enum's values; ends with NULL
};

struct edge_type {
    const char *name; // "pkg.Message"
    const struct edge_type_field *fields;
    size_t field_count; // in the order of their numbers
};

// The field with this number, or NULL.
const struct edge_type_field *edge_type_find(const struct edge_type *message, uint32_t number);

// Checks that bytes[len] are an encoded message of this type, nested ones included: tags, wire
// types, lengths, and UTF-8. Unknown fields are allowed, as protobuf does; a known field with
// another wire type is not. Returns NULL, or what is wrong; then *field is the innermost field it
// is wrong with, or NULL if that is not known.
const char *edge_type_check(const struct edge_type *message, const uint8_t *bytes, size_t len,
                            const struct edge_type_field **field);

#endif
