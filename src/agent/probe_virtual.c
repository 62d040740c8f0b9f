#include "agent/probe_virtual.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/procfs.h"

static bool holds(const char *root, const char *path, const char *word)
{
    char text[4096];
    return edge_procfs_read(root, path, text, sizeof text) > 0 && strstr(text, word);
}

const char *edge_probe_virtual_machine(const char *root, char *text, size_t size)
{
    static const char *const vendors[] = {"QEMU",           "VMware", "innotek", "Xen",
                                          "Microsoft Corp", "Amazon", "Bochs",   "OpenStack"};
    char name[64];
    text[0] = '\0';
    if (edge_procfs_line(root, "/sys/hypervisor/type", name, sizeof name) > 0)
        snprintf(text, size, "/sys/hypervisor: %s", name);
    else if (holds(root, "/proc/cpuinfo", " hypervisor"))
        snprintf(text, size, "the hypervisor flag in /proc/cpuinfo");
    else if (holds(root, "/proc/device-tree/compatible", "linux,dummy-virt"))
        snprintf(text, size, "the device tree: linux,dummy-virt");
    else if (edge_procfs_line(root, "/sys/class/dmi/id/sys_vendor", name, sizeof name) > 0)
        for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
            if (strstr(name, vendors[i]))
                snprintf(text, size, "its maker: %s", name);
    return text;
}
