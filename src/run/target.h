// Where the server runs: on which CPUs, and how the agent there is started.
#ifndef EDGE_RUN_TARGET_H
#define EDGE_RUN_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/error.h"
#include "run/emulator.h"
#include "run/interrupt.h"
#include "run/servers.h"
#include "run/ssh_target.h"

struct edge_target {
    char name[128];                        // "local", "qemu:rpi4", "ssh://pi@rpi4"
    char board[64];                        // in folder names and records: "host", "rpi4"
    char host[64];                         // the server's address, seen from here
    char listen[64];                       // and where it has to listen, seen from there
    char agent_path[PATH_MAX];             // of this program, here
    const char *agent_argv[EDGE_SSH_ARGS]; // ends with NULL; points into this struct
    char servers[PATH_MAX];                // the folder of the servers built for it
    bool emulated;
    struct edge_emulator emulator; // if it is ours that emulates
    const char *board_name;        // of a board of the catalogue: "Raspberry Pi 4 Model B"
    bool remote;                   // `ssh` is open
    struct edge_ssh_target ssh;
    bool same_machine; // the generator's CPU time counts as the board's
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

// The same for two machines: the server gets the first CPUs of the board's, the generator those of
// this one's.
int edge_target_split_apart(struct edge_target *target, const struct edge_cpuset *board,
                            const struct edge_cpuset *here, uint64_t server_count,
                            uint64_t client_count, struct edge_message *message);

// Whether the target `name` is an emulated one, "qemu:...", or a remote one, "ssh://...".
bool edge_target_is_emulated(const char *name);
bool edge_target_is_remote(const char *name);

struct edge_target_config {
    const char *name;      // "local", "qemu:BOARD" for a board of the catalogue, "ssh://..."
    const char *root;      // local: a recorded tree for the agent; NULL: none
    const char *board;     // ssh: its id in the catalogue; NULL: what it is recognised as
    const char *board_dir; // ssh: where programs go; NULL: .cache/bench-edge
    uint64_t server_cpus, client_cpus; // how many
    struct edge_interrupt *interrupt;  // ends what takes long; NULL: none
};

// Prepares a target: after this its agent can be started with edge_agent_client_start() and
// `agent_argv`. `target` must not be moved, `config`'s texts must stay. 0; EDGE_ERR_USAGE (not
// known, or not enough CPUs), EDGE_ERR_NOT_FOUND (no such board), EDGE_ERR_UNSUPPORTED (no emulator
// for that board, see edge_emulator_init()), EDGE_ERR_FAILED (nothing is built for it), an error of
// edge_ssh_target_open(), or a negated errno, with a message.
int edge_target_init(struct edge_target *target, const struct edge_target_config *config,
                     struct edge_message *message);

// Makes servers of this machine ready there: asks each for its version, and brings them to a board
// first. 0; an error of edge_ssh_target_bring() with a message.
int edge_target_bring(struct edge_target *target, struct edge_servers *servers,
                      struct edge_message *message);

// Brings a certificate and its key there, for this run; the names are then those on the board.
// 0, also without them; an error of edge_ssh_copy_file() with a message.
int edge_target_bring_tls(struct edge_target *target, const char **cert, const char **key,
                          struct edge_message *message);

// Whether the way to the target is gone, which explains any other trouble; then `why` tells.
bool edge_target_is_lost(struct edge_target *target, char *why, size_t size);

// Gives back what it holds. Safe twice, and on a zeroed struct.
void edge_target_free(struct edge_target *target);

#endif
