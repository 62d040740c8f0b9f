// Files of protobuf types and services, from the user or from a server, and JSON to messages of
// those types. This is the C side of libprotobuf, which only schema.cpp knows. A build without it
// has schema_none.c: then edge_schema_available() is false and every other function says so.
//
// Not for use by several threads at once.
#ifndef EDGE_LOAD_SCHEMA_H
#define EDGE_LOAD_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "load/type.h"

struct edge_schema;

struct edge_schema_method {
    const char *service; // "pkg.Svc"
    const char *name;    // "Method"
    bool client_streams, server_streams;
    const struct edge_type *request, *reply;
};

// False: built without libprotobuf. Functions that can fail then return EDGE_ERR_UNSUPPORTED with a
// message that says so.
bool edge_schema_available(void);

// Reads .proto files, and what they import from the `paths` folders, each file's own folder, and
// the types that protobuf itself has. 0 and *schema; EDGE_ERR_FORMAT or EDGE_ERR_NOT_FOUND with a
// message that begins "FILE:LINE:COLUMN: " wherever the place is known.
int edge_schema_from_protos(struct edge_schema **schema, const char *const *files,
                            size_t file_count, const char *const *paths, size_t path_count,
                            struct edge_message *message);

// Reads a FileDescriptorSet, as protoc --descriptor_set_out writes it. `name` stands in messages.
// 0 and *schema, or EDGE_ERR_FORMAT with a message.
int edge_schema_from_set(struct edge_schema **schema, const char *name, const uint8_t *bytes,
                         size_t len, struct edge_message *message);

// An empty schema for edge_schema_add(). 0 or -ENOMEM with a message.
int edge_schema_new(struct edge_schema **schema, struct edge_message *message);
// Adds one FileDescriptorProto; one that is there already is left as it was. 0, or EDGE_ERR_FORMAT
// with a message.
int edge_schema_add(struct edge_schema *schema, const uint8_t *bytes, size_t len,
                    struct edge_message *message);
// The name of a file that another one imports and nobody has added; NULL: none. Valid until the
// next edge_schema_add().
const char *edge_schema_missing(struct edge_schema *schema);

// NULL is allowed.
void edge_schema_del(struct edge_schema *schema);

// Finds "pkg.Svc/Method" or "pkg.Svc.Method". What *method points to lives as long as the schema.
// 0; EDGE_ERR_NOT_FOUND with a message that has the nearest name and those there are;
// EDGE_ERR_FORMAT (the files do not fit together).
int edge_schema_find(struct edge_schema *schema, const char *call,
                     struct edge_schema_method *method, struct edge_message *message);

// Appends the encoding of JSON as a message of this type: protobuf's JSON mapping, maps in the
// order of their keys. 0; -ENOMEM; EDGE_ERR_FORMAT with libprotobuf's own message.
int edge_schema_encode(struct edge_schema *schema, const struct edge_type *type, const char *json,
                       size_t len, struct edge_buffer *out, struct edge_message *message);

#endif
