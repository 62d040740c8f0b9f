// Was the generator the limit? A run where it was says nothing about the server.
#ifndef EDGE_LOAD_JUDGE_H
#define EDGE_LOAD_JUDGE_H

#include "load/load.h"

// A closed loop's thread that is busier than this is the limit. (In an open loop it looks at what
// is there as often as it can, and is busy at any rate: there only lag tells.)
#define EDGE_JUDGE_CPU_PERCENT 90u
// Send lag (p99) may be this part of the median service time, or what a timer's wake-up costs
// anyway.
#define EDGE_JUDGE_LAG_PERCENT  10u
#define EDGE_JUDGE_LAG_FLOOR_NS 200000u

// Sets result->client_limited and _why from the merged books and threads. Lag that came from all of
// `concurrency` being in flight (result->waited) is the server's, not the generator's. The median
// service time is that of calls that were answered: timeouts must not excuse lag.
void edge_judge(struct edge_load_result *result);

#endif
