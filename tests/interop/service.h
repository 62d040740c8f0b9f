// grpc.testing.TestService, the server's side of gRPC's interoperability cases; and a page for
// tests that speak HTTP/2 but no gRPC.
#ifndef EDGE_INTEROP_SERVICE_H
#define EDGE_INTEROP_SERVICE_H

#include "grpc/method.h"

#define EDGE_INTEROP_PAGE "/edge.testing.Page/Get"

// A table that ends with a row whose path is NULL.
extern const struct edge_method edge_interop_methods[];

#endif
