// What the methods of a server share, as they find it in call->shared->context.
#ifndef EDGE_SERVER_SERVICES_H
#define EDGE_SERVER_SERVICES_H

#include "base/buffer.h"
#include "base/pool.h"
#include "grpc/method.h"
#include "server/greeter_codec.h"
#include "server/health.h"

struct edge_services {
    const struct edge_method *const *tables; // see grpc/method.h
    const struct edge_greeter_codec *codec;
    struct edge_arena arena;    // one message at a time: reset before each decode
    struct edge_buffer scratch; // one reply of reflection at a time
    struct edge_health health;
};

// `arena_limit` bounds the memory that one decoded message may take. edge_services_free() it.
void edge_services_init(struct edge_services *services, const struct edge_method *const *tables,
                        const struct edge_greeter_codec *codec, size_t arena_limit);
// After the last call. Safe twice.
void edge_services_free(struct edge_services *services);

// The method tables, each ends with a row whose path is NULL.
extern const struct edge_method edge_greeter_methods[];
extern const struct edge_method edge_health_methods[];
extern const struct edge_method edge_reflection_methods[];

#endif
