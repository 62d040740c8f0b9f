// Where a value stands in JSON text: the parser forgets it, and an error message needs it.
#ifndef EDGE_LOAD_JSON_TEXT_H
#define EDGE_LOAD_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

// A path into a JSON value, from the leaf up: request.pets[0].color.
struct edge_json_path {
    const struct edge_json_path *parent; // NULL: this is the root
    const char *key;                     // member of an object, or NULL: element of an array
    size_t index;
};

struct edge_json_source {
    const char *name; // in messages
    const char *text;
    size_t len;
    struct edge_message *message;
};

// The line, from 1, on which the member or element begins. `text` must be valid JSON. If the path
// is not found, the line of the part that was.
unsigned edge_json_line(const char *text, size_t len, const struct edge_json_path *path);

// Writes the path as people write it; "the request" for the root. Returns out.
const char *edge_json_path_text(const struct edge_json_path *path, char *out, size_t size);

// Writes "NAME:LINE: PATH: expected EXPECTED; found VALUE". Returns EDGE_ERR_FORMAT.
int edge_json_fail(const struct edge_json_source *source, const struct edge_json_path *path,
                   const char *expected, const json_t *found);

#endif
