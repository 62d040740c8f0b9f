// A method that is none of the built-in contract's: what its calls send, and what is known of its
// replies. Its description comes from the user's files, or from the server (load/reflect.h).
#ifndef EDGE_LOAD_SERVICE_H
#define EDGE_LOAD_SERVICE_H

#include "load/data.h"
#include "load/payload.h"
#include "load/schema.h"

struct edge_service {
    struct edge_schema *schema; // owned; NULL: the tables below are the program's
    struct edge_data data;
    const struct edge_type *reply;
    // Is given each good reply, if not NULL: see load/verify.h.
    void (*take)(void *context, const uint8_t *bytes, size_t len);
    void *take_context;
};

// What the user gave as data; at most one of json and bytes.
struct edge_service_data {
    const char *name;     // of its source, in messages
    const char *json;     // NULL: none
    const uint8_t *bytes; // NULL: none
    size_t len;
    uint64_t seed;
};

// Makes a payload of the schema's method `call`; without data it sends an empty message. Takes the
// schema: it belongs to the payload then, and is freed if this fails. 0; -ENOMEM;
// EDGE_ERR_NOT_FOUND, EDGE_ERR_FORMAT and EDGE_ERR_LIMIT with a message.
int edge_service_payload_take(struct edge_payload *payload, struct edge_schema *schema,
                              const char *call, const struct edge_service_data *data,
                              struct edge_message *message);

// NULL is allowed.
void edge_service_del(struct edge_service *service);

#endif
