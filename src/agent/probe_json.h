// What a board is and what it can tell, as one JSON object: the part of `bench-edge probe` that
// takes no time. docs/probe.md lists the members.
#ifndef EDGE_AGENT_PROBE_JSON_H
#define EDGE_AGENT_PROBE_JSON_H

#include <jansson.h>

#include "agent/probes.h"

// A fact that cannot be had is null, and its reason is in "missing" under the fact's name. What is
// only a matter of permission is in "permissions" too. NULL: out of memory.
json_t *edge_probe_json(struct edge_probes *probes);

// Adds a fact that cannot be had, with its reason.
void edge_probe_json_miss(json_t *facts, const char *fact, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds what is only a matter of permission: what may not be read, and how to grant it.
void edge_probe_json_permission(json_t *facts, const char *why);

#endif
