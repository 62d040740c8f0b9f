// Base64 (RFC 4648, 4) of "-bin" metadata: taken with or without padding, written without (gRPC
// over HTTP/2, Binary-Header).
#ifndef EDGE_GRPC_BASE64_H
#define EDGE_GRPC_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes that `len` characters decode to at most, and characters that `len` bytes encode to.
#define EDGE_BASE64_DECODED(len) ((len) / 4 * 3 + 2)
#define EDGE_BASE64_ENCODED(len) (((len)*4 + 2) / 3)

// Decodes into out[EDGE_BASE64_DECODED(len)], or only checks if `out` is NULL. 0 and *out_len;
// EDGE_ERR_FORMAT: a character that does not belong, a length that cannot be, wrong padding.
int edge_base64_decode(const char *text, size_t len, uint8_t *out, size_t *out_len);

// Encodes into out[EDGE_BASE64_ENCODED(len)]. Returns the length; nothing is terminated.
size_t edge_base64_encode(const uint8_t *bytes, size_t len, char *out);

// True if every value of a "-bin" field decodes: several may stand in one, with commas between.
bool edge_base64_list_valid(const char *text, size_t len);

#endif
