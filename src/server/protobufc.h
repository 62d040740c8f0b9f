// protobuf-c's messages in an arena, and how a call ends when they do not decode.
#ifndef EDGE_SERVER_PROTOBUFC_H
#define EDGE_SERVER_PROTOBUFC_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "grpc/call.h"

// Decodes one message; nothing of it is freed but with the arena. NULL: the call has ended, as
// malformed or as too large for the arena's limit.
void *edge_protobufc_unpack(struct edge_call *call, struct edge_arena *arena,
                            const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                            size_t len);

#endif
