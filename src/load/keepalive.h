// HTTP/2 PINGs on a connection that has fallen silent: to see that the server is still there, and
// to keep a network between from forgetting the connection.
#ifndef EDGE_LOAD_KEEPALIVE_H
#define EDGE_LOAD_KEEPALIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/loop.h"

struct edge_channel;

struct edge_keepalive {
    uint64_t interval_ns; // of silence; 0: no PINGs
    uint64_t pinged_ns;   // when the PING went out that is not answered yet; 0: none
    struct edge_timer timer;
};

void edge_keepalive_init(struct edge_keepalive *keepalive, uint64_t interval_ns);

// The connection is ready. After `interval_ns` without a byte from the server it is pinged; after
// as long again, it is closed with -ETIMEDOUT.
void edge_keepalive_start(struct edge_channel *channel);

// The server finds the PINGs too many: half as often from now on, reconnects included.
void edge_keepalive_slow_down(struct edge_keepalive *keepalive);

#endif
