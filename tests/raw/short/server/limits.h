// In place of src/server/limits.h, for short_server.
#ifndef EDGE_TESTS_SHORT_SERVER_LIMITS_H
#define EDGE_TESTS_SHORT_SERVER_LIMITS_H

#include "../../../../src/server/limits.h"

#undef EDGE_LIMIT_WRITE_NS
#define EDGE_LIMIT_WRITE_NS EDGE_NS_PER_S

#endif
