// What an emulated server has executed: instructions and system calls, from the file that the
// emulator's plugin keeps (agent/guest_counters.h).
#ifndef EDGE_AGENT_PROBE_GUEST_H
#define EDGE_AGENT_PROBE_GUEST_H

#include "agent/agent_sample.h"
#include "agent/guest_counters.h"
#include "base/error.h"

struct edge_probe_guest {
    const struct edge_guest_counters *counters; // NULL: nothing is counted
};

// Maps the file, made or emptied: what an earlier guest has counted is gone. Before the emulator
// starts. 0 or a negated errno with a message.
int edge_probe_guest_init(struct edge_probe_guest *probe, const char *path,
                          struct edge_message *message);

// Fills guest_insns and guest_syscalls of `sample`. Both stay unmeasured while no plugin has taken
// up the file; the instructions also where their count would not be exact (threads, see
// agent/guest_counters.h). 0, EDGE_ERR_NOT_FOUND (nothing counts), EDGE_ERR_FORMAT (a plugin of
// another layout), EDGE_ERR_UNSUPPORTED (not exact).
int edge_probe_guest_sample(const struct edge_probe_guest *probe, struct edge_agent_sample *sample);

// Unmaps. Safe twice.
void edge_probe_guest_free(struct edge_probe_guest *probe);

#endif
