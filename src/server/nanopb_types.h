// What nanopb's generated structs hold for strings and pets: proto/*.options name these types.
#ifndef EDGE_SERVER_NANOPB_TYPES_H
#define EDGE_SERVER_NANOPB_TYPES_H

#include <stddef.h>
#include <stdint.h>

// A string; not terminated. When decoded it lies in the message that was decoded.
struct edge_nanopb_text {
    const uint8_t *bytes;
    size_t len;
};

// The generator's tags.
struct _helloworld_Hello;
struct _helloworld_Pet;

// A repeated Pet, in an arena.
struct edge_nanopb_pets {
    struct _helloworld_Pet *items;
    size_t count;
    size_t cap;
};

#endif
