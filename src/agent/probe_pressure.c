#include "agent/probe_pressure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/procfs.h"
#include "result/record.h"

uint64_t edge_probe_pressure_ns(const char *root, const char *resource)
{
    char path[48], text[512], *end;
    snprintf(path, sizeof path, "/proc/pressure/%s", resource);
    if (edge_procfs_read(root, path, text, sizeof text) <= 0 || strncmp(text, "some ", 5) != 0)
        return EDGE_UNMEASURED;
    const char *total = strstr(text, " total=");
    if (!total || total > text + strcspn(text, "\n"))
        return EDGE_UNMEASURED;
    unsigned long long microseconds = strtoull(total + 7, &end, 10);
    return end == total + 7 ? EDGE_UNMEASURED : microseconds * EDGE_NS_PER_US;
}

uint64_t edge_probe_pressure_swap_bytes(const char *root)
{
    char text[8192];
    uint64_t total, unused;
    if (edge_procfs_read(root, "/proc/meminfo", text, sizeof text) <= 0 ||
        !edge_procfs_number(text, "SwapTotal:", &total) ||
        !edge_procfs_number(text, "SwapFree:", &unused) || unused > total)
        return EDGE_UNMEASURED;
    return (total - unused) * 1024;
}
