#include "agent/probe_virtual.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/procfs.h"

#if defined(__arm__) || defined(__aarch64__)
#define OWN_ARCH "arm or aarch64"
#elif defined(__riscv)
#define OWN_ARCH "riscv"
#else
#define OWN_ARCH "x86"
#endif

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

const char *edge_probe_virtual_emulator(const char *root, char *text, size_t size)
{
    static const char own[] = OWN_ARCH;
    char arch[32];
    text[0] = '\0';
    if (root[0])
        return text;
    bool x86 = own[0] == 'x', arm = own[0] == 'a';
    // An emulator answers uname(2) for the guest, but files below /proc are the host's.
    if (edge_procfs_line(root, "/proc/sys/kernel/arch", arch, sizeof arch) > 0) {
        bool fits = x86   ? arch[0] == 'x' || arch[0] == 'i'
                    : arm ? strncmp(arch, "arm", 3) == 0 || strcmp(arch, "aarch64") == 0
                          : strncmp(arch, "riscv", 5) == 0;
        if (!fits)
            snprintf(text, size, "a program for %s on a kernel for %s", own, arch);
    } else if (!x86 && holds(root, "/proc/cpuinfo", "vendor_id")) {
        snprintf(text, size, "a program for %s on an x86 processor", own);
    }
    return text;
}
