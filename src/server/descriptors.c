#include "server/descriptors.h"

#include <stdbool.h>
#include <string.h>

#include "grpc/protobuf.h"

// What a definition may hold; field numbers are those of google/protobuf/descriptor.proto.
enum kind { LEAF, MESSAGE, SERVICE };

static const struct row {
    enum kind outer;
    uint32_t field;
    enum kind inner;
} rows[] = {
    {MESSAGE, 2, LEAF},    // field
    {MESSAGE, 3, MESSAGE}, // nested_type
    {MESSAGE, 4, LEAF},    // enum_type
    {SERVICE, 2, LEAF},    // method
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

#define DEFINITION_NAME 1u
#define SET_FILE        1u
#define FILE_NAME       1u
#define FILE_PACKAGE    2u
#define FILE_MESSAGE    4u
#define FILE_ENUM       5u
#define FILE_SERVICE    6u

// The (last) field `number` of a message; len 0 if there is none.
static struct edge_protobuf_field find(const uint8_t *bytes, size_t len, uint32_t number)
{
    struct edge_protobuf_field field;
    struct edge_protobuf_field found = {.len = 0};
    while (edge_protobuf_next(&bytes, &len, &field) > 0)
        if (field.number == number)
            found = field;
    return found;
}

// Drops "name" and the dot after it from the symbol. False if it does not begin so.
static bool strip(const struct edge_protobuf_field *name, const char **symbol, size_t *len)
{
    if (name->len == 0 || name->len > *len || memcmp(name->bytes, *symbol, name->len) != 0)
        return false;
    *symbol += name->len;
    *len -= name->len;
    if (*len == 0)
        return true;
    if (**symbol != '.')
        return false;
    (*symbol)++;
    (*len)--;
    return *len > 0;
}

// As deep as the embedded definitions nest.
static bool defines(enum kind kind, const struct edge_protobuf_field *definition,
                    const char *symbol, size_t len)
{
    struct edge_protobuf_field name = find(definition->bytes, definition->len, DEFINITION_NAME);
    if (!strip(&name, &symbol, &len))
        return false;
    if (len == 0)
        return true;
    const uint8_t *bytes = definition->bytes;
    size_t left = definition->len;
    struct edge_protobuf_field field;
    while (edge_protobuf_next(&bytes, &left, &field) > 0)
        for (size_t i = 0; i < ROWS; i++)
            if (rows[i].outer == kind && rows[i].field == field.number &&
                defines(rows[i].inner, &field, symbol, len))
                return true;
    return false;
}

// All our files have a package.
static bool file_defines(const struct edge_protobuf_field *file, const char *symbol, size_t len)
{
    struct edge_protobuf_field package = find(file->bytes, file->len, FILE_PACKAGE);
    if (!strip(&package, &symbol, &len) || len == 0)
        return false;
    const uint8_t *bytes = file->bytes;
    size_t left = file->len;
    struct edge_protobuf_field field;
    while (edge_protobuf_next(&bytes, &left, &field) > 0) {
        bool found = (field.number == FILE_MESSAGE && defines(MESSAGE, &field, symbol, len)) ||
                     (field.number == FILE_ENUM && defines(LEAF, &field, symbol, len)) ||
                     (field.number == FILE_SERVICE && defines(SERVICE, &field, symbol, len));
        if (found)
            return true;
    }
    return false;
}

static bool file_is_named(const struct edge_protobuf_field *file, const char *name, size_t len)
{
    struct edge_protobuf_field found = find(file->bytes, file->len, FILE_NAME);
    return found.len == len && memcmp(found.bytes, name, len) == 0;
}

static struct edge_descriptor_file search(bool (*matches)(const struct edge_protobuf_field *,
                                                          const char *, size_t),
                                          const char *text, size_t len)
{
    const uint8_t *bytes = edge_descriptor_set;
    size_t left = edge_descriptor_set_size;
    struct edge_protobuf_field file;
    while (len > 0 && edge_protobuf_next(&bytes, &left, &file) > 0)
        if (file.number == SET_FILE && matches(&file, text, len))
            return (struct edge_descriptor_file){file.bytes, file.len};
    return (struct edge_descriptor_file){NULL, 0};
}

struct edge_descriptor_file edge_descriptors_by_name(const void *name, size_t len)
{
    return search(file_is_named, name, len);
}

struct edge_descriptor_file edge_descriptors_by_symbol(const void *symbol, size_t len)
{
    return search(file_defines, symbol, len);
}
