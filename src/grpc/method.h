// The methods that a server knows: rows of a const table.
#ifndef EDGE_GRPC_METHOD_H
#define EDGE_GRPC_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct edge_call;

// One method. Its functions never block, and answer through grpc/call.h.
struct edge_method {
    const char *path;    // "/helloworld.Greeter/SayHello"
    bool client_streams; // else the client sends exactly one message: the call sees to that
    bool server_streams; // else exactly one reply, which is held back until the client's end
    bool any_request;    // also takes what gRPC refuses, as a GET: for tests of HTTP/2 alone
    bool compresses;     // replies may be compressed: see call->compress
    bool metadata;       // it reads or sets custom metadata: see call->metadata
    size_t state_size;   // zeroed memory in call->state
    // One request message, borrowed. Never NULL.
    void (*message)(struct edge_call *call, const uint8_t *bytes, size_t len);
    // The client has sent all it will. NULL: the call ends with OK.
    void (*half_close)(struct edge_call *call);
    // There is room for more replies, after half_close. NULL: replies come as requests do.
    void (*produce)(struct edge_call *call);
    // The time of edge_call_sleep() has come. NULL: it never sleeps.
    void (*tick)(struct edge_call *call);
    // The call is over, also if it never got far: free what the state holds. NULL: nothing to do.
    void (*closed)(struct edge_call *call);
};

// `tables` is a list of tables that ends with NULL; each table ends with a row whose path is NULL.
// `path` need not be terminated.

// The row of `path`, or NULL.
const struct edge_method *edge_method_find(const struct edge_method *const *tables,
                                           const char *path, size_t len);

// The names of the services, one after the other: `after` is NULL first, then the latest name.
// NULL: there is none left. The rows of a service stand together. Names are not terminated.
const char *edge_method_next_service(const struct edge_method *const *tables, const char *after,
                                     size_t *len);

// True if some row has the service of `path` ("/" service "/" method).
bool edge_method_has_service(const struct edge_method *const *tables, const char *path, size_t len);

#endif
