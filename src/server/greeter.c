// helloworld.Greeter and hellobench.Greeter, whatever the codec.

#include <string.h>

#include "server/services.h"

#define REPLIES_DEFAULT 10

static struct edge_services *services_of(struct edge_call *call)
{
    return call->shared->context;
}

// Decodes a request into the emptied arena.
static const void *decode(struct edge_call *call, const uint8_t *bytes, size_t len,
                          int32_t *replies)
{
    struct edge_services *services = services_of(call);
    edge_arena_reset(&services->arena);
    return services->codec->decode_request(call, &services->arena, bytes, len, replies);
}

static void say_hello(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_services *services = services_of(call);
    int32_t replies;
    const void *request = decode(call, bytes, len, &replies);
    if (request != NULL)
        services->codec->reply(call, &services->arena, request, NULL);
}

// A request that is still needed after its message() has returned.
struct kept {
    uint8_t *bytes; // from the call's pool
    size_t len;
    int32_t replies;
};

static bool keep(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct kept *kept = call->state;
    if (!edge_call_keep(call, len))
        return false;
    uint8_t *copy = edge_pool_realloc(call->shared->pool, kept->bytes, len);
    if (copy == NULL) {
        edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return false;
    }
    memcpy(copy, bytes, len);
    kept->bytes = copy;
    kept->len = len;
    return true;
}

static void forget(struct edge_call *call)
{
    struct kept *kept = call->state;
    edge_pool_release(call->shared->pool, kept->bytes);
    kept->bytes = NULL;
}

static void say_hellos(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    int32_t replies;
    if (decode(call, bytes, len, &replies) == NULL)
        return;
    if (replies < 0) {
        edge_call_end(call, EDGE_STATUS_INVALID_ARGUMENT,
                      "replies is %d: expected 0 (which means %d) or more", (int)replies,
                      REPLIES_DEFAULT);
        return;
    }
    if (keep(call, bytes, len))
        ((struct kept *)call->state)->replies = replies == 0 ? REPLIES_DEFAULT : replies;
}

// The replies come from say_hellos_produce().
static void say_hellos_half_close(struct edge_call *call)
{
    (void)call;
}

// A few replies at a time, so that a million of them take no memory.
static void say_hellos_produce(struct edge_call *call)
{
    struct edge_services *services = services_of(call);
    struct kept *kept = call->state;
    int32_t replies;
    const void *request = decode(call, kept->bytes, kept->len, &replies);
    if (request == NULL)
        return;
    while (kept->replies > 0 && !edge_call_full(call) && !call->ended) {
        services->codec->reply(call, &services->arena, request, NULL);
        kept->replies--;
    }
    if (kept->replies == 0)
        edge_call_end(call, EDGE_STATUS_OK, NULL);
}

static void say_hello_cs(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    int32_t replies;
    if (decode(call, bytes, len, &replies) != NULL)
        keep(call, bytes, len);
}

static void say_hello_cs_half_close(struct edge_call *call)
{
    struct edge_services *services = services_of(call);
    struct kept *kept = call->state;
    int32_t replies;
    const int32_t count = call->requests > INT32_MAX ? INT32_MAX : (int32_t)call->requests;
    static const uint8_t none[1]; // no request at all is as an empty one
    const uint8_t *bytes = kept->bytes != NULL ? kept->bytes : none;
    const void *request = decode(call, bytes, kept->len, &replies);
    if (request == NULL)
        return;
    services->codec->reply(call, &services->arena, request, count == 0 ? NULL : &count);
    edge_call_end(call, EDGE_STATUS_OK, NULL);
}

static void say_empty(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_services *services = services_of(call);
    edge_arena_reset(&services->arena);
    services->codec->echo_empty(call, &services->arena, bytes, len);
}

static void say_something(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_services *services = services_of(call);
    edge_arena_reset(&services->arena);
    services->codec->echo_something(call, &services->arena, bytes, len);
}

const struct edge_method edge_greeter_methods[] = {
    {.path = "/helloworld.Greeter/SayHello", .message = say_hello},
    {.path = "/helloworld.Greeter/SayHellos",
     .server_streams = true,
     .state_size = sizeof(struct kept),
     .message = say_hellos,
     .half_close = say_hellos_half_close,
     .produce = say_hellos_produce,
     .closed = forget},
    {.path = "/helloworld.Greeter/SayHelloCS",
     .client_streams = true,
     .state_size = sizeof(struct kept),
     .message = say_hello_cs,
     .half_close = say_hello_cs_half_close,
     .closed = forget},
    {.path = "/helloworld.Greeter/SayHelloBidi",
     .client_streams = true,
     .server_streams = true,
     .message = say_hello},
    {.path = "/hellobench.Greeter/SayEmpty", .message = say_empty},
    {.path = "/hellobench.Greeter/SaySomething", .message = say_something},
    {.path = NULL},
};
