// One connection to a board, made by the system's ssh: the user's keys, agent and configuration
// apply. All commands share it (ControlMaster); it ends with this program, however that ends.
#ifndef EDGE_RUN_SSH_H
#define EDGE_RUN_SSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/subprocess.h"
#include "run/interrupt.h"

#define EDGE_SSH_ARGS 40

// The parts of "ssh://[user@]host[:port]".
struct edge_ssh_name {
    char user[64];  // "": as ssh's configuration says
    char host[256]; // an alias of ssh's configuration too; an IPv6 address without its brackets
    char port[8];   // "": as ssh's configuration says
};

struct edge_ssh {
    struct edge_ssh_name name;
    char folder[32];  // private: holds the control socket
    char control[48]; // the socket's path
    struct edge_subprocess master;
    int words_fd;                     // what the master has said
    struct edge_interrupt *interrupt; // ends waiting; NULL: none
};

// Takes a target apart. 0, or EDGE_ERR_USAGE with a message.
int edge_ssh_parse(const char *target, struct edge_ssh_name *name, struct edge_message *message);

// Connects. `interrupt` (or NULL) is borrowed. Nothing is asked for at the terminal: what would
// need that fails, with what to do in the message. 0; EDGE_ERR_CLOSED (refused, unreachable, key or
// permission), -EINTR (interrupted), EDGE_ERR_UNSUPPORTED (no ssh here) or a negated errno, with a
// message; then nothing is left behind.
int edge_ssh_open(struct edge_ssh *ssh, const struct edge_ssh_name *name,
                  struct edge_interrupt *interrupt, struct edge_message *message);

// Writes the argument list that runs `command` at the other end, by way of the connection. It
// points into `ssh` and `command`.
void edge_ssh_argv(const struct edge_ssh *ssh, const char *command,
                   const char *argv[EDGE_SSH_ARGS]);

// What a command gave, both texts terminated and cut to their sizes.
struct edge_ssh_output {
    char *out;
    size_t out_size;
    char words[512]; // of its stderr, the end, on one line
    int status;      // exit code
};

// Runs `command` at the other end: it reads `input_fd` (-1: nothing) up to its end.
// 0 if it ran, whatever its exit code; EDGE_ERR_CLOSED (the connection is lost), -ETIMEDOUT, -EINTR
// or a negated errno, with a message.
int edge_ssh_run(struct edge_ssh *ssh, const char *command, int input_fd, uint64_t timeout_ns,
                 struct edge_ssh_output *output, struct edge_message *message);

// The same, of a shell script: the other end needs a POSIX shell and nothing else.
int edge_ssh_script(struct edge_ssh *ssh, const char *script, uint64_t timeout_ns,
                    struct edge_ssh_output *output, struct edge_message *message);

// Whether the connection is lost; then `why` holds what ssh said of it. Waits a moment for ssh to
// find out.
bool edge_ssh_is_lost(struct edge_ssh *ssh, char *why, size_t size);

// Ends the connection and removes its folder. Safe twice, and on a zeroed struct.
void edge_ssh_close(struct edge_ssh *ssh);

#endif
