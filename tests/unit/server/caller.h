// Runs calls of the services without HTTP/2.
#ifndef EDGE_TESTS_SERVER_CALLER_H
#define EDGE_TESTS_SERVER_CALLER_H

#include <stddef.h>
#include <stdint.h>

#include "grpc/call.h"
#include "server/services.h"

struct caller {
    struct edge_pool pool;
    struct edge_services services;
    struct edge_call_shared shared;
    struct edge_call call;
    unsigned wakes;
};

// `codec` may be NULL for services that need none.
void caller_open(struct caller *caller, const struct edge_greeter_codec *codec);
void caller_close(struct caller *caller);

// Starts caller->call. Then any number of caller_send(), caller_end(), caller_done().
void caller_start(struct caller *caller, const char *path);
void caller_send(struct caller *caller, const void *bytes, size_t len);
void caller_end(struct caller *caller);
// The next reply, borrowed until the next call of this; NULL: none is there.
const uint8_t *caller_reply(struct caller *caller, size_t *len);
void caller_done(struct caller *caller);

// A whole unary call. Copies the reply to `reply` (cap bytes), returns its length, or minus the
// status if that is not OK.
int caller_unary(struct caller *caller, const char *path, const void *bytes, size_t len,
                 void *reply, size_t cap);

#endif
