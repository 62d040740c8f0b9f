// grpc-timeout: 1 to 8 decimal digits, then one unit of H M S m u n (gRPC over HTTP/2, Timeout).
#ifndef EDGE_GRPC_TIMEOUT_H
#define EDGE_GRPC_TIMEOUT_H

#include <stddef.h>
#include <stdint.h>

#define EDGE_TIMEOUT_TEXT 10 // longest text, with its terminator

// Parses a grpc-timeout value into nanoseconds; what does not fit in 64 bits becomes UINT64_MAX.
// "0n" is valid: already expired. 0 or EDGE_ERR_FORMAT.
int edge_timeout_parse(const char *text, size_t len, uint64_t *timeout_ns);

// Writes the finest unit that needs at most 8 digits, rounding down but never to zero unless
// timeout_ns is zero. Returns the length.
size_t edge_timeout_format(uint64_t timeout_ns, char text[EDGE_TIMEOUT_TEXT]);

// now + timeout, saturating at UINT64_MAX (never).
static inline uint64_t edge_timeout_deadline(uint64_t now_ns, uint64_t timeout_ns)
{
    return timeout_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + timeout_ns;
}

#endif
