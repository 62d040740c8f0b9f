// In place of src/grpc/limits.h, for short_server: the same limits, but times that a test can wait
// for.
#ifndef EDGE_TESTS_SHORT_GRPC_LIMITS_H
#define EDGE_TESTS_SHORT_GRPC_LIMITS_H

#include "../../../../src/grpc/limits.h"

#undef EDGE_LIMIT_OPENING_S
#undef EDGE_LIMIT_SETTINGS_S
#undef EDGE_LIMIT_HEADERS_S
#undef EDGE_LIMIT_REQUEST_S
#undef EDGE_LIMIT_WINDOW_S
#define EDGE_LIMIT_OPENING_S  1
#define EDGE_LIMIT_SETTINGS_S 2
#define EDGE_LIMIT_HEADERS_S  1
#define EDGE_LIMIT_REQUEST_S  1
#define EDGE_LIMIT_WINDOW_S   1

#endif
