// Which cores there are, by kind: /proc/cpuinfo.
#ifndef EDGE_AGENT_PROBE_CPUS_H
#define EDGE_AGENT_PROBE_CPUS_H

#include <stddef.h>

#define EDGE_PROBE_CPUS_KINDS 8

struct edge_probe_cpus_kind {
    char name[96]; // "Cortex-A72"; what the kernel calls it where its part is not known
    unsigned count;
};

struct edge_probe_cpus {
    unsigned kind_count;
    struct edge_probe_cpus_kind kinds[EDGE_PROBE_CPUS_KINDS]; // in the order of the CPUs
};

// 0; a negated errno, or EDGE_ERR_FORMAT when no core has a name.
int edge_probe_cpus_read(const char *root, struct edge_probe_cpus *cpus);

// "Cortex-A72"; "4 x Cortex-A55, 4 x Cortex-A76" where there are several kinds. Returns text.
const char *edge_probe_cpus_text(const struct edge_probe_cpus *cpus, char *text, size_t size);

#endif
