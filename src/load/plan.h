// What every thread of a load shares and none changes: the request and the reply, ready made.
#ifndef EDGE_LOAD_PLAN_H
#define EDGE_LOAD_PLAN_H

#include "load/framed.h"
#include "load/load.h"
#include "load/request.h"
#include "load/shape.h"
#include "load/verify.h"

struct edge_plan {
    const struct edge_load_config *config;
    struct edge_request request;
    struct edge_framed message;
    struct edge_verify_plan verify;
    bool open_loop;
    struct edge_shape rates, calls; // what an open loop follows, and calls in flight over all
    uint64_t connect_timeout_ns;    // never 0
};

// Borrows the config and its payload. 0; -ENOMEM, EDGE_ERR_LIMIT or EDGE_ERR_USAGE (the shapes)
// with a message.
int edge_plan_init(struct edge_plan *plan, const struct edge_load_config *config,
                   struct edge_message *message);
// Safe twice.
void edge_plan_free(struct edge_plan *plan);

#endif
