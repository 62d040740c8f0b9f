// Sets of CPUs, written as the kernel does: "0", "0,2-3".
#ifndef EDGE_BASE_CPUSET_H
#define EDGE_BASE_CPUSET_H

#include <stddef.h>
#include <sys/types.h>

#define EDGE_CPUSET_MAX 256

struct edge_cpuset {
    unsigned count;
    unsigned short cpus[EDGE_CPUSET_MAX]; // ascending
};

// Parses the kernel's list format. 0 or EDGE_ERR_FORMAT (also for a CPU number >= EDGE_CPUSET_MAX).
int edge_cpuset_parse(const char *text, struct edge_cpuset *set);
// Writes it back in list format. Returns text.
const char *edge_cpuset_text(const struct edge_cpuset *set, char *text, size_t size);
// The CPUs that the calling process may run on. 0 or a negated errno.
int edge_cpuset_allowed(struct edge_cpuset *set);
// Pins thread or process `pid` (0: the calling thread). 0 or a negated errno.
int edge_cpuset_pin(pid_t pid, const struct edge_cpuset *set);

#endif
