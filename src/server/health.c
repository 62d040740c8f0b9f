#include "server/health.h"

#include <string.h>

#include "base/error.h"
#include "grpc/call.h"
#include "grpc/protobuf.h"
#include "grpc/utf8.h"
#include "server/services.h"

#define NAME_MAX_LEN 256u // a longer service name is one that is not here

enum serving_status {
    SERVING = 1,
    NOT_SERVING = 2,
    SERVICE_UNKNOWN = 3,
};

struct edge_health_watcher {
    struct edge_call *call; // NULL: not in the list
    struct edge_health_watcher *next;
    struct edge_health_watcher **link;
    bool known; // its service is one of ours
};

// Reads HealthCheckRequest{string service = 1}: 1 if the service is here, 0 if not, or negative:
// the call has ended.
static int read_request(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    const struct edge_services *services = call->shared->context;
    struct edge_protobuf_field field;
    struct edge_protobuf_field name = {.len = 0};
    int got;
    while ((got = edge_protobuf_next(&bytes, &len, &field)) > 0)
        if (field.number == 1 && field.type == EDGE_WIRE_BYTES)
            name = field;
    if (got < 0) {
        edge_greeter_malformed(call);
        return got;
    }
    if (!edge_utf8_valid(name.bytes, name.len)) {
        edge_greeter_bad_utf8(call);
        return EDGE_ERR_FORMAT;
    }
    if (name.len == 0)
        return 1; // the server as a whole
    if (name.len > NAME_MAX_LEN)
        return 0;
    char path[NAME_MAX_LEN + 2];
    path[0] = '/';
    memcpy(path + 1, name.bytes, name.len);
    path[name.len + 1] = '/';
    return memchr(name.bytes, '/', name.len) == NULL &&
           edge_method_has_service(services->tables, path, name.len + 2);
}

// HealthCheckResponse{ServingStatus status = 1}
static void reply(struct edge_call *call, enum serving_status status)
{
    uint8_t *out = edge_call_reply(call, 2);
    if (out == NULL)
        return;
    out[0] = 1 << 3;
    out[1] = (uint8_t)status;
    edge_call_reply_end(call, 2);
}

static enum serving_status status_of(const struct edge_health *health, bool known)
{
    if (!known)
        return SERVICE_UNKNOWN;
    return health->shutting_down ? NOT_SERVING : SERVING;
}

static void check(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    const struct edge_services *services = call->shared->context;
    int known = read_request(call, bytes, len);
    if (known == 0)
        edge_call_end(call, EDGE_STATUS_NOT_FOUND, "unknown service");
    else if (known > 0)
        reply(call, status_of(&services->health, true));
}

// Appends the entry of one service: HealthListResponse.statuses{string key = 1; HealthCheckResponse
// value = 2} = 1.
static int put_status(struct edge_buffer *out, const char *name, size_t len,
                      enum serving_status status)
{
    const uint8_t response[] = {1 << 3, (uint8_t)status};
    struct edge_buffer entry = {0};
    int error = edge_protobuf_put_bytes(&entry, 1, name, len);
    if (error == 0)
        error = edge_protobuf_put_bytes(&entry, 2, response, sizeof(response));
    if (error == 0)
        error = edge_protobuf_put_bytes(out, 1, edge_buffer_head(&entry), entry.len);
    edge_buffer_free(&entry);
    return error;
}

static void list(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_services *services = call->shared->context;
    struct edge_buffer *out = &services->scratch;
    const enum serving_status status = status_of(&services->health, true);
    struct edge_protobuf_field field;
    int got;
    while ((got = edge_protobuf_next(&bytes, &len, &field)) > 0)
        continue; // it has no fields, but may have those of a later version
    if (got < 0) {
        edge_greeter_malformed(call);
        return;
    }
    out->start = out->len = 0;
    int error = put_status(out, "", 0, status);
    const char *name = NULL;
    size_t name_len = 0;
    while (error == 0 &&
           (name = edge_method_next_service(services->tables, name, &name_len)) != NULL)
        error = put_status(out, name, name_len, status);
    uint8_t *reply = error == 0 ? edge_call_reply(call, out->len) : NULL;
    if (reply == NULL) {
        edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    memcpy(reply, edge_buffer_head(out), out->len);
    edge_call_reply_end(call, out->len);
}

static void watch(struct edge_call *call, const uint8_t *bytes, size_t len)
{
    struct edge_services *services = call->shared->context;
    struct edge_health *health = &services->health;
    struct edge_health_watcher *watcher = call->state;
    int known = read_request(call, bytes, len);
    if (known < 0)
        return;
    reply(call, status_of(health, known > 0));
    if (health->shutting_down) {
        edge_call_end(call, EDGE_STATUS_UNAVAILABLE, "the server is shutting down");
        return;
    }
    *watcher = (struct edge_health_watcher){
        .call = call, .next = health->watchers, .link = &health->watchers, .known = known > 0};
    if (watcher->next != NULL)
        watcher->next->link = &watcher->next;
    health->watchers = watcher;
}

// The call stays open until the client leaves or the server shuts down.
static void watch_half_close(struct edge_call *call)
{
    (void)call;
}

static void watch_closed(struct edge_call *call)
{
    struct edge_health_watcher *watcher = call->state;
    if (watcher->call == NULL)
        return;
    *watcher->link = watcher->next;
    if (watcher->next != NULL)
        watcher->next->link = watcher->link;
    watcher->call = NULL;
}

void edge_health_shutdown(struct edge_health *health)
{
    health->shutting_down = true;
    for (struct edge_health_watcher *watcher = health->watchers; watcher != NULL;
         watcher = watcher->next) {
        struct edge_call *call = watcher->call;
        if (watcher->known)
            reply(call, NOT_SERVING);
        edge_call_end(call, EDGE_STATUS_UNAVAILABLE, "the server is shutting down");
        call->shared->wake(call);
    }
}

const struct edge_method edge_health_methods[] = {
    {.path = "/grpc.health.v1.Health/Check", .message = check},
    {.path = "/grpc.health.v1.Health/List", .message = list},
    {.path = "/grpc.health.v1.Health/Watch",
     .server_streams = true,
     .state_size = sizeof(struct edge_health_watcher),
     .message = watch,
     .half_close = watch_half_close,
     .closed = watch_closed},
    {.path = NULL},
};
