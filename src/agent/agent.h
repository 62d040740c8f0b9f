// The agent: runs on the board, speaks JSON lines (agent/agent_json.h), starts the server and
// measures it. One thread, one event loop, no process forked per sample.
//
//   op           members                              answer
//   hello        protocol, patience_ns (how long the   protocol, version, git, board
//                host may be silent; absent: for ever)
//   ping         -                                    t_ns, wall_ns
//   port         host (numeric)                       port: a free one, for a server
//   spawn        argv, env, cpus, ram_bytes,          pid, ram_limit
//                guest_counters
//   reset_peak   -                                    -
//   sample       period_ns (0: stop)                  - ; then events
//   mark         label, at_ns (absent: now), deep     sample
//   power        name, argument, scope                source, why: opens a power source
//   poll         on                                   - ; then events
//   probe        for_ns (absent: 1 s)                 probe (agent/agent_probe.h), after that time
//   stop         grace_ns                             t_ns, killed, status, exit_code, stderr,
//                                                     oom_kills, ram_limit
//   bye          -                                    - ; then the agent ends
//
// Events: "sample", "power", "power_failed" (agent/agent_power.h), "server_exited" (not after a
// stop), "error". When the server ends, sampling ends and marks that still wait are dropped without
// an answer.
#ifndef EDGE_AGENT_AGENT_H
#define EDGE_AGENT_AGENT_H

#include "base/error.h"

struct edge_agent_config {
    const char *root; // where the board's facts are looked for; NULL or "": the live system
    int in_fd;        // a pipe, socket or terminal
    int out_fd;
};

// Serves until bye, the end of input, SIGTERM, SIGHUP, or until the host was silent for longer than
// its patience: nobody tells of a link that is cut. An empty line is a sign of life. Then it stops
// the server. SIGINT is left to the host: a terminal sends it to both. Changes the calling thread's
// signal mask while it runs; other threads, if there are any, must block SIGCHLD.
// 0; a negated errno with a message, EDGE_ERR_CLOSED when the host no longer reads, -ETIMEDOUT when
// it was silent.
int edge_agent_run(const struct edge_agent_config *config, struct edge_message *message);

#endif
