// What one measurement of one server gave: one repeat.
#ifndef EDGE_RUN_MEASUREMENT_H
#define EDGE_RUN_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/agent_sample.h"
#include "load/load.h"
#include "run/agent_client.h"

// The calls with which it was found out whether the server is ready.
struct edge_readiness {
    uint64_t calls; // that the server answered in some way, or not in time
    uint64_t outcomes[EDGE_OUTCOMES];
    uint64_t grpc_status[17];
    uint64_t reset_code[16];
    char first_error[256];
};

// Idle around the load, or a step of the load-to-power curve.
#define EDGE_MEASUREMENT_SPANS 16
struct edge_measurement_span {
    const char *name;      // static: "idle_before", "level", "idle_after"
    uint64_t load_percent; // of a level; 0 is idle
    uint64_t target_rate;  // calls due per second
    uint64_t start_ns, stop_ns;
    uint64_t ended, ok; // calls, inside it
    struct edge_agent_sample start, stop;
};

struct edge_measurement {
    uint64_t repeat; // from 1
    bool spawned;
    bool ready;  // one verified call
    bool loaded; // `load` is filled
    bool died;   // before it was asked to stop
    bool interrupted;
    char cut[512];       // what ended the whole run in the middle of it; ""
    char problem[1024];  // why it did not go as planned, for a person; ""
    char ram_limit[192]; // how the server's RAM limit was applied
    struct edge_readiness readiness;
    struct edge_agent_sync sync_before, sync_after; // round_trip_ns 0: none
    uint64_t load_start_ns, load_stop_ns;           // warm-up and drain included
    struct edge_load_result load;
    // Times in samples are the agent's. t_ns is EDGE_UNMEASURED where there is none.
    struct edge_agent_sample idle;                      // ready, before the load
    struct edge_agent_sample window_start, window_stop; // at the edges of the window
    struct edge_agent_sample rest;                      // after the load was drained
    uint64_t ended, ok; // calls from `idle` to `rest`: that ended, and verified ones
    struct edge_measurement_span spans[EDGE_MEASUREMENT_SPANS];
    unsigned span_count;
    struct edge_agent_sample *samples; // periodic, in order of time
    size_t sample_count;
};

void edge_measurement_init(struct edge_measurement *measurement, uint64_t repeat);
// Keeps a periodic sample. 0 or -ENOMEM.
int edge_measurement_add(struct edge_measurement *measurement,
                         const struct edge_agent_sample *sample);
// Frees what it holds. Safe twice.
void edge_measurement_free(struct edge_measurement *measurement);

// The window in figures; EDGE_UNMEASURED where something is missing.
struct edge_window_figures {
    uint64_t server_cpu_ns;
    uint64_t client_cpu_ns;     // of the generator's threads
    uint64_t background_cpu_ns; // of all CPUs: busy - server - generator's threads
    uint64_t rss_bytes;         // mean over samples and marks
    uint64_t peak_bytes;        // since the reset before the load
    uint64_t pss_bytes;         // at the end of the window, under load
    uint64_t instructions;      // emulated: executed from `idle` to `rest`
    uint64_t system_calls;      // likewise: made
    uint64_t samples;           // of the server, the marks included
    int64_t clock_step_ns;      // change of REALTIME - MONOTONIC of the host over the repeat
    uint64_t temperature_start_millicelsius, temperature_max_millicelsius;
    uint64_t requested_hz, measured_hz; // means over samples and marks
    uint64_t throttle_bits; // over the whole repeat: live ones at any moment, sticky ones that rose
    uint64_t below_max_ns;
    uint64_t steal_ns;
    uint64_t swap_bytes; // by which it grew
    uint64_t cpu_pressure_ns, memory_pressure_ns, io_pressure_ns;
    uint64_t cgroup_peak_bytes;
    uint64_t cpus_lost; // online at the start, less the fewest in the window
};

// Computes them. `same_machine`: the generator's CPU time is part of the machine's busy time.
void edge_measurement_figures(const struct edge_measurement *measurement, bool same_machine,
                              struct edge_window_figures *figures);

#endif
