// gRPC status codes (gRPC's statuscodes.md).
#ifndef EDGE_GRPC_STATUS_H
#define EDGE_GRPC_STATUS_H

#include <stddef.h>

enum edge_status {
    EDGE_STATUS_OK = 0,
    EDGE_STATUS_CANCELLED = 1,
    EDGE_STATUS_UNKNOWN = 2,
    EDGE_STATUS_INVALID_ARGUMENT = 3,
    EDGE_STATUS_DEADLINE_EXCEEDED = 4,
    EDGE_STATUS_NOT_FOUND = 5,
    EDGE_STATUS_ALREADY_EXISTS = 6,
    EDGE_STATUS_PERMISSION_DENIED = 7,
    EDGE_STATUS_RESOURCE_EXHAUSTED = 8,
    EDGE_STATUS_FAILED_PRECONDITION = 9,
    EDGE_STATUS_ABORTED = 10,
    EDGE_STATUS_OUT_OF_RANGE = 11,
    EDGE_STATUS_UNIMPLEMENTED = 12,
    EDGE_STATUS_INTERNAL = 13,
    EDGE_STATUS_UNAVAILABLE = 14,
    EDGE_STATUS_DATA_LOSS = 15,
    EDGE_STATUS_UNAUTHENTICATED = 16,
};
#define EDGE_STATUS_CODES 17

// "DEADLINE_EXCEEDED"; "UNKNOWN" for a code that does not exist. Static storage.
const char *edge_status_name(int status);

// The decimal form that goes into grpc-status, "0" ... "16" ("2" for a code that does not exist).
// Static storage.
const char *edge_status_digits(int status);

// Parses a grpc-status value. The code (0 ... INT_MAX: peers may use codes of their own), or
// EDGE_ERR_FORMAT (not decimal digits, or it does not fit).
int edge_status_parse(const char *text, size_t len);

#endif
