// The server that the agent has started: its process, its limit, the end of what it said.
#ifndef EDGE_AGENT_AGENT_SERVER_H
#define EDGE_AGENT_AGENT_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "agent/probe_guest.h"
#include "agent/probe_process.h"
#include "agent/ram_limit.h"
#include "base/error.h"
#include "base/subprocess.h"
#include "net/loop.h"

struct edge_agent_server_config {
    const char *root;           // "" on a live system
    const char *const *argv;    // ends with NULL
    const char *const *env;     // "NAME=value", ends with NULL
    const char *cpus;           // "0,2"; NULL: not pinned
    uint64_t ram_bytes;         // 0: no limit
    const char *guest_counters; // file of the emulator's plugin; NULL: the server is not emulated
};

struct edge_agent_server {
    bool running; // until edge_agent_server_reap() has seen the end
    bool started; // there has been one: status and tail are valid
    struct edge_subprocess process;
    struct edge_ram_limit limit;
    struct edge_probe_process probe;
    struct edge_probe_guest guest;
    struct edge_loop *loop;
    struct edge_watch errors; // its stderr
    size_t tail_len;
    char tail[2048]; // the last bytes of its stderr
    uint64_t oom_kills;
    unsigned first_cpu; // that it is pinned to; 0 if it is not pinned
};

// Starts the server in a process group of its own, pinned and limited; it dies with the agent.
// `server` must not be running. 0; -ENOENT, -EACCES and others of edge_subprocess_spawn(),
// EDGE_ERR_FORMAT (cpus), a negated errno (guest_counters), with a message.
int edge_agent_server_start(struct edge_agent_server *server, struct edge_loop *loop,
                            const struct edge_agent_server_config *config,
                            struct edge_message *message);

// Fills the server's part of `sample`: edge_probe_process_sample(), and at marks its cgroup.
void edge_agent_server_sample(struct edge_agent_server *server, bool mark, bool deep,
                              struct edge_agent_sample *sample);

// Sends a signal to the server and all that it has started.
void edge_agent_server_signal(const struct edge_agent_server *server, int signal);

// True if the server has ended: then what it left behind is killed, the rest of its stderr is read
// and its cgroup removed. Only once per end.
bool edge_agent_server_reap(struct edge_agent_server *server);

// Adds how it ended to an answer or event: status, exit_code (null if killed), stderr, oom_kills,
// ram_limit.
void edge_agent_server_describe(const struct edge_agent_server *server, json_t *object);

// Stops it if it runs: SIGTERM, up to `grace_ns`, SIGKILL. Waits. Safe twice.
void edge_agent_server_free(struct edge_agent_server *server, uint64_t grace_ns);

#endif
