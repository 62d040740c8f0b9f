// What `bench-edge run` was asked to do. The rows are in command.c.
#ifndef EDGE_RUN_RUN_OPTIONS_H
#define EDGE_RUN_RUN_OPTIONS_H

#include <stdint.h>

struct edge_run_options {
    const char *target;
    const char *scenario;
    const char *call; // NULL: the scenario's own
    const char *results_dir;
    uint64_t duration_ns;
    uint64_t warmup_ns;
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

#endif
