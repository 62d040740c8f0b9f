// Goals that a load has to keep: "p99<5ms", "errors<0.1%", "req_per_s>10k".
//
// Figures: pN (a percentile, as p50 or p99.9), max and latency_mean, of response time in an open
// loop, else of service time; req_per_s, verified calls per second; errors, the share of calls sent
// that failed (calls that the server refused unprocessed did not).
//
// What had no end took at least as long as it was waited for: against an upper limit it counts as
// slower than all else.
#ifndef EDGE_LOAD_GOALS_H
#define EDGE_LOAD_GOALS_H

#include <jansson.h>
#include <stdio.h>

#include "base/goal.h"
#include "load/load.h"

#define EDGE_GOALS_MAX 32u

struct edge_goals {
    struct edge_goal at[EDGE_GOALS_MAX];
    unsigned count;
};

// Adds the goals in `text`, with commas between. 0 or EDGE_ERR_USAGE.
int edge_goals_add(struct edge_goals *goals, const char *text, struct edge_message *message);

struct edge_verdict {
    bool kept;
    bool at_least; // the figure is a lower bound
    double found;  // in the goal's base unit; NAN: not measured
};

struct edge_verdict edge_goals_judge(const struct edge_goal *goal,
                                     const struct edge_load_config *config,
                                     const struct edge_load_result *result);
// Whether all are kept.
bool edge_goals_kept(const struct edge_goals *goals, const struct edge_load_config *config,
                     const struct edge_load_result *result);

// How many calls a load must have to say something about the goals: ten beyond each percentile, and
// room for ten errors at each limit of them.
uint64_t edge_goals_calls(const struct edge_goals *goals);

// "p99 4.21 ms". Returns text.
const char *edge_goals_found(const struct edge_goal *goal, const struct edge_verdict *verdict,
                             char *text, size_t size);

// A table of goals and verdicts; nothing if there are none.
void edge_goals_print(const struct edge_goals *goals, const struct edge_load_config *config,
                      const struct edge_load_result *result, FILE *out);
// The same as a JSON array. NULL: out of memory.
json_t *edge_goals_json(const struct edge_goals *goals, const struct edge_load_config *config,
                        const struct edge_load_result *result);

#endif
