#include "agent/probe_machine.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/procfs.h"

int edge_probe_machine_sample(const char *root, struct edge_agent_sample *sample)
{
    char text[512];
    int length = edge_procfs_read(root, "/proc/stat", text, sizeof text);
    if (length < 0)
        return length;
    unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
    if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
               &iowait, &irq, &softirq, &steal) != 8)
        return EDGE_ERR_FORMAT;
    uint64_t tick_ns = EDGE_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    sample->machine_busy_ns = (user + nice + system + irq + softirq) * tick_ns;
    sample->machine_idle_ns = (idle + iowait) * tick_ns;
    sample->machine_steal_ns = steal * tick_ns;
    return 0;
}
