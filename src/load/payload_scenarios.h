// The files of payload/, as the build embeds them.
#ifndef EDGE_LOAD_PAYLOAD_SCENARIOS_H
#define EDGE_LOAD_PAYLOAD_SCENARIOS_H

#include <stddef.h>

struct edge_payload_scenario {
    const char *name; // "complex_proto"
    const char *json; // not terminated
    size_t len;
};

#define EDGE_PAYLOAD_SCENARIOS 6
extern const struct edge_payload_scenario edge_payload_scenario_table[EDGE_PAYLOAD_SCENARIOS];

#endif
