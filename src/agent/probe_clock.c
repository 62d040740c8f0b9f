#include "agent/probe_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpuset.h"
#include "base/procfs.h"
#include "result/record.h"

#define POLICIES     "/sys/devices/system/cpu/cpufreq"
#define POLICIES_MAX 64
#define STATE_NS     (10 * EDGE_NS_PER_MS) // of time_in_state

static bool holds(const char *list, unsigned cpu)
{
    char *end;
    for (const char *at = list; *at; at = end) {
        unsigned long one = strtoul(at, &end, 10);
        if (end == at)
            break;
        if (one == cpu)
            return true;
    }
    return false;
}

void edge_probe_clock_init(struct edge_probe_clock *probe, const char *root, unsigned cpu)
{
    char policies[POLICIES_MAX][EDGE_PROCFS_NAME], path[128], cpus[1024];
    *probe = (struct edge_probe_clock){.root = root};
    int count = edge_procfs_names(root, POLICIES, "policy", policies, POLICIES_MAX);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, POLICIES "/%.40s/related_cpus", policies[i]);
        if (edge_procfs_line(root, path, cpus, sizeof cpus) > 0 && holds(cpus, cpu))
            snprintf(probe->policy, sizeof probe->policy, POLICIES "/%.40s", policies[i]);
    }
}

static uint64_t kilohertz(const struct edge_probe_clock *probe, const char *file)
{
    char path[160];
    int64_t value;
    snprintf(path, sizeof path, "%s/%s", probe->policy, file);
    if (!probe->policy[0] || edge_procfs_integer(probe->root, path, &value) != 0 || value <= 0)
        return EDGE_UNMEASURED;
    return (uint64_t)value * 1000;
}

uint64_t edge_probe_clock_requested(const struct edge_probe_clock *probe)
{
    return kilohertz(probe, "scaling_cur_freq");
}

uint64_t edge_probe_clock_max(const struct edge_probe_clock *probe)
{
    return kilohertz(probe, "cpuinfo_max_freq");
}

uint64_t edge_probe_clock_cap(const struct edge_probe_clock *probe)
{
    return kilohertz(probe, "scaling_max_freq");
}

uint64_t edge_probe_clock_below_max_ns(const struct edge_probe_clock *probe)
{
    char path[160], text[4096];
    uint64_t below = 0, highest = 0, at_highest = 0;
    snprintf(path, sizeof path, "%s/stats/time_in_state", probe->policy);
    if (!probe->policy[0] || edge_procfs_read(probe->root, path, text, sizeof text) <= 0)
        return EDGE_UNMEASURED;
    unsigned long long frequency, time;
    int used;
    for (const char *at = text; sscanf(at, "%llu %llu%n", &frequency, &time, &used) == 2;
         at += used) {
        if (frequency > highest) {
            below += at_highest;
            highest = frequency;
            at_highest = time;
        } else {
            below += time;
        }
    }
    return highest > 0 ? below * STATE_NS : EDGE_UNMEASURED;
}

uint64_t edge_probe_clock_online(const char *root)
{
    char text[4096];
    struct edge_cpuset set;
    if (edge_procfs_line(root, "/sys/devices/system/cpu/online", text, sizeof text) <= 0 ||
        edge_cpuset_parse(text, &set) != 0)
        return EDGE_UNMEASURED;
    return set.count;
}
