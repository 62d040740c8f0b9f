// The power sources that an agent reads for its host, each at its own pace.
#ifndef EDGE_AGENT_AGENT_POWER_H
#define EDGE_AGENT_AGENT_POWER_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/error.h"
#include "net/loop.h"
#include "power/power.h"

#define EDGE_AGENT_POWER_MAX 4

struct edge_agent_power;

struct edge_agent_power_source {
    struct edge_timer timer;
    struct edge_agent_power *owner;
    struct edge_power power;
    char argument[64];
    char scope[16];
    bool failing; // the host has been told
};

struct edge_agent_power {
    const char *root; // borrowed
    struct edge_loop *loop;
    void (*tell)(struct edge_agent_power *power, json_t *event); // takes the reference
    unsigned count;
    struct edge_agent_power_source sources[EDGE_AGENT_POWER_MAX];
};

// Opens what `request` asks for and describes it in `answer`:
//   name      "auto": the first source of this board that opens; else a source's name
//   argument  of the source; may be absent
//   scope     for a source that is as wired; may be absent
// answer: "source" (null: auto found none) and "why" (what was not found, in words). Each request
// adds one source; they are numbered from 0. EDGE_ERR_LIMIT when there are too many, or an error of
// edge_power_open(), with a message.
int edge_agent_power_open(struct edge_agent_power *power, const json_t *request, json_t *answer,
                          struct edge_message *message);

// Starts or stops reading. Each reading is an event "power" with source, t_ns, power_uw, energy_uj;
// the first of a row of failures is an event "power_failed" with source and text.
int edge_agent_power_poll(struct edge_agent_power *power, bool on);

// Safe twice.
void edge_agent_power_free(struct edge_agent_power *power);

#endif
