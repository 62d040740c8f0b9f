// What calls send, ready made: each message with its prefix, packed once where that is possible.
#ifndef EDGE_LOAD_OUTGOING_H
#define EDGE_LOAD_OUTGOING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "grpc/gzip.h"
#include "load/framed.h"
#include "load/payload.h"

struct edge_outgoing {
    struct edge_framed *messages;
    size_t count, given; // see load/data.h
    bool streams;        // a call sends several
    bool gzip;           // and each packed
    bool stamped;        // with timestamps in them
    uint64_t seed;       // of random fields
};

// 0; -ENOMEM; EDGE_ERR_LIMIT.
int edge_outgoing_init(struct edge_outgoing *outgoing, const struct edge_payload *payload,
                       bool gzip, uint64_t seed);
// Safe twice.
void edge_outgoing_free(struct edge_outgoing *outgoing);

// One thread's memory for a message that is packed as it is sent. All zero is the start.
struct edge_outgoing_scratch {
    struct edge_gzip gzip;
    struct edge_buffer bytes;
};
// Safe twice.
void edge_outgoing_scratch_free(struct edge_outgoing_scratch *scratch);

// One message of one call.
struct edge_outgoing_message {
    const struct edge_framed *framed;
    struct edge_patch_values values;
    const uint8_t *packed; // all of it, in the scratch memory; NULL: made from `framed`
    size_t len;            // with the prefix
};

// Message `index` of a call, with the number and time that it is filled with; the same arguments
// give the same bytes, so that a message may be sent in parts. `scratch` serves one message at a
// time. 0 or -ENOMEM.
int edge_outgoing_take(const struct edge_outgoing *outgoing, uint64_t number, uint64_t index,
                       uint64_t wall_ns, struct edge_outgoing_scratch *scratch,
                       struct edge_outgoing_message *message);

// Writes bytes [from, from + len) of it.
void edge_outgoing_copy(const struct edge_outgoing_message *message, size_t from, uint8_t *out,
                        size_t len);

#endif
