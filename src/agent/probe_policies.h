// The cpufreq policies: which CPUs share a clock, who rules it and between which bounds.
// Documentation/admin-guide/pm/cpufreq.rst
#ifndef EDGE_AGENT_PROBE_POLICIES_H
#define EDGE_AGENT_PROBE_POLICIES_H

#include <stddef.h>
#include <stdint.h>

#define EDGE_PROBE_POLICIES_MAX 64

// A text is "" and a number EDGE_UNMEASURED where the policy does not tell.
struct edge_probe_policy {
    char cpus[64];
    char driver[32];
    char governor[32];
    uint64_t min_hz, max_hz; // of the hardware
    uint64_t cap_hz;         // the highest that is allowed
    uint64_t requested_hz;   // now
};

// Returns how many, in the order of their numbers.
size_t edge_probe_policies_read(const char *root,
                                struct edge_probe_policy policies[EDGE_PROBE_POLICIES_MAX]);

#endif
