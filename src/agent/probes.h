// All that an agent looks at beside its server: the board's heat, clock, throttling and shortages.
#ifndef EDGE_AGENT_PROBES_H
#define EDGE_AGENT_PROBES_H

#include <stdbool.h>

#include "agent/agent_sample.h"
#include "agent/board.h"
#include "agent/probe_clock.h"
#include "agent/probe_heat.h"
#include "agent/probe_throttle.h"

struct edge_probes {
    const char *root; // borrowed; "" on a live system
    struct edge_probe_heat heat;
    struct edge_probe_clock clock;
    struct edge_probe_throttle throttle;
};

void edge_probes_init(struct edge_probes *probes, const char *root);
// Safe twice.
void edge_probes_free(struct edge_probes *probes);

// The clock is from now on that of `cpu`: the server's first.
void edge_probes_watch_cpu(struct edge_probes *probes, unsigned cpu);

// Fills the board's part of a sample. `mark`: with what is too slow for every period.
void edge_probes_sample(struct edge_probes *probes, bool mark, struct edge_agent_sample *sample);

// Adds what the probes know about the board.
void edge_probes_describe(struct edge_probes *probes, struct edge_board *board);

#endif
