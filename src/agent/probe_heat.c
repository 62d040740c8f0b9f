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

static uint64_t read_at(const char *root, const char *path)
{
    int64_t value;
    return edge_procfs_integer(root, path, &value) == 0 && value >= 0 ? (uint64_t)value
                                                                      : EDGE_UNMEASURED;
}

size_t edge_probe_heat_zones(const struct edge_probe_heat *probe,
                             struct edge_probe_heat_zone zones[EDGE_PROBE_HEAT_ZONES])
{
    char names[EDGE_PROBE_HEAT_ZONES][EDGE_PROCFS_NAME], path[96];
    int found = edge_procfs_names(probe->root, CLASS, "thermal_zone", names, EDGE_PROBE_HEAT_ZONES);
    size_t count = 0;
    for (int i = 0; i < found; i++) {
        struct edge_probe_heat_zone *zone = &zones[count];
        snprintf(path, sizeof path, CLASS "/%.40s/type", names[i]);
        if (edge_procfs_line(probe->root, path, zone->type, sizeof zone->type) <= 0)
            continue;
        snprintf(path, sizeof path, CLASS "/%.40s/temp", names[i]);
        zone->millicelsius = read_at(probe->root, path);
        zone->cpu = strcmp(path, probe->path) == 0;
        count++;
    }
    return count;
}

size_t edge_probe_heat_cooler_list(const struct edge_probe_heat *probe,
                                   struct edge_probe_heat_cooler coolers[EDGE_PROBE_HEAT_COOLERS])
{
    for (unsigned i = 0; i < probe->cooler_count; i++) {
        struct edge_probe_heat_cooler *cooler = &coolers[i];
        int folder = (int)(strrchr(probe->coolers[i], '/') - probe->coolers[i]);
        char path[128];
        snprintf(path, sizeof path, "%.*s/type", folder, probe->coolers[i]);
        if (edge_procfs_line(probe->root, path, cooler->type, sizeof cooler->type) <= 0)
            cooler->type[0] = '\0';
        snprintf(path, sizeof path, "%.*s/max_state", folder, probe->coolers[i]);
        cooler->max = read_at(probe->root, path);
        cooler->state = read_at(probe->root, probe->coolers[i]);
    }
    return probe->cooler_count;
}
