// Where watts come from. Each source is one file and one row of a table; docs/power.md prints it.
//
// A reading means nothing without its scope: what lies behind the point where it is measured.
//   wall         mains, power supply included
//   dc_input     the board's supply input
//   module       a compute module without its carrier
//   soc_rails    some rails behind the board's regulators
//   cpu_package  the processor chip
//   unstated     nobody has said (--power-scope)
// Readings of different scopes are never added, compared or ranked with each other.
#ifndef EDGE_POWER_POWER_H
#define EDGE_POWER_POWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/reading.h"

enum edge_power_place {
    EDGE_POWER_BOARD, // read by the agent, below its root
    EDGE_POWER_HOST,  // read by bench-edge run
};

struct edge_power;

struct edge_power_source {
    const char *name;     // as in --power NAME[:ARGUMENT]
    const char *argument; // NULL: takes none; in brackets: may be left out
    enum edge_power_place place;
    const char *scope;    // "as wired" where only a person knows: see edge_power_config.scope
    uint64_t interval_ns; // between two new values
    // What it needs is in power->config; it fills the other members. Messages say what is missing
    // and how to grant it. -ENOENT: there is no such thing here; -EACCES; EDGE_ERR_UNSUPPORTED:
    // there is one, but it does not measure power; EDGE_ERR_USAGE: the argument is wrong.
    int (*open)(struct edge_power *power, struct edge_message *message);
    // 0 and a reading; 1 likewise, and more may be waiting; -EAGAIN: nothing new yet. Otherwise a
    // negative error with a message: EDGE_ERR_LIMIT for a reading that cannot be believed.
    int (*read)(struct edge_power *power, struct edge_reading *reading,
                struct edge_message *message);
    void (*close)(struct edge_power *power); // frees `state`
    // For docs/power.md.
    const char *reads;
    const char *includes;
    const char *permission;
};

struct edge_power_config {
    const char *name;
    const char *argument; // NULL: none
    const char *root;     // board sources: "" on a live system
    const char *scope;    // what a person says of one that is "as wired"; NULL: nothing
};

// An open source.
struct edge_power {
    const struct edge_power_source *source; // NULL: closed
    struct edge_power_config config;        // borrowed texts
    char scope[16];
    char detail[160];     // what exactly is read: "ina219 at hwmon3, shunt 0.1 Ohm"
    char correction[160]; // what is known to be missing or was left uncorrected; ""
    char warning[200];    // why its readings may be wrong; ""
    uint64_t interval_ns; // between two new values, as configured here
    uint64_t quantum_uj;  // step of the energy counter; 0: there is none
    void *state;
};

// The table, ends with NULL. Static storage.
const struct edge_power_source *const *edge_power_sources(void);
// The row of that name; NULL if there is none.
const struct edge_power_source *edge_power_find(const char *name);

// Opens the source config->name, which must be in the table, and checks that it can be read.
// 0, or an error of edge_power_source.open with a message; then it is closed.
int edge_power_open(struct edge_power *power, const struct edge_power_config *config,
                    struct edge_message *message);

// As edge_power_source.read.
int edge_power_read(struct edge_power *power, struct edge_reading *reading,
                    struct edge_message *message);

// Safe twice.
void edge_power_close(struct edge_power *power);

// Scopes that --power-scope may name. Ends with NULL.
extern const char *const edge_power_scopes[];

#endif
