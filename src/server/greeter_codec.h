// What the servers differ in: one protobuf library's view of the Greeter messages.
//
// A codec decodes into its library's typed message, builds a new typed reply and encodes that.
// On malformed input, invalid UTF-8, or too much memory it ends the call with the right status.
#ifndef EDGE_SERVER_GREETER_CODEC_H
#define EDGE_SERVER_GREETER_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "grpc/call.h"

struct edge_greeter_codec {
    const char *name; // "nanopb"
    // Decodes a helloworld.HelloRequest. The typed message lives in `arena` and may point into
    // `bytes`. NULL: the call has ended. *replies is the field of that name.
    const void *(*decode_request)(struct edge_call *call, struct edge_arena *arena,
                                  const uint8_t *bytes, size_t len, int32_t *replies);
    // Queues a helloworld.HelloReply with the Hello of that request; `n` replaces Hello.n unless
    // NULL.
    void (*reply)(struct edge_call *call, struct edge_arena *arena, const void *request,
                  const int32_t *n);
    // hellobench: decodes one message, queues a new one of the same contents.
    void (*echo_empty)(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                       size_t len);
    void (*echo_something)(struct edge_call *call, struct edge_arena *arena, const uint8_t *bytes,
                           size_t len);
};

// How a codec ends a call, in the same words for all.
static inline void edge_greeter_malformed(struct edge_call *call)
{
    edge_call_end(call, EDGE_STATUS_INTERNAL, "malformed protobuf message");
}
static inline void edge_greeter_bad_utf8(struct edge_call *call)
{
    edge_call_end(call, EDGE_STATUS_INTERNAL, "a string field is not valid UTF-8");
}
static inline void edge_greeter_too_large(struct edge_call *call)
{
    edge_call_end(call, EDGE_STATUS_RESOURCE_EXHAUSTED,
                  "the decoded message takes more memory than the limit");
}

extern const struct edge_greeter_codec edge_greeter_nanopb;
extern const struct edge_greeter_codec edge_greeter_protobufc;

#endif
