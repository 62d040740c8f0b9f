// What every thread of a load shares and none changes: the request and the reply, ready made.
#ifndef EDGE_LOAD_PLAN_H
#define EDGE_LOAD_PLAN_H

#include "load/load.h"
#include "load/outgoing.h"
#include "load/request.h"
#include "load/shape.h"
#include "load/verify.h"

struct edge_plan {
    const struct edge_load_config *config;
    struct edge_request request;
    struct edge_outgoing outgoing;
    struct edge_verify_plan verify;
    bool open_loop;
    struct edge_shape rates, calls; // what an open loop follows, and calls in flight over all
    bool replies_stream;            // a call may get several
    bool numbers_messages;          // each message has a number of its own, not its call's
    bool paced;                     // requests of a call wait for their time, or for its end
    uint64_t connect_timeout_ns;    // never 0
    uint64_t messages_out;          // requests after which a call is done; UINT64_MAX: by time
    uint64_t messages_in; // replies after which the client ends the call; 0: the server does
    uint64_t limit_ns;    // a call may last so long; 0: for ever
    bool limit_is_ours;   // because its stream was to last so long; else it timed out
};

// Borrows the config and its payload. 0; -ENOMEM, EDGE_ERR_LIMIT or EDGE_ERR_USAGE (the shapes)
// with a message.
int edge_plan_init(struct edge_plan *plan, const struct edge_load_config *config,
                   struct edge_message *message);
// Safe twice.
void edge_plan_free(struct edge_plan *plan);

#endif
