// Follows a server that runs: takes what the agent and the power sources say, marks the edges of
// windows, and watches loads to their end.
#ifndef EDGE_RUN_FOLLOW_H
#define EDGE_RUN_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "load/load.h"
#include "net/socket.h"
#include "run/sequence.h"

// A sample that the agent was asked for.
struct edge_follow_mark {
    uint64_t id; // of the request under way; 0: none
    struct edge_agent_sample *into;
};

struct edge_follow {
    const struct edge_sequence *sequence;
    struct edge_measurement *measurement;
    struct edge_message *message; // for errors that end the whole run
    struct edge_address address;
    struct edge_follow_mark start_mark, stop_mark;
};

// Notes why it did not go as planned.
#define EDGE_FOLLOW_PROBLEM(follow, ...)                                                           \
    snprintf((follow)->measurement->problem, sizeof((follow)->measurement->problem), __VA_ARGS__)

// True if there is no use in going on: the server died, or Ctrl-C.
bool edge_follow_is_over(const struct edge_follow *follow);

// Waits until somebody says something, or `until_ns`; then takes it.
// 0; an error of edge_agent_client_wait(), or -ENOMEM, with a message: nothing more can be
// measured.
int edge_follow_turn(struct edge_follow *follow, uint64_t until_ns);

// A request to the agent: edge_agent_client_call().
int edge_follow_call(struct edge_follow *follow, json_t *request, json_t **answer);

// Takes a sample now, and not in a later turn; `deep`: with what is slow to read. Errors as above.
int edge_follow_look(struct edge_follow *follow, const char *label, bool deep,
                     struct edge_agent_sample *sample);

// One load.
struct edge_follow_load {
    struct edge_load_config config;
    const char *doing;                      // "measuring", for the progress line
    bool slices;                            // record them
    struct edge_agent_sample *start, *stop; // samples at the edges of its window
    bool deep;                              // with what is slow to read at the stop
    struct edge_load_snapshot *totals;      // of all calls, warm-up and drain included; or NULL
};

// Runs it to its end, Ctrl-C included. *started: *result is filled (edge_load_result_free() it),
// also after an error; false if the connections could not be made, then `why` says so. 0 or an
// error as above.
int edge_follow_run(struct edge_follow *follow, const struct edge_follow_load *load, bool *started,
                    struct edge_load_result *result, struct edge_message *why);

#endif
