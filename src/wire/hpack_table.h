// The static table of header compression (RFC 7541 appendix A).
#ifndef EDGE_WIRE_HPACK_TABLE_H
#define EDGE_WIRE_HPACK_TABLE_H

#include "wire/hpack.h"

struct edge_hpack_entry {
    const char *name, *value;
};

extern const struct edge_hpack_entry edge_hpack_table[EDGE_HPACK_STATIC + 1];

#endif
