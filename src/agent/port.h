// A TCP port for a server that is about to start.
#ifndef EDGE_AGENT_PORT_H
#define EDGE_AGENT_PORT_H

#include <stdint.h>

#include "base/error.h"

// Picks a port on `host` (numeric) that nobody listens on. It lies below the range from which the
// kernel takes ports for outgoing connections: while the server is not up yet, a client that keeps
// connecting to a port of that range may end up connected to itself.
// Returns the port, or a negated errno with a message.
int edge_port_pick(const char *host, struct edge_message *message);

#endif
