// What agent.c and agent_ops.c share: the agent's state.
#ifndef EDGE_AGENT_AGENT_INTERNAL_H
#define EDGE_AGENT_AGENT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "agent/agent_power.h"
#include "agent/agent_probe.h"
#include "agent/agent_server.h"
#include "agent/probes.h"
#include "base/buffer.h"
#include "base/error.h"
#include "net/loop.h"

#define EDGE_AGENT_MARKS 8

struct edge_agent;

// A sample asked for at a time that has not come yet.
struct edge_agent_mark {
    struct edge_timer timer;
    struct edge_agent *agent;
    bool used;
    bool deep;
    json_int_t id;
    char label[24];
};

struct edge_agent {
    const char *root;
    int out_fd;
    struct edge_loop loop;
    struct edge_watch in;
    struct edge_watch signals;
    struct edge_buffer input;
    bool skipping; // inside a line that was too long
    bool greeted;
    bool done;
    int result; // why it ended
    struct edge_agent_server server;
    struct edge_probes probes;
    struct edge_agent_power power;
    struct edge_agent_probe probe;
    json_int_t probe_id;
    struct edge_timer sampling;
    uint64_t period_ns;
    struct edge_timer silence;
    uint64_t patience_ns; // 0: for ever
    struct edge_agent_mark marks[EDGE_AGENT_MARKS];
    bool stopping; // SIGTERM was sent for request stop_id
    bool killed;
    json_int_t stop_id;
    struct edge_timer kill_timer;
};

#define EDGE_AGENT_OWNER(pointer, member)                                                          \
    ((struct edge_agent *)((char *)(pointer)-offsetof(struct edge_agent, member)))

// agent.c: ends the agent, with the reason.
void edge_agent_end(struct edge_agent *agent, int result);
// Sends a line. Takes the reference. A line that cannot be sent ends the agent: the host has gone.
void edge_agent_send(struct edge_agent *agent, json_t *object);
// The host has said something: its silence counts from now on.
void edge_agent_hear(struct edge_agent *agent);
// The beginning of the answer to request `id`.
json_t *edge_agent_new_answer(json_int_t id);

// agent_ops.c: timers and callbacks of the ops.
void edge_agent_ops_init(struct edge_agent *agent);
// Tells the host that the server has ended.
void edge_agent_server_ended(struct edge_agent *agent);

// What an op returns: 0, the answer is sent as filled in; LATER, it is sent by someone else; or an
// error with a message.
enum { EDGE_AGENT_LATER = 1 };
int edge_agent_op(struct edge_agent *agent, json_int_t id, const json_t *request, json_t *answer,
                  struct edge_message *message);

#endif
