#include "agent/probe_policies.h"

#include <stdio.h>

#include "base/cpuset.h"
#include "base/procfs.h"
#include "result/record.h"

#define FOLDER "/sys/devices/system/cpu/cpufreq"

static void read_text(const char *root, const char *policy, const char *file, char *text,
                      size_t size)
{
    char path[128];
    snprintf(path, sizeof path, FOLDER "/%.40s/%s", policy, file);
    if (edge_procfs_line(root, path, text, size) <= 0)
        text[0] = '\0';
}

static uint64_t read_hz(const char *root, const char *policy, const char *file)
{
    char path[128];
    int64_t kilohertz;
    snprintf(path, sizeof path, FOLDER "/%.40s/%s", policy, file);
    if (edge_procfs_integer(root, path, &kilohertz) != 0 || kilohertz <= 0)
        return EDGE_UNMEASURED;
    return (uint64_t)kilohertz * 1000;
}

// "0 1 2 3" as "0-3".
static void shorten(char *cpus, size_t size)
{
    char list[64];
    struct edge_cpuset set;
    snprintf(list, sizeof list, "%s", cpus);
    for (char *at = list; *at; at++)
        if (*at == ' ')
            *at = ',';
    if (edge_cpuset_parse(list, &set) == 0)
        edge_cpuset_text(&set, cpus, size);
}

size_t edge_probe_policies_read(const char *root,
                                struct edge_probe_policy policies[EDGE_PROBE_POLICIES_MAX])
{
    char names[EDGE_PROBE_POLICIES_MAX][EDGE_PROCFS_NAME];
    int count = edge_procfs_names(root, FOLDER, "policy", names, EDGE_PROBE_POLICIES_MAX);
    for (int i = 0; i < count; i++) {
        struct edge_probe_policy *policy = &policies[i];
        read_text(root, names[i], "related_cpus", policy->cpus, sizeof policy->cpus);
        shorten(policy->cpus, sizeof policy->cpus);
        read_text(root, names[i], "scaling_driver", policy->driver, sizeof policy->driver);
        read_text(root, names[i], "scaling_governor", policy->governor, sizeof policy->governor);
        policy->min_hz = read_hz(root, names[i], "cpuinfo_min_freq");
        policy->max_hz = read_hz(root, names[i], "cpuinfo_max_freq");
        policy->cap_hz = read_hz(root, names[i], "scaling_max_freq");
        policy->requested_hz = read_hz(root, names[i], "scaling_cur_freq");
    }
    return count > 0 ? (size_t)count : 0;
}
