// The host's end of the agent's pipe (agent/agent.h): requests, answers, events.
//
// Nothing here knows where the agent runs: `argv` may start it directly, through ssh, or below an
// emulator.
#ifndef EDGE_RUN_AGENT_CLIENT_H
#define EDGE_RUN_AGENT_CLIENT_H

#include <stdint.h>

#include <jansson.h>

#include "agent/board.h"
#include "base/buffer.h"
#include "base/cpuset.h"
#include "base/error.h"
#include "base/subprocess.h"

struct edge_agent_client {
    struct edge_subprocess process;
    struct edge_buffer input;
    json_t *inbox; // array: objects that nobody has taken yet
    uint64_t next_id;
    uint64_t spoke_ns; // when the agent heard of us last
    int64_t offset_ns; // agent's clock - host's clock, after edge_agent_client_sync()
    struct edge_board board;
    char version[32];
};

// The two clocks at one moment.
struct edge_agent_sync {
    uint64_t time_ns;       // host
    uint64_t wall_ns;       // host, CLOCK_REALTIME
    uint64_t agent_time_ns; // agent
    uint64_t round_trip_ns; // bounds the error
};

// Starts the agent in a process group of its own and shakes hands. `cpus` (or NULL) is where it may
// run. 0 or an error with a message; then nothing is left behind.
int edge_agent_client_start(struct edge_agent_client *client, const char *const *argv,
                            const struct edge_cpuset *cpus, struct edge_message *message);

// Sends a request (the reference is taken); *id is what its answer will carry.
// 0, -ENOMEM, or EDGE_ERR_CLOSED, with a message.
int edge_agent_client_send(struct edge_agent_client *client, json_t *request, uint64_t *id,
                           struct edge_message *message);

// Waits until the agent says something, `other_fd` (-1: none) is readable, or `until_ns`; a few
// seconds at most, and lets the agent know that we live.
// 0; EDGE_ERR_CLOSED (the agent is gone), EDGE_ERR_FORMAT (it does not speak our language) or a
// negated errno, with a message.
int edge_agent_client_wait(struct edge_agent_client *client, int other_fd, uint64_t until_ns,
                           struct edge_message *message);

// What has arrived: the answer with that id, the next event; NULL if there is none. The caller
// drops the reference.
json_t *edge_agent_client_answer(struct edge_agent_client *client, uint64_t id);
json_t *edge_agent_client_event(struct edge_agent_client *client);

// Sends a request and waits for its answer; events stay in the inbox. `answer` may be NULL.
// 0 and *answer (json_decref() it); EDGE_ERR_FAILED with the agent's words; -ETIMEDOUT; or as
// above.
int edge_agent_client_call(struct edge_agent_client *client, json_t *request, uint64_t timeout_ns,
                           json_t **answer, struct edge_message *message);

// Relates the clocks: several pings, the one with the smallest round trip counts. Updates
// offset_ns. 0 or an error as above.
int edge_agent_client_sync(struct edge_agent_client *client, struct edge_agent_sync *sync,
                           struct edge_message *message);

// Says bye and waits; the agent stops the server if one still runs. Safe twice.
void edge_agent_client_stop(struct edge_agent_client *client);

#endif
