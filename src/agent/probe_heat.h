// How warm the CPU is, and whether the kernel cools it by slowing it down.
// Documentation/driver-api/thermal/sysfs-api.rst
#ifndef EDGE_AGENT_PROBE_HEAT_H
#define EDGE_AGENT_PROBE_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDGE_PROBE_HEAT_COOLERS 16
#define EDGE_PROBE_HEAT_ZONES   64

struct edge_probe_heat {
    const char *root; // borrowed
    char zone[64];    // type of the zone that is the CPU; "" if none is
    char path[96];    // of its temperature
    unsigned cooler_count;
    char coolers[EDGE_PROBE_HEAT_COOLERS][96]; // cur_state of those that slow the CPU down
};

// Chooses the zone by its type: a board has zones of Wi-Fi, batteries and of nothing at all, and
// their numbers mean nothing.
void edge_probe_heat_init(struct edge_probe_heat *probe, const char *root);

// In thousandths of a degree Celsius. EDGE_UNMEASURED if there is no such zone, it cannot be read,
// or it says less than 0.
uint64_t edge_probe_heat_read(const struct edge_probe_heat *probe);

// 1 if any device that cools by slowing the CPU down is at work, else 0; EDGE_UNMEASURED if there
// is none that can be read.
uint64_t edge_probe_heat_cooling(const struct edge_probe_heat *probe);

// All that there is, for people.
struct edge_probe_heat_zone {
    char type[64];
    uint64_t millicelsius; // EDGE_UNMEASURED as above
    bool cpu;              // the one that is chosen
};
size_t edge_probe_heat_zones(const struct edge_probe_heat *probe,
                             struct edge_probe_heat_zone zones[EDGE_PROBE_HEAT_ZONES]);

struct edge_probe_heat_cooler {
    char type[64];
    uint64_t state, max; // 0 is idle; EDGE_UNMEASURED
};
// Those that slow the CPU down.
size_t edge_probe_heat_cooler_list(const struct edge_probe_heat *probe,
                                   struct edge_probe_heat_cooler coolers[EDGE_PROBE_HEAT_COOLERS]);

#endif
