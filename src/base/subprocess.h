// Child processes: spawned with pipes, pinned, limited, and never left behind.
#ifndef EDGE_BASE_SUBPROCESS_H
#define EDGE_BASE_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpuset.h"
#include "base/error.h"

struct edge_subprocess_config {
    const char *const *argv; // argv[0] is the path, or a name looked up in PATH; ends with NULL
    const char *const *env;  // "NAME=value" added to the caller's environment; NULL: none
    const struct edge_cpuset *cpus; // NULL: not pinned
    uint64_t data_bytes;            // RLIMIT_DATA (private writable memory, Linux >= 4.7); 0: none
    bool pipe_stdin;                // else stdin_fd
    int stdin_fd;                   // what it reads; 0: /dev/null
    bool pipe_stdout;               // else /dev/null
    int stderr_fd;                  // where its stderr goes; 0: inherited
    bool own_group;                 // a process group of its own, which stop ends as a whole
    bool die_with_parent;           // SIGKILL when the spawning thread dies (PR_SET_PDEATHSIG)
};

struct edge_subprocess {
    pid_t pid;     // 0: none
    int stdin_fd;  // write end, or -1
    int stdout_fd; // read end, or -1
    bool own_group;
    bool exited;
    int status; // wait status, once exited
};

// Starts the program. 0, or a negated errno with a message (-ENOENT if there is no such program;
// an exec that fails is reported here, not by an exit code of the child).
int edge_subprocess_spawn(const struct edge_subprocess_config *config,
                          struct edge_subprocess *process, struct edge_message *message);

// Looks whether it has exited, without waiting. True if so; then `status` is set.
bool edge_subprocess_poll(struct edge_subprocess *process);

// Sends SIGTERM, waits up to `grace_ns`, then SIGKILL; closes the pipes. Safe twice and on a
// process that has exited. Returns 0 if it exited by itself in time, EDGE_ERR_FAILED if it had to
// be killed.
int edge_subprocess_stop(struct edge_subprocess *process, uint64_t grace_ns);

// "exited with code 3", "killed by SIGSEGV (Segmentation fault)". Returns text.
const char *edge_subprocess_status_text(int status, char *text, size_t size);

#endif
