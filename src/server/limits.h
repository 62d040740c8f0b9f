// What clients may do to the process, in one place. docs/security.md says why each is as large as
// it is; what a user may want to change is an option.
#ifndef EDGE_SERVER_LIMITS_H
#define EDGE_SERVER_LIMITS_H

#include "base/clock.h"

// A client must take what it was given, at most two reads' worth, in this time.
#define EDGE_LIMIT_WRITE_NS (30 * EDGE_NS_PER_S)
// How often the limits of a connection that are times are looked at.
#define EDGE_LIMIT_SWEEP_S 1
// For the calls of a draining server to end.
#define EDGE_LIMIT_DRAIN_NS (10 * EDGE_NS_PER_S)

// The parts of --max-memory: what calls and sessions hold, TLS included, and what sockets have not
// taken. Beyond the last eighth of the first, no connection is taken any more, so that those there
// are go on.
#define EDGE_LIMIT_POOL_SHARE(bytes)    ((bytes) / 4 * 3)
#define EDGE_LIMIT_PENDING_SHARE(bytes) ((bytes) / 4)
#define EDGE_LIMIT_POOL_FULL(bytes)     ((bytes) / 8 * 7)

// A decoded message may take that many times --max-message, and at least a MiB.
#define EDGE_LIMIT_ARENA_FACTOR 4
#define EDGE_LIMIT_ARENA_MIN    ((size_t)1 << 20)

// Connections that are taken before others are served.
#define EDGE_LIMIT_ACCEPTS 64
// Without accept(), when the kernel has no memory for connections.
#define EDGE_LIMIT_PAUSE_NS (100 * EDGE_NS_PER_MS)

#endif
