// What is measured beside the window: idle with connections open, and the load-to-power curve.
#ifndef EDGE_RUN_LEVELS_H
#define EDGE_RUN_LEVELS_H

#include "run/follow.h"

// Holds the connections open for --idle without a call, as a span of that name (a literal). Nothing
// where there is no power source. 0 or an error of edge_follow_turn().
int edge_levels_idle(struct edge_follow *follow, const char *name);

// The same for that long, whatever the power sources, with the memory at its end.
int edge_levels_hold(struct edge_follow *follow, const char *name, uint64_t duration_ns);

// A span of that name (a literal) to be filled; it counts once span_count is raised.
struct edge_measurement_span *edge_levels_span(struct edge_measurement *measurement,
                                               const char *name);

// With --profile graduated: loads of 100 %, 90 %, ... 10 % of the rate that the window gave, each
// as long as the window, then idle: eleven spans "level". Errors as above.
int edge_levels_run(struct edge_follow *follow);

// Waits, not for long, until the power sources have a reading behind the last span: its edge is
// interpolated. Errors as above.
int edge_levels_settle(struct edge_follow *follow);

#endif
