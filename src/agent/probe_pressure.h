// What the machine runs short of: pressure stall information (Documentation/accounting/psi.rst) and
// swap.
#ifndef EDGE_AGENT_PROBE_PRESSURE_H
#define EDGE_AGENT_PROBE_PRESSURE_H

#include <stdint.h>

// Time since start-up during which some task waited for `resource` ("cpu", "memory", "io"), in ns;
// EDGE_UNMEASURED where the kernel has no PSI or it is off.
uint64_t edge_probe_pressure_ns(const char *root, const char *resource);

// Swap in use, or EDGE_UNMEASURED. 0 where there is no swap.
uint64_t edge_probe_pressure_swap_bytes(const char *root);

#endif
