// One look at the server and the machine: what the agent sends every period and at each mark.
#ifndef EDGE_AGENT_AGENT_SAMPLE_H
#define EDGE_AGENT_AGENT_SAMPLE_H

#include <stdint.h>

#include "result/record.h" // EDGE_UNMEASURED

// Times are the agent's CLOCK_MONOTONIC. CPU times count up from the start of the process or the
// machine; the difference of two samples means something, one alone does not.
struct edge_agent_sample {
    char label[24];      // "" for a periodic sample, else the mark's: "window_start"
    char cpu_source[24]; // "cpu_clock" (ns), "stat" (clock ticks), "" if unmeasured
    uint64_t t_ns;       // when the CPU time was read
    uint64_t wall_ns;
    // The server: its process and all its descendants.
    uint64_t cpu_ns;
    uint64_t rss_bytes;
    uint64_t hwm_bytes; // peak RSS since the last reset_peak
    uint64_t pss_bytes; // at marks that ask for it only: reading it is slow
    uint64_t threads;
    uint64_t processes;
    uint64_t voluntary_switches; // of the main thread; of all threads where PSS is read
    uint64_t involuntary_switches;
    // Emulated servers only, counted by the emulator's plugin since the server started.
    uint64_t guest_insns;
    uint64_t guest_syscalls;
    // The machine, all CPUs together, in clock ticks turned to ns.
    uint64_t machine_busy_ns; // user, nice, system, irq, softirq
    uint64_t machine_idle_ns; // idle and iowait
    uint64_t machine_steal_ns;
    // The board. EDGE_UNMEASURED where it does not tell.
    uint64_t temperature_millicelsius;
    uint64_t requested_hz;  // clock of the server's first CPU, as asked for
    uint64_t measured_hz;   // as the firmware measures it
    uint64_t throttle_bits; // agent/probe_throttle.h
    uint64_t cpus_online;
    // Marks only. Counters since start-up, but for swap.
    uint64_t below_max_ns; // time that this CPU's clock was below its highest
    uint64_t swap_bytes;   // in use
    uint64_t cpu_pressure_ns, memory_pressure_ns, io_pressure_ns;
    uint64_t cgroup_peak_bytes; // of the server's cgroup
};

// Every number unmeasured, every text empty.
void edge_agent_sample_init(struct edge_agent_sample *sample);

#endif
