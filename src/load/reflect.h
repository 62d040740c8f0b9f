// Asks a server for the description of a service: gRPC server reflection, v1, then v1alpha. Each
// question is a load of one call, and so has all that a load has: TLS, metadata, words for
// failures.
#ifndef EDGE_LOAD_REFLECT_H
#define EDGE_LOAD_REFLECT_H

#include "load/load.h"
#include "load/schema.h"

// Of `like` only what leads to the server is used: address, authority, TLS, metadata, time to
// connect. `call` is "pkg.Svc/Method" or "pkg.Svc.Method". 0 and *schema; EDGE_ERR_UNSUPPORTED (no
// reflection there, or none built in); EDGE_ERR_NOT_FOUND (no such service; the message has those
// there are); EDGE_ERR_FORMAT; EDGE_ERR_FAILED (the server cannot be reached, or fails); -ENOMEM.
// All with a message.
int edge_reflect(const struct edge_load_config *like, const char *call, struct edge_schema **schema,
                 struct edge_message *message);

// What one answer (a ServerReflectionResponse) says.
struct edge_reflect_answer {
    uint64_t files;       // added to the schema
    uint64_t error_code;  // a gRPC status; 0: none
    char error_text[128]; // printable
    char services[256];   // "a.B, c.D", as far as they fit
    char nearest[128];    // the one nearest to the wanted; "": none is near
};

// Reads an answer: adds its files to the schema. `wanted` is the service asked for. 0;
// EDGE_ERR_FORMAT with a message; -ENOMEM.
int edge_reflect_read(struct edge_schema *schema, const uint8_t *bytes, size_t len,
                      const char *wanted, struct edge_reflect_answer *answer,
                      struct edge_message *message);

#endif
