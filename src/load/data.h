// The messages that calls of any method send, from JSON or as they are.
#ifndef EDGE_LOAD_DATA_H
#define EDGE_LOAD_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "load/payload.h"
#include "load/schema.h"

// `given` messages, `count` / given rounds of them: more than one round if they hold texts of
// varied length, which are encoded ahead.
struct edge_data {
    struct edge_template *messages;
    size_t count;
    size_t given; // >= 1
};

// Reads an object, or an array of objects, as messages of this type; load/placeholder.h has what
// may vary in them. `name` stands in messages. 0; -ENOMEM; EDGE_ERR_FORMAT with a message
// "NAME:LINE: PATH: expected ...; found ..."; EDGE_ERR_LIMIT.
int edge_data_from_json(struct edge_data *data, struct edge_schema *schema,
                        const struct edge_type *type, const char *name, const char *json,
                        size_t len, uint64_t seed, struct edge_message *message);

// Takes bytes[len] as one encoded message of this type. 0; -ENOMEM; EDGE_ERR_FORMAT with a message.
int edge_data_from_binary(struct edge_data *data, const struct edge_type *type, const char *name,
                          const uint8_t *bytes, size_t len, struct edge_message *message);

// Safe twice.
void edge_data_free(struct edge_data *data);

// Which of them is next: calls that send one message take all in turn; a stream sends the given
// ones in their order, and over again. `number` is the message's own, `index` its place in its
// stream.
static inline size_t edge_data_pick(size_t given, size_t count, bool streams, uint64_t number,
                                    uint64_t index)
{
    if (!streams)
        return (size_t)(number % count);
    return (size_t)(number % (count / given) * given + index % given);
}

#endif
