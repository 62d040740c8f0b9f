// How fast the CPUs are meant to run: cpufreq, Documentation/admin-guide/pm/cpufreq.rst. What it
// shows is what was asked for; firmware may do otherwise (power/mailbox.h tells).
#ifndef EDGE_AGENT_PROBE_CLOCK_H
#define EDGE_AGENT_PROBE_CLOCK_H

#include <stdint.h>

struct edge_probe_clock {
    const char *root; // borrowed
    char policy[96];  // folder of the policy that the CPU belongs to; "" if there is none
};

// Finds the policy of `cpu`.
void edge_probe_clock_init(struct edge_probe_clock *probe, const char *root, unsigned cpu);

// Clocks of that policy, in Hz, EDGE_UNMEASURED where there is none: requested now, the highest of
// the hardware, the highest that is allowed.
uint64_t edge_probe_clock_requested(const struct edge_probe_clock *probe);
uint64_t edge_probe_clock_max(const struct edge_probe_clock *probe);
uint64_t edge_probe_clock_cap(const struct edge_probe_clock *probe);

// Time that the policy has spent below its highest clock, since start-up (stats/time_in_state,
// where the kernel has CONFIG_CPU_FREQ_STAT), or EDGE_UNMEASURED.
uint64_t edge_probe_clock_below_max_ns(const struct edge_probe_clock *probe);

// How many CPUs are online, or EDGE_UNMEASURED.
uint64_t edge_probe_clock_online(const char *root);

#endif
