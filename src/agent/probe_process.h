// What the server uses: CPU time and memory of a process and its descendants, from /proc/PID.
#ifndef EDGE_AGENT_PROBE_PROCESS_H
#define EDGE_AGENT_PROBE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/agent_sample.h"
#include "base/error.h"

#define EDGE_PROBE_PROCESS_MAX 64

struct edge_probe_process_entry {
    pid_t pid;
    uint64_t cpu_ns; // as last read
};

struct edge_probe_process {
    const char *root; // borrowed; "" on a live system
    unsigned count;
    struct edge_probe_process_entry tree[EDGE_PROBE_PROCESS_MAX]; // the server first
    uint64_t gone_cpu_ns; // of descendants that have ended, as last read
};

void edge_probe_process_init(struct edge_probe_process *probe, const char *root, pid_t pid);

// Fills the server's part of `sample`, and t_ns and wall_ns. Descendants are found anew each time
// (a wrapper script may start the real server at any moment; needs CONFIG_PROC_CHILDREN, else only
// `pid` counts).
//
// CPU time is the process clock (clock_getcpuclockid(3): the scheduler's own sum in ns, threads
// that have ended included, as of the last tick or context switch); where that is refused or `root`
// is not "", utime + stime of /proc/PID/stat in clock ticks. `deep` adds PSS
// (/proc/PID/smaps_rollup, Linux >= 4.14) and the context switches of every thread.
//
// 0, or -ESRCH when the server is gone.
int edge_probe_process_sample(struct edge_probe_process *probe, bool deep,
                              struct edge_agent_sample *sample);

// Resets the peak RSS of every process to its present RSS (/proc/PID/clear_refs, value 5).
// 0 or a negated errno with a message.
int edge_probe_process_reset_peak(struct edge_probe_process *probe, struct edge_message *message);

#endif
