// Where the server runs: on which CPUs, and how the agent there is started.
#ifndef EDGE_RUN_TARGET_H
#define EDGE_RUN_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/error.h"

struct edge_target {
    char name[128]; // "local"
    char board[64]; // in folder names and records: "host"
    char host[64];  // the server's address, seen from here
    char agent_path[PATH_MAX];
    const char *agent_argv[4]; // ends with NULL; points into this struct
    bool same_machine;         // the generator's CPU time counts as the board's
    struct edge_cpuset server_cpus;
    struct edge_cpuset client_cpus;
    struct edge_cpuset other_cpus; // all but the server's: for this program and the agent
    bool shared;                   // the only CPU is both the server's and the generator's
};

// Splits `allowed`: the server gets the first `server_count`, the generator the next
// `client_count`. A single CPU is shared by both, if one each is asked for. Fills the four members.
// 0, or EDGE_ERR_USAGE with a message when there are not enough.
int edge_target_split(struct edge_target *target, const struct edge_cpuset *allowed,
                      uint64_t server_count, uint64_t client_count, struct edge_message *message);

// The target `name`: "local". 0; EDGE_ERR_USAGE (not known, or not enough CPUs) or a negated errno,
// with a message.
int edge_target_init(struct edge_target *target, const char *name, uint64_t server_count,
                     uint64_t client_count, struct edge_message *message);

#endif
