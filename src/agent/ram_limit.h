// Limits the server's memory: a cgroup where one can be made, else a resource limit.
#ifndef EDGE_AGENT_RAM_LIMIT_H
#define EDGE_AGENT_RAM_LIMIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct edge_ram_limit {
    char group[PATH_MAX]; // folder of the server's cgroup, "" if there is none
    char home[PATH_MAX];  // folder of the agent's own cgroup
    char how[192];        // "cgroup memory.max", "RLIMIT_DATA (...)", or "none: why"
    uint64_t data_bytes;  // RLIMIT_DATA for the server; 0: none
};

// Prepares a limit of `bytes` (0: no limit). Tries, in the agent's own cgroup and its parents
// (cgroup v2, Documentation/admin-guide/cgroup-v2.rst), to make a child with memory.max = bytes and
// memory.swap.max = 0. Where none can be made, data_bytes is set: RLIMIT_DATA bounds the private
// writable memory of each process, not page cache or kernel memory, and `how` says why.
void edge_ram_limit_init(struct edge_ram_limit *limit, const char *root, uint64_t bytes);

// Moves the calling process into the group and back out, so that what it spawns in between is born
// inside. Nothing happens without a group. 0 or a negated errno with a message.
int edge_ram_limit_enter(const struct edge_ram_limit *limit, struct edge_message *message);
int edge_ram_limit_leave(const struct edge_ram_limit *limit, struct edge_message *message);

// How many processes the kernel has killed at the limit (memory.events, oom_kill); 0 without a
// group.
uint64_t edge_ram_limit_kills(const struct edge_ram_limit *limit);

// The highest memory use of the group (memory.peak, Linux >= 5.19): page cache and socket buffers
// included. EDGE_UNMEASURED without a group or without that file.
uint64_t edge_ram_limit_peak(const struct edge_ram_limit *limit);

// Removes the group; its processes must have ended. Safe twice.
void edge_ram_limit_free(struct edge_ram_limit *limit);

#endif
