// Finds a string inside an encoded protobuf message.
#ifndef EDGE_LOAD_WIRE_WALK_H
#define EDGE_LOAD_WIRE_WALK_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Looks, depth first, for the first string field of a message whose first bytes can be replaced:
// at least EDGE_WALK_ENOUGH bytes long, else the first of any length above 0, and ASCII as far as
// `max` bytes. True: *at is its offset in `bytes` and *len how many of its bytes (<= max) that is.
#define EDGE_WALK_ENOUGH 4u
bool edge_wire_walk_string(const ProtobufCMessageDescriptor *type, const uint8_t *bytes,
                           size_t bytes_len, size_t max, size_t *at, size_t *len);

#endif
