// What this board is: the facts that stand beside every number.
#ifndef EDGE_AGENT_BOARD_H
#define EDGE_AGENT_BOARD_H

#include <stdint.h>

// A text is "" and a number 0 where it could not be found out.
struct edge_board {
    char model[128];        // "Raspberry Pi 4 Model B Rev 1.4"
    char model_source[16];  // "device_tree", "dmi" or "cpuinfo"
    char cpu[128];          // "Cortex-A72" is "ARM part 0xd08"; "model name" where there is one
    char machine[32];       // uname -m
    char kernel[128];       // uname -r
    char os[128];           // PRETTY_NAME of os-release
    char governor[64];      // of all cpufreq policies; several: "ondemand,performance"
    char allowed_cpus[128]; // of the agent, "0-3"
    uint64_t cores;         // online
    uint64_t ram_bytes;     // MemTotal
    uint64_t page_bytes;
    uint64_t userland_bits; // of this program: a 64-bit kernel may carry a 32-bit userland
};

// Reads below `root`: "" on a live system, a directory in tests.
void edge_board_read(const char *root, struct edge_board *board);

#endif
