// Does JSON fit a message type? Asked before libprotobuf encodes it, because its messages say less,
// and differ from release to release: here each names line, path and value.
#ifndef EDGE_LOAD_FIT_H
#define EDGE_LOAD_FIT_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "load/json_text.h"
#include "load/type.h"

struct edge_fit {
    const char *name; // of the JSON's source, in messages
    const char *text; // the JSON
    size_t len;
    // Is told of each string with "{{" in it: it stands for a value of `field`. 0, or an error.
    int (*placeholder)(void *context, json_t *string, const struct edge_type_field *field,
                       const struct edge_json_path *path);
    void *context;
    struct edge_message *message;
};

// 0; what `placeholder` returned; EDGE_ERR_FORMAT with a message "NAME:LINE: PATH: expected ...;
// found ...". What only libprotobuf knows (Timestamp, Any, ... and oneofs) is left to it.
int edge_fit_check(const struct edge_fit *fit, const struct edge_type *type, json_t *value,
                   const struct edge_json_path *path);

// Writes such a message. Returns EDGE_ERR_FORMAT.
int edge_fit_fail(const struct edge_fit *fit, const struct edge_json_path *path,
                  const char *expected, const json_t *found);

#endif
