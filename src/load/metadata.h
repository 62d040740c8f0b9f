// Metadata of the user's: a JSON object of names and values, checked and made ready for headers.
#ifndef EDGE_LOAD_METADATA_H
#define EDGE_LOAD_METADATA_H

#include <stddef.h>

#include "base/error.h"

#define EDGE_METADATA_MAX 64u

struct edge_header {
    const char *name, *value;
};

struct edge_metadata {
    struct edge_header list[EDGE_METADATA_MAX];
    size_t count;
    char *texts; // what the list points into
};

// Reads {"name": "value", "name-bin": "base64", "again": ["one", "two"]}. Names become lower case;
// values of names in -bin are base64, padded or not, and go out without padding. `source` stands in
// messages. 0; -ENOMEM; EDGE_ERR_FORMAT with a message "SOURCE:LINE: ...".
int edge_metadata_from_json(struct edge_metadata *metadata, const char *source, const char *json,
                            size_t len, struct edge_message *message);
// Safe twice.
void edge_metadata_free(struct edge_metadata *metadata);

#endif
