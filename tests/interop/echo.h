// connectrpc.conformance.v1.ConformanceService: see echo.c.
#ifndef EDGE_INTEROP_ECHO_H
#define EDGE_INTEROP_ECHO_H

#include "grpc/method.h"

// A table that ends with a row whose path is NULL.
extern const struct edge_method edge_echo_methods[];

#endif
