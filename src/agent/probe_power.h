// Every power source that a board may have: what opens and what it reads, or why it does not.
#ifndef EDGE_AGENT_PROBE_POWER_H
#define EDGE_AGENT_PROBE_POWER_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/error.h"
#include "power/power.h"

#define EDGE_PROBE_POWER_MAX 8

struct edge_probe_power_source {
    const char *name;
    bool open;
    int error; // of opening or reading; 0: it gave a reading
    struct edge_power power;
    struct edge_reading first;
    struct edge_message why;
};

struct edge_probe_power {
    size_t count;
    struct edge_probe_power_source sources[EDGE_PROBE_POWER_MAX];
};

// Opens those of boards, in the table's order, and reads each. `root` is borrowed.
void edge_probe_power_begin(struct edge_probe_power *power, const char *root);

// Reads again: counters of energy give watts only over a time. An array with, for each source,
//   name, why         if it does not open or read; permission: true if it may not be read
//   name, scope, detail, interval_ns, correction, warning, power_uw   if it does
// Closes all. NULL: out of memory.
json_t *edge_probe_power_end(struct edge_probe_power *power);

// Safe twice, and on a zeroed struct.
void edge_probe_power_free(struct edge_probe_power *power);

#endif
