// What this board is: the facts that stand beside every number.
#ifndef EDGE_AGENT_BOARD_H
#define EDGE_AGENT_BOARD_H

#include <stdint.h>

// A text is "" and a number 0 where it could not be found out.
struct edge_board {
    char model[128];          // "Raspberry Pi 4 Model B Rev 1.4"
    char model_source[16];    // "device_tree", "dmi" or "cpuinfo"
    char cpu[128];            // kinds of core: agent/probe_cpus.h
    char machine[32];         // uname -m
    char kernel[128];         // uname -r
    char os[128];             // PRETTY_NAME of os-release
    char governor[64];        // of all cpufreq policies; several: "ondemand,performance"
    char allowed_cpus[128];   // of the agent, "0-3"
    char thermal_zone[64];    // whose temperature is read
    char throttle_source[32]; // who tells of throttling
    char link[64];            // network: "eth0 1000 Mb/s"
    char emulator[64];        // below which this program runs: "qemu-arm"; "" on hardware
    uint64_t max_hz;          // highest clock of the hardware
    uint64_t cap_hz;          // highest clock that is allowed
    uint64_t cores;           // online
    uint64_t ram_bytes;       // MemTotal
    uint64_t page_bytes;
    uint64_t userland_bits; // a 64-bit kernel may carry a 32-bit userland
};

// Reads below `root`: "" on a live system, a directory in tests.
// What probes find out stays empty: edge_probes_describe().
void edge_board_read(const char *root, struct edge_board *board);

#endif
