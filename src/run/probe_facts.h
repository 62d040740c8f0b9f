// The facts of `bench-edge probe` in words: those of agent/agent_probe.h.
#ifndef EDGE_RUN_PROBE_FACTS_H
#define EDGE_RUN_PROBE_FACTS_H

#include <stdio.h>

#include <jansson.h>

// What the board is: a line or two for each fact, with the reason where it cannot be had.
void edge_probe_facts_board(const json_t *facts, FILE *out);
// Likewise, what it can measure and what it does: clock, heat, throttling, network, power.
void edge_probe_facts_sensors(const json_t *facts, FILE *out);

#endif
