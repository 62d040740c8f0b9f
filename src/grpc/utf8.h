// UTF-8 (RFC 3629). proto3 strings must be valid; neither protobuf-c nor Debian's nanopb checks.
#ifndef EDGE_GRPC_UTF8_H
#define EDGE_GRPC_UTF8_H

#include <stdbool.h>
#include <stddef.h>

// True if all `len` bytes are well-formed: no overlong forms, no surrogates, nothing above
// U+10FFFF.
bool edge_utf8_valid(const void *text, size_t len);

#endif
