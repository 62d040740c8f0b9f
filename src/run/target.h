// Where the server runs: on which CPUs, and how the agent there is started.
#ifndef EDGE_RUN_TARGET_H
#define EDGE_RUN_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/error.h"
#include "run/emulator.h"

struct edge_target {
    char name[128]; // "local", "qemu:rpi4"
    char board[64]; // in folder names and records: "host", "rpi4"
    char host[64];  // the server's address, seen from here
    char agent_path[PATH_MAX];
    const char *agent_argv[6]; // ends with NULL; points into this struct
    char servers[PATH_MAX];    // the folder of the servers built for it
    bool emulated;
    struct edge_emulator emulator; // if emulated
    const char *board_name;        // likewise: "Raspberry Pi 4 Model B"
    bool same_machine;             // the generator's CPU time counts as the board's
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

// Whether the target `name` is an emulated one, "qemu:...".
bool edge_target_is_emulated(const char *name);

// The target `name`: "local", or "qemu:BOARD" for a board of the catalogue. `target` must not be
// moved. 0; EDGE_ERR_USAGE (not known, or not enough CPUs), EDGE_ERR_NOT_FOUND (no
// such board), EDGE_ERR_UNSUPPORTED (no emulator for
// that board, see edge_emulator_init()), EDGE_ERR_FAILED (nothing is built for it) or a negated
// errno, with a message.
int edge_target_init(struct edge_target *target, const char *name, uint64_t server_count,
                     uint64_t client_count, struct edge_message *message);

// Gives back what it holds. Safe twice, and on a zeroed struct.
void edge_target_free(struct edge_target *target);

#endif
