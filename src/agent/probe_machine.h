// What the whole machine does: CPU time of all CPUs, from /proc/stat.
#ifndef EDGE_AGENT_PROBE_MACHINE_H
#define EDGE_AGENT_PROBE_MACHINE_H

#include "agent/agent_sample.h"

// Fills the machine's part of `sample`. Takes the "cpu" line of proc(5): busy is user + nice +
// system + irq + softirq (guest time is inside user), idle is idle + iowait.
// 0; a negated errno or EDGE_ERR_FORMAT, then the numbers stay unmeasured.
int edge_probe_machine_sample(const char *root, struct edge_agent_sample *sample);

#endif
