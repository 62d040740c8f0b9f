// What TLS costs a server beside the calls: memory of connections, and handshakes.
#ifndef EDGE_RUN_HANDSHAKES_H
#define EDGE_RUN_HANDSHAKES_H

#include "run/follow.h"

// With TLS: holds the connections open for a moment, without a call, as a span "connected", whose
// last sample tells the memory. Nothing without. 0 or an error of edge_follow_turn().
int edge_handshakes_hold(struct edge_follow *follow);

// With TLS: opens connections as fast as the server lets, for --handshakes each, as the spans
// "handshakes_full" and "handshakes_resumed"; their `ok` counts handshakes. Errors as above.
int edge_handshakes_count(struct edge_follow *follow);

#endif
