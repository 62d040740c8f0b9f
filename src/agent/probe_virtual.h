// Whether the machine is one at all.
#ifndef EDGE_AGENT_PROBE_VIRTUAL_H
#define EDGE_AGENT_PROBE_VIRTUAL_H

#include <stddef.h>

// What shows that this is a virtual machine, whose CPUs others may use too: "the hypervisor flag in
// /proc/cpuinfo". "" if nothing does. Returns text.
const char *edge_probe_virtual_machine(const char *root, char *text, size_t size);

#endif
