// The options that give a load its shape, as the command line has them, and what they come to.
#ifndef EDGE_LOAD_SHAPING_H
#define EDGE_LOAD_SHAPING_H

#include "load/load.h"

enum edge_shaping_stop { EDGE_SHAPING_WAIT, EDGE_SHAPING_CLOSE };

// --load-... or --concurrency-...
struct edge_shaping_schedule {
    unsigned kind; // enum edge_shape_kind
    uint64_t start, end, step_duration, max_duration;
    const char *step; // with a sign, or NULL
};

struct edge_shaping {
    struct edge_shaping_schedule load, concurrency;
    unsigned arrivals; // 1: Poisson
    unsigned duration_stop;
    uint64_t seed, max_inflight, skip_first, max_duration, connection_ramp, keepalive;
};

// Applies them to a config that has the other options: rate, concurrency, total, duration_ns (0:
// not given; if nothing else says when to end, `default_ns` or the length of the schedule),
// drain_ns. 0; -ENOMEM or EDGE_ERR_USAGE with a message.
int edge_shaping_apply(const struct edge_shaping *shaping, uint64_t default_ns,
                       struct edge_load_config *config, struct edge_message *message);

#endif
