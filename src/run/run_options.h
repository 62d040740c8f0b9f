// What `bench-edge run` was asked to do.
#ifndef EDGE_RUN_RUN_OPTIONS_H
#define EDGE_RUN_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"

enum edge_run_profile {
    EDGE_PROFILE_SINGLE,    // one window
    EDGE_PROFILE_GRADUATED, // then 100 % to 10 % of the rate found, and idle
};

struct edge_run_options {
    const char *target;
    const char *board;     // of an ssh target; NULL: recognised
    const char *board_dir; // likewise
    const char *scenario;
    const char *call; // NULL: the scenario's own
    const char *results_dir;
    const char *root;     // NULL: the board is a real one
    const char *power;    // --power list: run/meters.h
    unsigned power_scope; // index of edge_power_scopes, above the first
    unsigned profile;     // enum edge_run_profile
    bool tls;
    const char *tls_cert, *tls_key, *cacert; // NULL: made for this run
    const char *cname;                       // NULL: the target's host
    uint64_t handshakes_ns;                  // of each kind, with TLS
    uint64_t duration_ns;
    uint64_t warmup_ns;
    uint64_t idle_ns;    // before and after the load, where there is a power source
    uint64_t timeout_ns; // per call; 0: none
    uint64_t ready_timeout_ns;
    uint64_t server_cpus;
    uint64_t server_ram; // bytes; 0: no limit
    uint64_t client_cpus;
    uint64_t connections;
    uint64_t concurrency;
    uint64_t rate; // calls per second over all connections; 0: closed loop
    uint64_t messages;
    uint64_t repeat;
};

extern const struct edge_command edge_run_command_options;

// The table's defaults, where those that depend on the target are left open; and the rest, once the
// environment and argv were read: an emulator's counts repeat with few calls in flight, and need no
// long window.
void edge_run_options_begin(struct edge_run_options *options);
void edge_run_options_settle(struct edge_run_options *options);

// What the table alone cannot check: 0, or EDGE_ERR_USAGE with a message.
int edge_run_options_check(const struct edge_run_options *options, struct edge_message *message);

#endif
