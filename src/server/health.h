// grpc.health.v1.Health: whether the server serves, and whoever watches that.
#ifndef EDGE_SERVER_HEALTH_H
#define EDGE_SERVER_HEALTH_H

#include <stdbool.h>

struct edge_health_watcher;

// All zero is a server that serves.
struct edge_health {
    bool shutting_down;
    struct edge_health_watcher *watchers; // open Watch calls
};

// From now on NOT_SERVING. Watchers are told, and their calls end, since they would never end by
// themselves. The owner of the sessions then fills them.
void edge_health_shutdown(struct edge_health *health);

#endif
