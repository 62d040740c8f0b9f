#include "agent/probe_heat.h"

#include <stdio.h>
#include <string.h>

#include "base/procfs.h"
#include "result/record.h"

#define CLASS       "/sys/class/thermal"
#define DEVICES_MAX 64

// Types of the zone that is the CPU, the best first.
static const char *const cpu_zones[] = {
    "cpu-thermal", "cpu_thermal",  "CPU-therm",   "x86_pkg_temp",     "soc-thermal",
    "soc_thermal", "cpu0-thermal", "aml_thermal", "bigcore0-thermal", "package_thermal",
};
#define CPU_ZONES (sizeof cpu_zones / sizeof cpu_zones[0])

static size_t rank(const char *type)
{
    size_t i = 0;
    while (i < CPU_ZONES && strcmp(type, cpu_zones[i]) != 0)
        i++;
    return i;
}

static void choose_zone(struct edge_probe_heat *probe)
{
    char zones[DEVICES_MAX][EDGE_PROCFS_NAME];
    int count = edge_procfs_names(probe->root, CLASS, "thermal_zone", zones, DEVICES_MAX);
    size_t best = CPU_ZONES;
    for (int i = 0; i < count; i++) {
        char path[96], type[64];
        snprintf(path, sizeof path, CLASS "/%.40s/type", zones[i]);
        if (edge_procfs_line(probe->root, path, type, sizeof type) <= 0 || rank(type) >= best)
            continue;
        best = rank(type);
        snprintf(probe->zone, sizeof probe->zone, "%s", type);
        snprintf(probe->path, sizeof probe->path, CLASS "/%.40s/temp", zones[i]);
    }
}

// By cpufreq and devfreq, and ACPI's "Processor"; fans only make noise.
static void find_coolers(struct edge_probe_heat *probe)
{
    char devices[DEVICES_MAX][EDGE_PROCFS_NAME];
    int count = edge_procfs_names(probe->root, CLASS, "cooling_device", devices, DEVICES_MAX);
    for (int i = 0; i < count && probe->cooler_count < EDGE_PROBE_HEAT_COOLERS; i++) {
        char path[96], type[64];
        snprintf(path, sizeof path, CLASS "/%.40s/type", devices[i]);
        if (edge_procfs_line(probe->root, path, type, sizeof type) > 0 &&
            (strstr(type, "cpufreq") || strstr(type, "devfreq") || strcmp(type, "Processor") == 0))
            snprintf(probe->coolers[probe->cooler_count++], sizeof probe->coolers[0],
                     CLASS "/%.40s/cur_state", devices[i]);
    }
}

void edge_probe_heat_init(struct edge_probe_heat *probe, const char *root)
{
    *probe = (struct edge_probe_heat){.root = root};
    choose_zone(probe);
    find_coolers(probe);
}

uint64_t edge_probe_heat_read(const struct edge_probe_heat *probe)
{
    int64_t temperature;
    if (!probe->path[0] || edge_procfs_integer(probe->root, probe->path, &temperature) != 0 ||
        temperature < 0)
        return EDGE_UNMEASURED;
    return (uint64_t)temperature;
}

uint64_t edge_probe_heat_cooling(const struct edge_probe_heat *probe)
{
    uint64_t cooling = EDGE_UNMEASURED;
    for (unsigned i = 0; i < probe->cooler_count; i++) {
        int64_t cooler;
        if (edge_procfs_integer(probe->root, probe->coolers[i], &cooler) != 0)
            continue;
        if (cooling == EDGE_UNMEASURED || cooler > 0)
            cooling = cooler > 0;
    }
    return cooling;
}
