// The power sources of a run: those of the board, which the agent reads, and those of this host.
#ifndef EDGE_RUN_METERS_H
#define EDGE_RUN_METERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "base/reading.h"
#include "power/poller.h"
#include "power/power.h"
#include "result/energy.h"
#include "result/record.h"
#include "run/agent_client.h"

#define EDGE_METERS_MAX 4

struct edge_meter {
    struct edge_record_source facts; // its record; facts.source counts from 1
    bool on_board;
    unsigned agent_source; // its number there
    char argument[256];
    struct edge_power power; // of a host's source
    struct edge_power_poller *poller;
    struct edge_reading *readings; // of the whole run, in order of time of the host's clock
    size_t count;
    size_t written;    // how many of them have been recorded
    char failure[256]; // the latest that it said; ""
};

struct edge_meters {
    struct edge_agent_client *agent; // borrowed
    unsigned count;                  // the first is the one that tables show
    struct edge_meter at[EDGE_METERS_MAX];
    char why[1024]; // why there is none, or which others there are not
    int error;      // of memory, while readings came
};

// Checks a --power list without opening anything: "auto", "none", or NAME[:ARGUMENT] with commas
// between; cmd: takes all the rest. 0, or EDGE_ERR_USAGE with a message.
int edge_meters_check(const char *list, struct edge_message *message);

// Opens them. `scope` (or NULL) is for those that are as wired. That "auto" finds none is no error.
// 0; EDGE_ERR_FAILED (one of the board) or an error of edge_power_open(), with a message.
int edge_meters_open(struct edge_meters *meters, const char *list, const char *scope,
                     struct edge_agent_client *agent, struct edge_message *message);

// Starts or stops reading. 0 or an error of edge_agent_client_call(), with a message.
int edge_meters_poll(struct edge_meters *meters, bool on, struct edge_message *message);

// Takes what the host's sources have read.
void edge_meters_collect(struct edge_meters *meters);
// Takes an event of the agent. False if it is not about power.
bool edge_meters_take(struct edge_meters *meters, const json_t *event);

// True once every source has a reading at or behind `t_ns`.
bool edge_meters_reach(const struct edge_meters *meters, uint64_t t_ns);

// The energy of a span by source number `index`. 0 or -ENOMEM.
int edge_meters_integrate(const struct edge_meters *meters, unsigned index, uint64_t start_ns,
                          uint64_t stop_ns, struct edge_energy *energy);

// Closes all. Safe twice.
void edge_meters_free(struct edge_meters *meters);

#endif
