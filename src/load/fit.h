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
    struct edge_json_source source;
    // Is told of each string with "{{" in it: it stands for a value of `field`. 0, or an error.
    int (*placeholder)(void *context, json_t *string, const struct edge_type_field *field,
                       const struct edge_json_path *path);
    void *context;
};

// 0; what `placeholder` returned; EDGE_ERR_FORMAT with a message "NAME:LINE: PATH: expected ...;
// found ...". What only libprotobuf knows (Timestamp, Any, ... and oneofs) is left to it.
int edge_fit_check(const struct edge_fit *fit, const struct edge_type *type, json_t *value,
                   const struct edge_json_path *path);

#endif
