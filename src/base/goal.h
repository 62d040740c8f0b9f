// A goal for a figure: "p99<5ms", "req_per_s > 10k", "memory <= 64MiB".
#ifndef EDGE_BASE_GOAL_H
#define EDGE_BASE_GOAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum edge_unit {
    EDGE_UNIT_TEXT,    // not a figure
    EDGE_UNIT_NONE,    // "req_per_s"
    EDGE_UNIT_NS,      // "p99_ns"
    EDGE_UNIT_BYTES,   // "memory_bytes"
    EDGE_UNIT_PERCENT, // "cpu_percent"
    EDGE_UNIT_WATT,    // "power_w"
    EDGE_UNIT_JOULE,   // "energy_per_req_j"
    EDGE_UNITS
};

enum edge_relation {
    EDGE_GOAL_LESS,
    EDGE_GOAL_AT_MOST,
    EDGE_GOAL_MORE,
    EDGE_GOAL_AT_LEAST,
};

struct edge_goal {
    char name[40]; // of the figure, as in the text
    enum edge_unit unit;
    enum edge_relation relation;
    double limit; // in the unit's base
};

// Tells the unit of the figure `name`: true; or false with a message that names the known ones.
// May write where `context` points to.
typedef bool edge_goal_find(const char *name, void *context, enum edge_unit *unit,
                            struct edge_message *message);

// Parses NAME, one of < <= > >=, and a number with a unit that the figure has: ns us ms s m h; B
// KiB MiB GiB (k m g); W mW; J mJ uJ; % ; k M G for plain numbers. A latency and an energy need a
// unit. Spaces may stand between. 0 or EDGE_ERR_USAGE.
int edge_goal_parse(const char *text, edge_goal_find *find, void *context, struct edge_goal *goal,
                    struct edge_message *message);

// The goal in the form that the parser takes. Returns text.
const char *edge_goal_text(const struct edge_goal *goal, char *text, size_t size);

// Whether `value` keeps it; NAN keeps none.
bool edge_goal_kept(const struct edge_goal *goal, double value);

#endif
