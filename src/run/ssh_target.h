// A board at the other end of ssh: recognised, given the programs that it lacks, and ready for the
// agent. run/target.h makes a target of it.
#ifndef EDGE_RUN_SSH_TARGET_H
#define EDGE_RUN_SSH_TARGET_H

#include <limits.h>
#include <stdbool.h>

#include "base/catalogue.h"
#include "run/servers.h"
#include "run/ssh_board.h"
#include "run/ssh_copy.h"

struct edge_ssh_target_config {
    const char *name;                 // "ssh://pi@rpi4"
    const char *board;                // id in the catalogue; NULL: what it is recognised as
    const char *dir;                  // for programs, below the home folder unless it begins with /
    const char *programs;             // the folder of this program; other builds are beside it
    struct edge_interrupt *interrupt; // or NULL
};

struct edge_ssh_target {
    struct edge_ssh ssh;
    struct edge_ssh_board board;
    char id[64];             // "rpi4"; its machine if it is no board of the catalogue
    char name[96];           // "Raspberry Pi 4 Model B"
    char programs[PATH_MAX]; // the folder of the build that it gets
    char told[640];          // for a person: what it is, and which build it gets
    char address[64];        // of the board, seen from here: a number
    char listen[64];         // where a server has to listen there
    bool same_machine;       // the other end runs on this kernel
    char dir[128];
    char command[192];        // starts the agent
    char cert[160], key[160]; // on the board, while there are some
    struct edge_ssh_copy copy;
};

// Connects, recognises the board, chooses the build, and copies bench-edge if it has to. `target`
// must not be moved. 0; EDGE_ERR_USAGE, EDGE_ERR_NOT_FOUND (no such board), EDGE_ERR_FAILED
// (nothing is built for it, no space, what was copied does not start) or an error of
// edge_ssh_open() and edge_ssh_run(), with a message.
int edge_ssh_target_open(struct edge_ssh_target *target,
                         const struct edge_ssh_target_config *config, struct edge_message *message);

// Copies the servers that the board lacks and asks each for its version, there. Their paths are
// then those on the board. A server that cannot be copied keeps its problem.
// 0, or an error of edge_ssh_run() with a message.
int edge_ssh_target_bring(struct edge_ssh_target *target, struct edge_servers *servers,
                          struct edge_message *message);

// Copies a certificate and its key, readable for this user alone, and names them as they are called
// on the board. They are removed when the target is closed. 0, or an error of edge_ssh_copy_file()
// with a message.
int edge_ssh_target_bring_tls(struct edge_ssh_target *target, const char **cert, const char **key,
                              struct edge_message *message);

// Ends the connection. What was copied stays, for the next time. Safe twice, and on a zeroed
// struct.
void edge_ssh_target_close(struct edge_ssh_target *target);

#endif
