// What the two interop servers differ in: one protobuf library's view of interop.proto.
//
// As in server/greeter_codec.h, a codec that cannot decode ends the call with the right status.
#ifndef EDGE_INTEROP_CODEC_H
#define EDGE_INTEROP_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "grpc/call.h"

#define EDGE_INTEROP_REPLIES 32 // that one request may ask for; also in interop.options

// A BoolValue, which may be absent.
enum edge_interop_choice { EDGE_INTEROP_UNSAID, EDGE_INTEROP_NO, EDGE_INTEROP_YES };

// A reply that a request asks for.
struct edge_interop_reply {
    int32_t size; // of its payload
    int32_t interval_us;
    enum edge_interop_choice compressed;
};

// What the service wants to know of a request, whatever its type. Texts are borrowed from the arena
// or from the encoded request.
struct edge_interop_request {
    int32_t response_type;
    size_t payload_len;
    enum edge_interop_choice expect_compressed; // the request itself
    int32_t status;                             // 0: none is asked for
    const char *status_text;                    // not terminated
    size_t status_text_len;
    struct edge_interop_reply replies[EDGE_INTEROP_REPLIES];
    size_t reply_count;
};

// False: the call has ended. *request is zeroed before.
typedef bool edge_interop_decode(struct edge_call *call, struct edge_arena *arena,
                                 const uint8_t *bytes, size_t len,
                                 struct edge_interop_request *request);
// Queues a reply whose payload is that many zero bytes.
typedef void edge_interop_encode(struct edge_call *call, struct edge_arena *arena, size_t size);

struct edge_interop_codec {
    edge_interop_decode *empty;
    edge_interop_decode *simple; // one reply
    edge_interop_decode *streaming_input;
    edge_interop_decode *streaming_output;
    edge_interop_encode *reply_empty; // `size` is ignored
    edge_interop_encode *reply_simple;
    edge_interop_encode *reply_output;
    edge_interop_encode *reply_aggregated; // `size` is the answer
};

// Of the library that the program is linked with.
extern const struct edge_interop_codec edge_interop_codec;

#endif
