// The op "probe": what the board is and what it can tell, with a look at what it does meanwhile.
#ifndef EDGE_AGENT_AGENT_PROBE_H
#define EDGE_AGENT_AGENT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "agent/agent_sample.h"
#include "agent/probe_busy.h"
#include "agent/probe_power.h"
#include "agent/probes.h"
#include "base/error.h"
#include "net/loop.h"

struct edge_agent_probe {
    struct edge_loop *loop;
    struct edge_probes *probes;
    // Called with the facts (the reference is given): those of agent/probe_json.h, and "power"
    // (agent/probe_power.h) and "background".
    void (*done)(struct edge_agent_probe *probe, json_t *facts);
    bool running;
    struct edge_timer timer;
    struct edge_agent_sample first;
    struct edge_probe_busy busy;
    struct edge_probe_power power;
};

// Begins; done() is called `for_ns` later. 0; EDGE_ERR_USAGE when one is running; a negated errno.
int edge_agent_probe_start(struct edge_agent_probe *probe, uint64_t for_ns,
                           struct edge_message *message);

// Safe twice, and on a zeroed struct.
void edge_agent_probe_free(struct edge_agent_probe *probe);

#endif
