// Percent-encoding of grpc-message (gRPC over HTTP/2, Status-Message).
#ifndef EDGE_GRPC_PERCENT_H
#define EDGE_GRPC_PERCENT_H

#include <stddef.h>

// Encodes `len` bytes of UTF-8: 0x20 ... 0x7E except '%' stay, all others become %XX. What does
// not fit in `cap` is cut at a whole character. Returns the length; nothing is terminated.
size_t edge_percent_encode(const char *text, size_t len, char *out, size_t cap);

// Decodes leniently, as clients must: a '%' that two hex digits do not follow stays as it is.
// Writes at most `cap` bytes. Returns the length; nothing is terminated.
size_t edge_percent_decode(const char *text, size_t len, char *out, size_t cap);

#endif
