// Who uses the CPUs: the busiest processes between two looks at /proc.
#ifndef EDGE_AGENT_PROBE_BUSY_H
#define EDGE_AGENT_PROBE_BUSY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EDGE_PROBE_BUSY_TOP 3

struct edge_probe_busy_entry {
    pid_t pid;
    uint64_t cpu_ns; // at the first look, or since then
    char name[24];
};

struct edge_probe_busy {
    size_t count;
    struct edge_probe_busy_entry *before; // by pid
};

// The first look. 0, a negated errno.
int edge_probe_busy_begin(struct edge_probe_busy *busy);

// The second: fills `top` with those that have used most since, the busiest first; the calling
// process is left out, and those that used nothing. Returns how many. Frees what the first look
// kept.
size_t edge_probe_busy_end(struct edge_probe_busy *busy,
                           struct edge_probe_busy_entry top[EDGE_PROBE_BUSY_TOP]);

// Safe twice, and on a zeroed struct.
void edge_probe_busy_free(struct edge_probe_busy *busy);

#endif
