// The highest rate of an open loop that keeps goals: --find-max.
//
// Each probe is a load of its own at one rate, long enough that at least ten calls lie beyond each
// percentile asked for (edge_goals_calls()), and no shorter than a least duration. A rate keeps the
// goals if they are kept and at least 99 % of the calls due were answered rightly; one that misses
// is measured a second time before it is believed. (Where the generator was late, that is in the
// response time: a rate that kept the goals all the same has kept them.) The rate found is then
// measured anew, three times as long; if it misses, 5 % less, up to five times. If the first rate
// misses, lower ones are tried, down to a sixteenth of it.
#ifndef EDGE_LOAD_FIND_MAX_H
#define EDGE_LOAD_FIND_MAX_H

#include <jansson.h>
#include <stdio.h>

#include "load/goals.h"

#define EDGE_FIND_MAX_PROBES  128u
#define EDGE_FIND_MAX_START   1000u // calls per second, unless told otherwise
#define EDGE_FIND_MAX_DOWN    16u
#define EDGE_FIND_MAX_PERCENT 99u // of the calls due must be answered rightly

struct edge_probe {
    uint64_t rate, window_ns, due, ok;
    bool confirms; // measures the final answer anew
    bool kept;
    bool client_limited;
    char why[160]; // what was found: "p99 4.2 ms, errors 0 %"
};

struct edge_find_max {
    struct edge_probe probes[EDGE_FIND_MAX_PROBES];
    unsigned count;
    uint64_t rate;       // found and confirmed; 0: none
    bool client_limited; // the generator was the limit where it was missed: the server may do more
    bool interrupted;
};

// Searches from config->rate. config->duration_ns is the least length of a probe; `config` is
// changed to the last load's, and *result is that load's (edge_load_result_free() it). 0, or what
// edge_attend() returns.
int edge_find_max(struct edge_load_config *config, const struct edge_goals *goals,
                  struct edge_find_max *found, struct edge_load_result *result,
                  struct edge_message *message);

// The probes, and what came of them.
void edge_find_max_print(const struct edge_find_max *found, const struct edge_goals *goals,
                         FILE *out);
// NULL: out of memory.
json_t *edge_find_max_json(const struct edge_find_max *found);

#endif
